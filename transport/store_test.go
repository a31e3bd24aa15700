package transport_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/throttle/throttletest"
	"github.com/headway-go/headway/transport"
)

// A distantStore is a Memory a millisecond away, that counts.
type distantStore struct {
	throttle.Memory
	asked atomic.Int64
}

func (s *distantStore) Ask(ctx context.Context, a throttle.Ask) (throttle.Answer, error) {
	s.asked.Add(1)
	time.Sleep(time.Millisecond)
	return s.Memory.Ask(ctx, a)
}

// A distant server is ten milliseconds away.
type distant struct{ base http.RoundTripper }

func (d distant) RoundTrip(req *http.Request) (*http.Response, error) {
	time.Sleep(10 * time.Millisecond)
	resp, err := d.base.RoundTrip(req)
	time.Sleep(10 * time.Millisecond)
	return resp, err
}

// Four Transports that know of each other only by their store use all that the
// server publishes, and are not refused once.
func TestFleet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const rate, burst = 500, 100
		srv := throttletest.NewMemoryServer(t, throttletest.Config{Rate: rate, Burst: burst})
		var store distantStore
		start := time.Now()
		var wg sync.WaitGroup
		var parts [4]atomic.Int64
		for i := range parts {
			client := &http.Client{Transport: &transport.Transport{Base: distant{srv.Client().Transport}, Store: &store}}
			for range 32 {
				wg.Go(func() {
					for time.Since(start) < 20*time.Second {
						fetch(t, client, srv.URL)
						parts[i].Add(1)
					}
				})
			}
		}
		wg.Wait()
		seconds := time.Since(start).Seconds()
		time.Sleep(time.Second) // what is left goes back
		if n := srv.Refused(); n > 0 {
			t.Errorf("%d calls were refused, want 0", n)
		}
		if used := float64(srv.Admitted()) / (burst + rate*seconds); used < 0.99 {
			t.Errorf("%.2f %% of the budget were used, want 99", 100*used)
		}
		if ops := float64(store.asked.Load()) / float64(srv.Admitted()); ops > 0.1 {
			t.Errorf("%.3f operations a call, want 0.1 at most", ops)
		}
		var sum, squares float64
		for i := range parts {
			n := float64(parts[i].Load())
			sum, squares = sum+n, squares+n*n
		}
		if jain := sum * sum / (4 * squares); jain < 0.99 {
			t.Errorf("Jain's index is %.4f, want 0.99", jain)
		}
	})
}

func fetch(t *testing.T, client *http.Client, url string) {
	resp, err := client.Get(url)
	if err != nil {
		t.Error(err)
		return
	}
	resp.Body.Close()
}

// A Transport that starts when others have used up what there was knows the limit
// before its first call.
func TestStoreTellsANewcomer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := throttletest.NewMemoryServer(t, throttletest.Config{Rate: 10, Burst: 20})
		var store throttle.Memory
		old := &http.Client{Transport: &transport.Transport{Base: srv.Client().Transport, Store: &store}}
		for range 40 {
			fetch(t, old, srv.URL)
		}
		newcomer := &http.Client{Transport: &transport.Transport{Base: srv.Client().Transport, Store: &store}}
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() { fetch(t, newcomer, srv.URL) })
		}
		wg.Wait()
		if n := srv.Refused(); n > 0 {
			t.Errorf("%d calls were refused, want 0", n)
		}
	})
}

// Limits by hand are shared by those who have the same, lane by lane.
func TestStoreSharesLimitsByHand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := throttletest.NewMemoryServer(t, throttletest.Config{Rate: 1e6, Burst: 1e6, Dialect: throttletest.Nothing})
		var store throttle.Memory
		open := func() *http.Client {
			return &http.Client{Transport: &transport.Transport{
				Base: srv.Client().Transport, Store: &store, MaxWait: time.Minute,
				Limits: transport.Limits{
					"memory.test/":           {{Rate: 1.0 / 3600, Burst: 3}},
					"POST memory.test/login": {{Rate: 1.0 / 3600, Burst: 1}},
				},
			}}
		}
		a, b := open(), open()
		for i, tt := range []struct {
			client *http.Client
			method string
			want   error
		}{
			{a, "GET", nil}, {b, "GET", nil}, {a, "GET", nil},
			{b, "GET", throttle.ErrMaxWait}, {a, "GET", throttle.ErrMaxWait},
			{b, "POST", nil}, {a, "POST", throttle.ErrMaxWait},
		} {
			req, err := http.NewRequest(tt.method, srv.URL+"/login", nil)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := tt.client.Do(req)
			if !errors.Is(err, tt.want) {
				t.Errorf("call %d: %v, want %v", i, err, tt.want)
			}
			if err == nil {
				resp.Body.Close()
			}
		}
	})
}

// A quota of which the server says what is left until a reset is shared as well:
// no window holds more.
func TestStoreSharesAQuota(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := throttletest.NewMemoryServer(t, throttletest.Config{Rate: 1e6, Burst: 1e6, Dialect: throttletest.Nothing,
			Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("RateLimit-Policy", `"p";q=100;w=60`)
				w.Header().Set("RateLimit", `"p";r=90;t=30`) // whatever comes
			})})
		var store throttle.Memory
		var wg sync.WaitGroup
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		for range 4 {
			client := &http.Client{Transport: &transport.Transport{Base: srv.Client().Transport, Store: &store}}
			wg.Go(func() {
				for ctx.Err() == nil {
					req, err := http.NewRequestWithContext(ctx, http.MethodGet, srv.URL, nil)
					if err != nil {
						t.Error(err)
						return
					}
					resp, err := client.Do(req)
					if err != nil {
						return // it would have to wait too long
					}
					resp.Body.Close()
				}
			})
		}
		wg.Wait()
		if n := srv.Admitted(); n > 104 { // the first call of each is before it knows
			t.Errorf("%d calls in a minute, the server allows 100", n)
		}
	})
}
