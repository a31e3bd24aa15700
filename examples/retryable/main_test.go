package main

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/headway-go/headway/throttle/throttletest"
)

func TestRetryable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := throttletest.NewMemoryServer(t, limit)
		var out strings.Builder
		if err := call(t.Context(), srv.Client().Transport, srv.URL, &out); err != nil {
			t.Fatal(err)
		}
		if srv.Refused() != 0 || srv.Admitted() != 50 {
			t.Errorf("%d refused, %d admitted; want 0 and 50", srv.Refused(), srv.Admitted())
		}
		if want := "50 calls took 2"; !strings.Contains(out.String(), want) {
			t.Errorf("printed %q, want %q", &out, want)
		}
	})
}
