package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
)

// handled is a base that calls a handler, without a network.
type handled struct{ http.Handler }

func (h handled) RoundTrip(req *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, req)
	return w.Result(), nil
}

func TestPublish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		if err := call(t.Context(), handled{limited(http.HandlerFunc(hello))}, "http://server.test", &out); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{
			`RateLimit-Policy: "default";q=20;w=1;headway-burst=10` + "\n",
			`RateLimit: "default";r=9` + "\n",
			"50 calls, none refused, took 2.1s; the limit allows 2.05s\n",
		} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("printed:\n%s\nwant %q", &out, want)
			}
		}
	})
}
