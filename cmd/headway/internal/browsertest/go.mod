module github.com/headway-go/headway/cmd/headway/internal/browsertest

go 1.26.0

replace (
	github.com/headway-go/headway => ../../../..
	github.com/headway-go/headway/cmd/headway => ../..
)

require (
	github.com/chromedp/cdproto v0.160.1
	github.com/chromedp/chromedp v0.23.1
	github.com/headway-go/headway/cmd/headway v0.0.0
)

require (
	github.com/cenkalti/backoff/v4 v4.3.0 // indirect
	github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875 // indirect
	github.com/headway-go/headway v0.0.0 // indirect
)
