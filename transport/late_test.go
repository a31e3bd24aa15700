package transport_test

import (
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway/throttle/throttletest"
	"github.com/headway-go/headway/transport"
)

// A dialing base takes a while longer for the first call, as for a connection.
type dialing struct {
	http.RoundTripper
	once sync.Once
}

func (d *dialing) RoundTrip(req *http.Request) (*http.Response, error) {
	d.once.Do(func() { time.Sleep(30 * time.Millisecond) })
	return d.RoundTripper.RoundTrip(req)
}

// The first call comes to the server later than it seems, for a connection has to
// be made. If the bucket is not full then, because an earlier process has used it,
// what the answer says of it is not to be taken for a slot too many.
func TestFirstCallComesLate(t *testing.T) {
	for part := range 10 {
		synctest.Test(t, func(t *testing.T) {
			srv := throttletest.NewMemoryServer(t, throttletest.Config{Rate: 10, Burst: 10, Spent: 6})
			time.Sleep(time.Duration(part) * 10 * time.Millisecond) // the level is no whole number
			base := &dialing{RoundTripper: srv.Client().Transport}
			client := &http.Client{Transport: &transport.Transport{Base: base}}
			fan(t, client, srv.URL, 1, 1)
			fan(t, client, srv.URL, 40, 4)
			if n := srv.Refused(); n > 0 {
				t.Errorf("%d refused, with %d hundredths of a call in the bucket", n, part*10)
			}
		})
	}
}
