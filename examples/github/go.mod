module github.com/headway-go/headway/examples/github

go 1.26.0

require github.com/headway-go/headway v0.0.0

require (
	github.com/cenkalti/backoff/v4 v4.3.0 // indirect
	github.com/dunglas/httpsfv v1.1.2 // indirect
	github.com/google/go-github/v84 v84.0.0
	github.com/google/go-querystring v1.2.0 // indirect
	github.com/hashicorp/go-cleanhttp v0.5.2 // indirect
	github.com/hashicorp/go-retryablehttp v0.7.8 // indirect
	golang.org/x/time v0.16.0 // indirect
)

replace github.com/headway-go/headway => ../..
