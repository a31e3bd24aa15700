package tune

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/headway-go/headway/throttle/tune/accesslog"
)

// The functions whose names begin with doc are what the method is described by,
// a script in Python, written in Go as literally as can be: times are in
// milliseconds, and fractions of them.

const docGap = 500.0

func docClusters(timestamps []float64) (sizes []int) {
	current, last, began := 0, 0.0, false
	slices.Sort(timestamps)
	for _, t := range timestamps {
		if began && t-last > docGap {
			sizes = append(sizes, current)
			current = 0
		}
		current++
		last, began = t, true
	}
	if current > 0 {
		sizes = append(sizes, current)
	}
	return sizes
}

func docPercentile(values []int, p float64) int {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[min(len(values)-1, int(math.RoundToEven(p/100*float64(len(values)-1))))]
}

func docRecommend(trace map[string][]float64, limit, period float64) (p99, burst int, interval, tau float64) {
	var all []int
	for _, stamps := range trace {
		all = append(all, docClusters(stamps)...)
	}
	p99 = docPercentile(all, 99)
	burst = int(math.Ceil(float64(p99) * 1.2))
	interval = period / limit
	return p99, burst, interval, float64(burst) * interval
}

func docSimulate(trace []float64, limit, period float64, burst int) (admitted, denied int, worst float64) {
	interval := period / limit
	tau := float64(burst) * interval
	tat := 0.0
	for _, now := range trace {
		if now < tat-tau {
			denied++
			worst = max(worst, (tat-tau)-now)
		} else {
			tat = max(now, tat) + interval
			admitted++
		}
	}
	return admitted, denied, worst
}

// measure gives all calls of a trace to a Tuner, in the order of their times,
// and those at one time in that of the names.
func measure(t *testing.T, trace map[string][]float64, o Options) *Report {
	t.Helper()
	tuner, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	var entries []accesslog.Entry
	for _, name := range slices.Sorted(maps.Keys(trace)) {
		for _, ms := range trace[name] {
			entries = append(entries, accesslog.Entry{At: at(ms), Client: []byte(name)})
		}
	}
	slices.SortStableFunc(entries, func(a, b accesslog.Entry) int { return a.At.Compare(b.At) })
	for i := range entries {
		tuner.Add(&entries[i])
	}
	report, err := tuner.Report()
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func at(ms float64) time.Time { return time.Unix(0, int64(ms*1e6)) }

// compare fails if a report is another than that of the script. The limit has to
// have a T that is exact in milliseconds.
func compare(t *testing.T, trace map[string][]float64, limit int64, window time.Duration) (compared bool) {
	t.Helper()
	r := measure(t, trace, Options{Limit: Limit{limit, window}, Candidates: []int64{50, 4096}})
	l, period := float64(limit), float64(window/time.Millisecond)
	p99, burst, interval, tau := docRecommend(trace, l, period)
	all := &r.All
	if r.NumLoops > 0 {
		return false // the script does not know what that is
	}
	if got := all.Clusters.Percentile; got != int64(p99) {
		t.Errorf("p99 is %d, want %d", got, p99)
	}
	if got := burstOf(withHeadroom(all.Clusters.Percentile), all.Limit); got.TauOverT != int64(burst) || got.BackToBack != int64(burst)+1 ||
		inMs(got.Tolerance) != tau || math.Abs(got.Share-tau/period) > 1e-12 {
		t.Errorf("advised %+v, want τ/T = %d, τ = %v ms", got, burst, tau)
	}
	if got := inMs(Span(all.Limit.Interval())); got != interval {
		t.Errorf("T = %v ms, want %v", got, interval)
	}
	for b := range 60 {
		denied, calls, worst := 0, 0, 0.0
		for _, stamps := range trace {
			ok, no, wait := docSimulate(stamps, l, period, b)
			denied, calls, worst = denied+no, calls+ok+no, max(worst, wait)
		}
		got := all.At(int64(b))
		if got.TauOverT != int64(b) && got.Rejected > 0 && b <= 32 {
			t.Fatalf("τ/T = %d is missing", b)
		}
		if got.TauOverT != int64(b) && got.Rejected > 0 {
			continue // it is no candidate
		}
		if got.Rejected != int64(denied) || got.Rate != float64(denied)/float64(calls) || denied > 0 && inMs(got.WorstWait) != worst {
			t.Errorf("τ/T = %d: %d rejected, %v, at worst %v; want %d of %d, %v ms", b, got.Rejected, got.Rate, got.WorstWait, denied, calls, worst)
		}
	}
	return true
}

func inMs(s Span) float64 { return float64(s) / 1e6 }

// randomTrace has clients that call in clusters, of which some are too fast.
func randomTrace(rnd *rand.Rand) map[string][]float64 {
	trace := map[string][]float64{}
	for i := range 1 + rnd.IntN(8) {
		now := float64(rnd.IntN(10_000))
		pause := 1 + rnd.IntN(20_000)
		var stamps []float64
		for range rnd.IntN(60) {
			now += float64(rnd.IntN(pause))
			for range 1 + rnd.IntN(14) {
				stamps = append(stamps, now)
				now += float64(rnd.IntN(505)) // at times just more than the gap
			}
		}
		if len(stamps) > 0 {
			trace[fmt.Sprint("client", i)] = stamps
		}
	}
	return trace
}

func TestScript(t *testing.T) {
	limits := []Limit{{60, time.Minute}, {5, time.Second}, {1, time.Hour}, {1000, time.Second}, {40, time.Minute}, {3, 300 * time.Millisecond}}
	compared := 0
	for seed := range uint64(150) {
		rnd := rand.New(rand.NewPCG(seed, 6))
		trace := randomTrace(rnd)
		if len(trace) == 0 {
			continue
		}
		l := limits[rnd.IntN(len(limits))]
		if compare(t, trace, l.Count, l.Window) {
			compared++
		}
		if t.Failed() {
			t.Fatalf("seed %d, limit %v", seed, l)
		}
	}
	if compared < 120 {
		t.Errorf("only %d traces were compared", compared)
	}
}

// FuzzScript takes the pauses between calls from the input.
func FuzzScript(f *testing.F) {
	f.Add([]byte{0, 0, 0, 0, 0, 0, 1, 244, 1, 245}, uint8(59))
	f.Add(make([]byte, 200), uint8(0))
	f.Fuzz(func(t *testing.T, pauses []byte, limit uint8) {
		trace := map[string][]float64{}
		now := [2]float64{}
		for i := 0; i+1 < len(pauses); i += 2 {
			who := int(pauses[i]) & 1
			now[who] += float64(binary.BigEndian.Uint16(pauses[i:]) & 0x1fff)
			name := fmt.Sprint("client", who)
			trace[name] = append(trace[name], now[who])
		}
		if len(trace) > 0 {
			n := int64(limit) + 1
			compare(t, trace, n, time.Duration(n)*250*time.Millisecond)
		}
	})
}

// The rank is rounded half to even, as in Python.
func TestPercentile(t *testing.T) {
	for n := range 400 {
		values, counted := []int{}, sizes{}
		for i := range n {
			size := i * i % 37
			values = append(values, size)
			counted[int64(size)]++
		}
		for _, p := range []float64{0.1, 1, 25, 50, 90, 95, 99, 99.9, 100} {
			if got, want := counted.percentile(p), docPercentile(values, p); got != int64(want) {
				t.Fatalf("of %d values the %v. percentile is %d, want %d", n, p, got, want)
			}
		}
	}
	for _, tt := range []struct {
		n    int
		want int64
	}{{51, 50}, {151, 148}, {251, 248}} { // ranks 49.5, 148.5 and 247.5
		counted := sizes{}
		for i := range tt.n {
			counted[int64(i)]++
		}
		if got := counted.percentile(99); got != tt.want {
			t.Errorf("of %d values p99 is at rank %d, want %d", tt.n, got, tt.want)
		}
	}
}

// ⌈x × 1.2⌉ in whole numbers is what it is in floating point, as far as that is
// exact.
func TestHeadroom(t *testing.T) {
	for size := range int64(100_000) {
		if got, want := withHeadroom(size), int64(math.Ceil(float64(size)*1.2)); got != want {
			t.Fatalf("%d with headroom is %d, want %d", size, got, want)
		}
	}
	if got := withHeadroom(math.MaxInt64); got < 0 {
		t.Errorf("the largest number with headroom is %d", got)
	}
}
