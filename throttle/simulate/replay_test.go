package simulate

import (
	"errors"
	"math"
	"testing"
	"time"
)

// document is the worked example: a bucket of 5, one a second.
var document = []Arrival{
	{0, 1}, {100 * ms, 1}, {200 * ms, 1}, {300 * ms, 1}, {400 * ms, 1}, {500 * ms, 1},
	{1500 * ms, 1}, {2000 * ms, 1}, {2100 * ms, 1}, {2200 * ms, 1}, {5000 * ms, 1},
}

// 8 of 11 are allowed; the one at 0.5 s finds half a token and may come again
// at 1 s. A GCRA of the same rate and burst says the same.
func TestReplayOfTheDocument(t *testing.T) {
	want := []struct {
		before, left float64
		retry        time.Duration
	}{
		{5, 4, 0}, {4.1, 3.1, 100 * ms}, {3.2, 2.2, 200 * ms}, {2.3, 1.3, 300 * ms}, {1.4, 0.4, 400 * ms},
		{0.5, 0.5, sec}, {1.5, 0.5, 1500 * ms}, {1, 0, 2 * sec}, {0.1, 0.1, 3 * sec}, {0.2, 0.2, 3 * sec}, {3, 2, 5 * sec},
	}
	for _, s := range []Server{must(NewTokenBucket(per(1, sec), 5)), must(NewGCRA(sec, 4*sec))} {
		i := 0
		for step, err := range Replay(s, List(document).All()) {
			w := want[i]
			if err != nil || step.Arrival != document[i] || step.Admitted != (w.retry == step.At) ||
				step.RetryAt != w.retry || math.Abs(step.Before-w.before) > 1e-9 || math.Abs(step.Left-w.left) > 1e-9 {
				t.Errorf("%T, step %d: %+v, %v; want %+v", s, i, step, err, w)
			}
			i++
		}
		if i != len(document) {
			t.Errorf("%d steps, want %d", i, len(document))
		}
	}
	sum := must(Run(must(NewTokenBucket(per(1, sec), 5)), List(document).All()))
	if sum.Allowed != 8 || sum.Refused != 3 || sum.LargestBurst() != 5 || sum.Rate() != 1.6 || sum.First != 0 || sum.Last != 5*sec {
		t.Errorf("summary %+v, rate %v, burst %d", sum, sum.Rate(), sum.LargestBurst())
	}
}

// A bad entry is named, and what came before it still counts.
func TestReplayErrors(t *testing.T) {
	for _, tt := range []struct {
		bad   Arrival
		field string
	}{
		{Arrival{sec - 1, 1}, "at"}, {Arrival{-1, 1}, "at"}, {Arrival{Horizon + 1, 1}, "at"},
		{Arrival{sec, 0}, "cost"}, {Arrival{sec, -1}, "cost"},
	} {
		sum, err := Run(must(NewGCRA(sec, sec)), List([]Arrival{{0, 1}, {sec, 1}, tt.bad, {2 * sec, 1}}).All())
		ae, ok := errors.AsType[*ArrivalError](err)
		if !ok || ae.Index != 2 || ae.Field != tt.field || ae.Arrival != tt.bad || sum.Allowed != 2 {
			t.Errorf("%+v: %v after %d, want entry 2, field %s", tt.bad, err, sum.Allowed, tt.field)
		}
	}
	_, err := Run(must(NewGCRA(sec, sec)), List([]Arrival{{sec, 1}, {0, 1}}).All())
	if want := "simulate: arrival 1: at of 0s costing 1, want not before 1s"; err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
}

// The loop over a replay may end early, and nothing at all is no error.
func TestReplayStops(t *testing.T) {
	n := 0
	for _, err := range Replay(must(NewGCRA(sec, sec)), Batch(0, 1_000_000_000).All()) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n == 3 {
			break
		}
	}
	if n != 3 {
		t.Errorf("%d steps, want 3", n)
	}
	if sum, err := Run(must(NewGCRA(sec, sec)), List(nil).All()); err != nil || sum.Rate() != 0 || sum.LargestBurst() != 0 {
		t.Errorf("nothing: %+v, %v", sum, err)
	}
}

// A replay allocates a fixed amount, not one for each arrival.
func TestReplayAllocations(t *testing.T) {
	g := must(NewGCRA(ms, 10*ms))
	allocs := testing.AllocsPerRun(10, func() {
		if _, err := Run(g, Bursts(3, ms, 10*sec).All()); err != nil {
			t.Fatal(err)
		}
	})
	if allocs > 30 {
		t.Errorf("30,000 arrivals took %v allocations", allocs)
	}
}

// What is replayed is random, bunched, or out of order; a summary adds up.
func FuzzReplay(f *testing.F) {
	f.Add(int64(0), int64(1), int64(sec), int64(2))
	f.Add(int64(5), int64(1), int64(3), int64(math.MaxInt64))
	f.Fuzz(func(t *testing.T, at1, cost1, at2, cost2 int64) {
		list := []Arrival{{time.Duration(at1), cost1}, {time.Duration(at2), cost2}}
		sum, err := Run(must(NewTokenBucket(per(1, sec), 5)), List(list).All())
		good := int64(0)
		for i, last := 0, time.Duration(0); i < 2 && list[i].Cost > 0 && list[i].At >= last && list[i].At <= Horizon; i++ {
			good++
			last = list[i].At
		}
		if sum.Allowed+sum.Refused != good || (err == nil) != (good == 2) || sum.LargestBurst() > 10 {
			t.Errorf("%v: %+v, %v; want %d arrivals", list, sum, err, good)
		}
	})
}

func BenchmarkReplay(b *testing.B) {
	const n = 1_000_000
	list := make([]Arrival, n)
	r := NewRand(1, 1)
	for i := range list {
		list[i] = Arrival{time.Duration(i)*ms + time.Duration(r.Int64N(int64(ms))), 1}
	}
	for _, m := range []struct {
		name string
		make func() Server
	}{
		{"GCRA", func() Server { return must(NewGCRA(2*ms, 20*ms)) }},
		{"tokenbucket", func() Server { return must(NewTokenBucket(per(500, sec), 10)) }},
		{"fixedwindow", func() Server { return must(NewFixedWindow(per(500, sec), 0)) }},
		{"slidinglog", func() Server { return must(NewSlidingLog(per(500, sec))) }},
		{"slidingcounter", func() Server { return must(NewSlidingCounter(per(500, sec))) }},
	} {
		b.Run(m.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Run(m.make(), List(list).All()); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)*n/b.Elapsed().Seconds()/1e6, "Marrivals/s")
		})
	}
}
