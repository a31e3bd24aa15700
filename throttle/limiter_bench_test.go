package throttle_test

import (
	"context"
	"math"
	"testing"

	"github.com/headway-go/headway/throttle"
	"golang.org/x/time/rate"
)

// waiting is what both limiters have in common.
type waiting interface {
	Wait(context.Context) error
	Allow() bool
}

// contenders never run out, so that nothing but the decision is measured.
func contenders() map[string]waiting {
	return map[string]waiting{
		"headway": throttle.NewLimiter(1e9, math.MaxInt32),
		"x_time":  rate.NewLimiter(1e9, math.MaxInt32),
	}
}

func BenchmarkWait(b *testing.B) {
	for name, lim := range contenders() {
		b.Run(name, func(b *testing.B) {
			ctx := context.Background()
			b.ReportAllocs()
			for b.Loop() {
				if err := lim.Wait(ctx); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkWaitContended(b *testing.B) {
	for name, lim := range contenders() {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if err := lim.Wait(context.Background()); err != nil {
						b.Error(err)
						return
					}
				}
			})
		})
	}
}

func BenchmarkAllowDenied(b *testing.B) {
	for name, lim := range map[string]waiting{
		"headway": throttle.NewLimiter(1e-6, 1),
		"x_time":  rate.NewLimiter(1e-6, 1),
	} {
		b.Run(name, func(b *testing.B) {
			lim.Allow()
			b.ReportAllocs()
			for b.Loop() {
				if lim.Allow() {
					b.Fatal("allowed")
				}
			}
		})
	}
}

// Two limits on one call take the mutex.
func BenchmarkTwoLimits(b *testing.B) {
	budget, err := throttle.NewBudget(
		throttle.Limit{Rate: 1e9, Burst: math.MaxInt32},
		throttle.Limit{Rate: 1e8, Burst: math.MaxInt32},
	)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := budget.Wait(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
