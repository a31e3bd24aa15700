package transport_test

import (
	"fmt"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway/transport"
)

// A caller makes calls of its own, one after the other.
type caller struct {
	calls  int
	pause  time.Duration
	method string
	url    func(i int) string
}

func same(int) string { return "http://api.example.com/v1/status?id=7" }

// What is made again right after it ended is a loop, however long it takes and
// however often others do the same. What pauses, or is not the same, is none.
func TestLoopIsTold(t *testing.T) {
	one := func(c caller) []caller { return []caller{c} }
	many := func(n int, c caller) (all []caller) {
		for range n {
			all = append(all, c)
		}
		return all
	}
	for _, tt := range []struct {
		name    string
		rtt     time.Duration
		limits  transport.Limits
		callers []caller
		want    []float64 // the rate at the hundredth call, and at the thousandth
	}{
		{"a loop", 200 * time.Millisecond, nil, one(caller{calls: 1200, url: same}), []float64{5, 5}},
		{"one that is paced", 20 * time.Millisecond, transport.Limits{"/": {{Rate: 2}}}, one(caller{calls: 150, url: same}), []float64{2}},
		{"a short one", 200 * time.Millisecond, nil, one(caller{calls: 99, url: same}), nil},
		{"one with a pause", 200 * time.Millisecond, nil, one(caller{calls: 500, pause: 100 * time.Millisecond, url: same}), nil},
		{"pages", 200 * time.Millisecond, nil, one(caller{calls: 500, url: func(i int) string { return fmt.Sprint(same(i), "&page=", i) }}), nil},
		{"long polls", 30 * time.Second, nil, one(caller{calls: 500, url: same}), nil},
		{"several loops", 200 * time.Millisecond, nil, many(5, caller{calls: 40, url: same}), []float64{25}},
		{"several that poll", 2 * time.Second, nil, many(5, caller{calls: 200, pause: 3 * time.Second, url: same}), nil},
		{"a loop among others", 200 * time.Millisecond, nil, append(
			many(5, caller{calls: 10, pause: 3 * time.Second, url: same}),
			caller{calls: 130, url: same},
		), []float64{5}},
		{"a loop among many others", 200 * time.Millisecond, nil, append(
			many(5, caller{calls: 1000, url: func(i int) string { return fmt.Sprint("http://api.example.com/", i) }}),
			caller{calls: 130, method: "DELETE", url: same},
		), []float64{5}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				log := &eventLog{}
				tr := &transport.Transport{
					Base: slowBase{newScript(answer(200, "")), tt.rtt}, Observe: log.observe, Limits: tt.limits,
				}
				var wg sync.WaitGroup
				for i, c := range tt.callers {
					wg.Go(func() { c.run(t, tr, time.Duration(i)*130*time.Millisecond) })
				}
				wg.Wait()
				told := log.of(transport.EventLoop)
				if len(told) != len(tt.want) {
					t.Fatalf("told of %+v, want %v", told, tt.want)
				}
				for i, e := range told {
					if e.Calls != []int{100, 1000}[i] || math.Abs(e.Rate/tt.want[i]-1) > 0.1 {
						t.Errorf("told of %d calls at %.1f a second, want %v", e.Calls, e.Rate, tt.want[i])
					}
				}
			})
		})
	}
}

func (c caller) run(t *testing.T, tr *transport.Transport, after time.Duration) {
	time.Sleep(after)
	for i := range c.calls {
		req := get(t, c.url(i))
		if c.method != "" {
			req.Method = c.method
		}
		do(t, tr, req)
		time.Sleep(c.pause)
	}
}

// Bodies of other lengths are other calls.
func TestUploadsAreNoLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &eventLog{}
		tr := &transport.Transport{Base: newScript(answer(200, "")), Observe: log.observe}
		for i := range 300 {
			do(t, tr, post(t, api, fmt.Sprintf("%*d", 1000+i%7, i)))
		}
		if told := log.of(transport.EventLoop); len(told) != 0 {
			t.Errorf("told of %+v", told)
		}
		for range 100 {
			do(t, tr, post(t, api, "again"))
		}
		if told := log.of(transport.EventLoop); len(told) != 1 || told[0].Key != "api.example.com" {
			t.Errorf("told of %+v", told)
		}
	})
}

// Nothing of the call is in the event but its key.
func TestLoopTellsNoSecret(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, out := &eventLog{}, &told{}
		tr := &transport.Transport{Base: newScript(answer(200, "")), Observe: log.observe}
		for range 100 {
			_, _ = attempt(tr, secretRequest(t.Context(), t, "GET"))
		}
		for _, e := range log.of(transport.EventLoop) {
			out.add("event", e)
		}
		if len(out.texts) != 1 {
			t.Errorf("%d events", len(out.texts))
		}
		wantNoSecret(t, out)
	})
}
