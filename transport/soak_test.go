package transport_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"
	"weak"

	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/transport"
)

const (
	soakWorkers    = 24
	soakConcurrent = 6
)

// soakTime is how long to go on: HEADWAY_SOAK, at most a minute.
func soakTime(t *testing.T) time.Duration {
	s := os.Getenv("HEADWAY_SOAK")
	if s == "" {
		return 2 * time.Second
	}
	d, err := time.ParseDuration(s)
	if err != nil || d <= 0 {
		t.Fatalf("HEADWAY_SOAK=%q is no duration", s)
	}
	return min(d, time.Minute)
}

// A soak is many callers of one Transport, and what became of their calls.
type soak struct {
	t       *testing.T
	server  *faultyServer
	tr      *transport.Transport
	end     time.Time
	started atomic.Int64

	mu   sync.Mutex
	came map[string]int64
}

// Whatever servers and networks do, and callers with deadlines and without
// patience, each call ends in one response or one error, and nothing is left: no
// goroutine, no connection, nobody who waits, no permit.
func TestSoak(t *testing.T) {
	log.SetOutput(io.Discard) // net/http tells of what is not HTTP
	defer log.SetOutput(os.Stderr)
	before := runtime.NumGoroutine()
	s := newSoak(t)
	var wg sync.WaitGroup
	for range soakWorkers {
		wg.Go(s.work)
	}
	wg.Go(s.meddle)
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	eventuallyAfter(t, s.end, func() bool { return closed(done) })

	s.report()
	s.checkLedger()
	eventually(t, s.idle)
	s.checkPermits()
	s.tr.CloseIdleConnections()
	eventually(t, func() bool { return s.server.conns.Load() == 0 })
	s.server.close()
	eventually(t, func() bool { return runtime.NumGoroutine() <= before+1 }) // the listener of rawServer
}

func newSoak(t *testing.T) *soak {
	server := newFaultyServer(t)
	base := &http.Transport{TLSClientConfig: server.client, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 4}
	s := &soak{t: t, server: server, end: time.Now().Add(soakTime(t)), came: map[string]int64{}}
	s.tr = &transport.Transport{
		Base: base, MaxConcurrent: soakConcurrent, MaxWait: 200 * time.Millisecond, MaxQueue: soakWorkers / 2,
		Observe: func(_ context.Context, e transport.Event) { s.count("event: " + string(e.Kind)) },
	}
	s.tr.Backoff.Min, s.tr.Backoff.Max = time.Millisecond, 20*time.Millisecond
	return s
}

func (s *soak) count(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.came[what]++
}

func (s *soak) work() {
	for time.Now().Before(s.end) {
		ctx, cancel := s.context()
		req := s.request(ctx)
		s.started.Add(1)
		resp, err := s.tr.RoundTrip(req)
		switch {
		case resp != nil && err == nil:
			s.count("response")
			s.consume(resp)
		case resp == nil && err != nil:
			s.count("error: " + kind(err))
		default:
			s.t.Errorf("RoundTrip = %v, %v", resp, err)
		}
		cancel()
	}
}

// context is that of a caller with much patience, or little, or who leaves.
func (s *soak) context() (context.Context, context.CancelFunc) {
	ctx := throttle.WithPriority(context.Background(), []throttle.Priority{throttle.Low, throttle.Normal, throttle.High}[rand.IntN(3)])
	soon := time.Duration(rand.IntN(100)+1) * time.Millisecond
	switch rand.IntN(4) {
	case 0:
		return context.WithTimeout(ctx, soon)
	case 1:
		ctx, cancel := context.WithCancel(ctx)
		timer := time.AfterFunc(soon, cancel)
		return ctx, func() { timer.Stop(); cancel() }
	}
	return context.WithTimeout(ctx, 2*time.Second) // an endless body has to end
}

var soakCalls atomic.Int64

func (s *soak) request(ctx context.Context) *http.Request {
	method := []string{"GET", "GET", "HEAD", "POST", "PUT"}[rand.IntN(5)]
	url := s.server.urls[[]int{0, 0, 0, 1, 1, 1, 2}[rand.IntN(7)]]
	var body io.Reader
	if method[0] == 'P' {
		body = strings.NewReader(strings.Repeat("x", rand.IntN(50_000)))
	}
	req, err := http.NewRequestWithContext(ctx, method, url+"/"+method, body)
	if err != nil {
		panic(err)
	}
	if rand.IntN(4) == 0 {
		req.GetBody = nil
	}
	req.Header.Set("X-Call", fmt.Sprint(method, " ", soakCalls.Add(1)))
	return req
}

// consume ends a body in one of the ways in which callers do.
func (s *soak) consume(resp *http.Response) {
	switch rand.IntN(4) {
	case 0:
	case 1:
		_, _ = io.CopyN(io.Discard, resp.Body, 3)
	default:
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			s.count("body broke off")
		}
	}
	_ = resp.Body.Close()
}

// kind sorts errors.
func kind(err error) string {
	if we, ok := errors.AsType[*throttle.WaitError](err); ok {
		return "not sent: " + string(we.Cause)
	}
	for _, target := range []error{context.Canceled, context.DeadlineExceeded, io.EOF, io.ErrUnexpectedEOF} {
		if errors.Is(err, target) {
			return target.Error()
		}
	}
	return fmt.Sprintf("%T", err)
}

// meddle does what an operator may do while calls are under way.
func (s *soak) meddle() {
	limits := []transport.Limits{
		nil,
		{"127.0.0.1/": {{Rate: 1000, Burst: 3}}},
		{"127.0.0.1/": {{Rate: 5000, Burst: 20}}, "POST 127.0.0.1/": {{Rate: 300}}},
		{"GET /": {throttle.Per(100, 100*time.Millisecond), {Rate: 3000, Burst: 1}}},
	}
	for time.Now().Before(s.end) {
		if err := s.tr.SetLimits(limits[rand.IntN(len(limits))]); err != nil {
			s.t.Error(err)
		}
		for _, b := range s.tr.Budgets() {
			if b.InFlight > soakConcurrent || b.InFlight < 0 || b.Waiting < 0 || b.NextSlot < 0 {
				s.t.Errorf("an impossible state: %+v", b)
			}
			if rand.IntN(40) == 0 {
				s.tr.Reset(b.Key)
			}
		}
		if rand.IntN(10) == 0 {
			s.tr.CloseIdleConnections()
		}
		<-time.After(10 * time.Millisecond)
	}
}

// report shows the run, for those who ask with -v.
func (s *soak) report() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.t.Logf("%d calls", s.started.Load())
	for _, what := range slices.Sorted(maps.Keys(s.came)) {
		s.t.Logf("%7d %s", s.came[what], what)
	}
	for _, what := range slices.Sorted(maps.Keys(s.server.did)) {
		s.t.Logf("%7d served: %s", s.server.did[what], what)
	}
}

// checkLedger checks that each call ended once, and that none was sent again
// that must not be.
func (s *soak) checkLedger() {
	var ended int64
	for what, n := range s.came {
		if what == "response" || strings.HasPrefix(what, "error: ") {
			ended += n
		}
	}
	if started := s.started.Load(); started != ended || s.came["response"] == 0 {
		s.t.Errorf("%d calls, %d of which ended, %d with a response", started, ended, s.came["response"])
	}
	for id, did := range s.server.served {
		for _, before := range did[:len(did)-1] {
			if strings.HasPrefix(id, "POST ") && !strings.HasPrefix(before, "429") {
				s.t.Errorf("%s was sent again: %q", id, did)
			}
		}
	}
}

// idle reports whether nobody waits, and no call is under way.
func (s *soak) idle() bool {
	for _, b := range s.tr.Budgets() {
		if b.Waiting != 0 || b.InFlight != 0 {
			return false
		}
	}
	return true
}

// checkPermits checks that all permits are there: as many calls as there may be
// meet at each server that can bring them together. After a refusal, where
// one call at a time may go, it may.
func (s *soak) checkPermits() {
	if err := s.tr.SetLimits(nil); err != nil {
		s.t.Error(err)
	}
	for _, url := range s.server.urls[:2] {
		s.tr.Reset(url[strings.Index(url, "//")+2:])
		s.server.meet, s.server.met = make(chan struct{}), 0
		var wg sync.WaitGroup
		for range soakConcurrent {
			wg.Go(func() {
				if !s.goes(fmt.Sprintf("%s/together?%d", url, soakConcurrent)) {
					s.t.Errorf("%s: %d calls do not go at the same time", url, soakConcurrent)
				}
			})
		}
		wg.Wait()
		eventually(s.t, func() bool { return s.goes(url + "/twice") })
	}
}

// goes reports whether a call is answered with 200.
func (s *soak) goes(url string) bool {
	ctx, cancel := context.WithTimeout(s.t.Context(), 20*time.Second)
	defer cancel()
	req := get(s.t, url).WithContext(ctx)
	req.Header.Set("X-Call", url)
	resp, err := s.tr.RoundTrip(req)
	if err != nil {
		return false
	}
	_ = resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// eventuallyAfter is eventually from the given instant on.
func eventuallyAfter(t *testing.T, at time.Time, ok func() bool) {
	t.Helper()
	for time.Now().Before(at) && !ok() {
		<-time.After(10 * time.Millisecond)
	}
	eventually(t, ok)
}

// A budget of which nobody knows any more is let go: no timer holds it, though
// its cool-down and the waits on it would have gone on for an hour.
func TestNoTimerHoldsABudget(t *testing.T) {
	key := abandoned(t)
	eventually(t, func() bool {
		runtime.GC()
		return key.Value() == nil
	})
}

// abandoned leaves a Transport behind, and returns a pointer to the key of its
// one budget.
func abandoned(t *testing.T) weak.Pointer[byte] {
	key := strings.Repeat("the key of a budget", 10)
	tr := &transport.Transport{
		Base: newScript(answer(429, "", "Retry-After", "3600")), MaxWait: -1,
		Key: func(*http.Request) string { return key },
	}
	var wg sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	for range 10 {
		wg.Go(func() {
			if resp, err := tr.RoundTrip(get(t, api).WithContext(ctx)); err == nil {
				t.Errorf("status %d, want a call that waits", resp.StatusCode)
			}
		})
	}
	waiting := func() bool { b := tr.Budgets(); return len(b) == 1 && b[0].Waiting == 10 }
	eventually(t, waiting)
	cancel()
	wg.Wait()
	return weak.Make(unsafe.StringData(key))
}
