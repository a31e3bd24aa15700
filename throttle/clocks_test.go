package throttle

import (
	"math/rand/v2"
	"testing"
	"time"
)

// What is made of the answers is never before the question nor after the answer,
// and soon as near to the truth as the fastest ways allow, though others take a
// hundred times as long; also after the clock of the store was set.
func TestClocks(t *testing.T) {
	const ms, fastest, slowest = int64(time.Millisecond), int64(100 * time.Microsecond), int64(50 * time.Millisecond)
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var c clocks
		at, behind := r.Int64N(1e12), r.Int64N(1e18)
		for i := range 2000 {
			if i == 1000 {
				behind += (r.Int64N(2)*2 - 1) * 10_000 * ms
			}
			asked := at
			acted := asked + fastest + int64(r.ExpFloat64()*float64(slowest)/10)
			at = acted + fastest + int64(r.ExpFloat64()*float64(slowest)/10)
			got := c.acted((acted-behind)/int64(time.Microsecond), asked, at)
			if got < asked-int64(time.Microsecond) || got > at {
				t.Fatalf("acted at %d, want from %d to %d", got, asked, at)
			}
			if off := got - acted; i%1000 > 900 && max(off, -off) > ms/2 {
				t.Fatalf("after %d answers it is off by %v", i%1000, time.Duration(off))
			}
			at += ms
		}
	}
}
