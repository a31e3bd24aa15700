package main

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/headway-go/headway/throttle/throttletest"
)

// Nothing is lost, and each call is refused less than once: of the 150 that come
// at once, the server cannot but refuse 100.
func TestResume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := throttletest.NewMemoryServer(t, limit)
		var out strings.Builder
		if err := resume(t.Context(), srv.Client().Transport, srv.URL, &out); err != nil {
			t.Fatal(err)
		}
		if srv.Admitted() != apps*calls || srv.Refused() > apps*calls {
			t.Errorf("%d admitted, %d refused; want %d and fewer", srv.Admitted(), srv.Refused(), apps*calls)
		}
		if !strings.Contains(out.String(), "30 apps with 5 calls each were done after") {
			t.Errorf("printed %q", &out)
		}
		t.Logf("%s%d refused", &out, srv.Refused())
	})
}
