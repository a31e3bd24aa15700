package throttle_test

import (
	"context"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/headway-go/headway/throttle"
)

// BenchmarkWaiters is what it costs to wait in a long queue, and to leave it
// when everybody gives up at once: what a waiter costs is to grow no faster than
// the logarithm of their number.
func BenchmarkWaiters(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			var queued, left time.Duration
			for b.Loop() {
				q, l := waitAndLeave(b, n)
				queued += q
				left += l
			}
			each := func(d time.Duration) float64 { return float64(d) / float64(b.N) / float64(n) }
			b.ReportMetric(each(queued), "ns/queued")
			b.ReportMetric(each(left), "ns/cancelled")
			b.ReportMetric(0, "ns/op")
		})
	}
}

func waitAndLeave(b *testing.B, n int) (queued, left time.Duration) {
	var budget throttle.Budget
	budget.SetMaxQueue(n)
	budget.CoolDown(time.Now().Add(time.Hour))
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	start := time.Now()
	for range n {
		wg.Go(func() {
			if budget.Wait(ctx) == nil {
				b.Error("a call went in the cool-down")
			}
		})
	}
	for budget.State().Waiting < n {
		runtime.Gosched()
	}
	queued = time.Since(start)
	start = time.Now()
	cancel()
	wg.Wait()
	left = time.Since(start)
	if w := budget.State().Waiting; w != 0 {
		b.Fatalf("%d wait still", w)
	}
	return queued, left
}

// BenchmarkKeys is what a key costs in memory, and how long it takes to find
// one among a million that have a limit each.
func BenchmarkKeys(b *testing.B) {
	const n = 1_000_000
	names := make([]string, n)
	for i := range names {
		names[i] = "tenant-" + strconv.Itoa(i) + ".example.com"
	}
	before := heap()
	keys := throttle.Keyed{Max: n, New: func(string) *throttle.Budget {
		budget, _ := throttle.NewBudget(throttle.Limit{Rate: 1, Burst: 10})
		return budget
	}}
	for _, name := range names {
		keys.Budget(name).Allow()
	}
	size := float64(heap()-before) / n
	i := 0
	for b.Loop() {
		keys.Budget(names[i%n])
		i += 7919 // not one after the other, as they lie in memory
	}
	b.ReportMetric(size, "B/key")
	runtime.KeepAlive(&keys)
}

// BenchmarkNewKeys is what a key costs that was never asked for before, in a
// table that is full of idle ones.
func BenchmarkNewKeys(b *testing.B) {
	keys := throttle.Keyed{Max: 1000, New: func(string) *throttle.Budget {
		budget, _ := throttle.NewBudget(throttle.Limit{Rate: 1e9, Burst: 1})
		return budget
	}}
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n++
		keys.Budget(strconv.Itoa(n)).Allow()
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
