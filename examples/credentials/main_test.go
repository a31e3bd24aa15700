package main

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/headway-go/headway/throttle/throttletest"
)

func TestCredentials(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := throttletest.NewMemoryServer(t, limit)
		var out strings.Builder
		if err := call(t.Context(), srv.Client().Transport, srv.URL, &out); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"25 calls of one customer were done after 2", "15 calls of one customer were done after 1", "5 calls of one customer were done after 0s"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("printed:\n%s\nwant %q", &out, want)
			}
		}
		if srv.Refused() != 0 {
			t.Errorf("%d refused", srv.Refused())
		}
	})
}
