package transporttest_test

import (
	"net/http"
	"testing"

	"github.com/headway-go/headway/transport/transporttest"
)

// What the example shows is right.
func TestSigner(t *testing.T) {
	transporttest.Run(t, func(base http.RoundTripper) http.RoundTripper { return signer{base} })
}
