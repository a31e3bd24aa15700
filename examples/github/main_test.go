package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// handled is a base that calls a handler, without a network.
type handled struct{ http.Handler }

func (h handled) RoundTrip(req *http.Request) (*http.Response, error) {
	time.Sleep(20 * time.Millisecond)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, req)
	resp := w.Result()
	resp.Request = req
	return resp, nil
}

func TestSearchesHoldUpNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newAPI()
		var out strings.Builder
		if err := run(t.Context(), handled{api}, "http://github.test", &out); err != nil {
			t.Fatal(err)
		}
		if n := api.refusals(); n != 0 {
			t.Errorf("%d calls were refused", n)
		}
		if want := fmt.Sprintf("%d other calls were done after 2s\n", others); !strings.HasPrefix(out.String(), want) {
			t.Errorf("printed:\n%s\nwant first %q", &out, want)
		}
		t.Log(&out)
	})
}
