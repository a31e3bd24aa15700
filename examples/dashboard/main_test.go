package main

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/headway-go/headway/throttle/throttletest"
)

func TestDashboard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := throttletest.NewMemoryServer(t, limit)
		var out strings.Builder
		if err := show(t.Context(), srv.Client().Transport, srv.URL, &out); err != nil {
			t.Fatal(err)
		}
		// Ten at once and one a second: after 5 s six are left, so that the ninth
		// call goes 3 s later; 10 s after that all ten are there again.
		for _, want := range []string{"visit 1, 0s after the last: all nine parts there after 0s", "visit 2, 5s after the last: all nine parts there after 3", "visit 3, 10s after the last: all nine parts there after 0s"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("printed:\n%s\nwant %q", &out, want)
			}
		}
		if srv.Refused() != 0 || srv.Admitted() != 27 {
			t.Errorf("%d refused, %d admitted; want 0 and 27", srv.Refused(), srv.Admitted())
		}
	})
}
