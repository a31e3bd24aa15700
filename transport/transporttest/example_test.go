package transporttest_test

import (
	"net/http"
	"testing"

	"github.com/headway-go/headway/transport/transporttest"
)

// A signer is a RoundTripper of your own.
type signer struct{ base http.RoundTripper }

func (s signer) RoundTrip(req *http.Request) (*http.Response, error) {
	signed := req.Clone(req.Context())
	signed.Header.Set("X-Signature", "…")
	return s.base.RoundTrip(signed)
}

// CloseIdleConnections is what wrappers forget most often.
func (s signer) CloseIdleConnections() {
	(&http.Client{Transport: s.base}).CloseIdleConnections()
}

// This belongs into a test file of yours.
func ExampleRun() {
	testSigner := func(t *testing.T) {
		transporttest.Run(t, func(base http.RoundTripper) http.RoundTripper {
			return signer{base}
		})
	}
	_ = testSigner // func TestSigner(t *testing.T), for "go test -race" to find
	// Output:
}
