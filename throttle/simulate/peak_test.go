package simulate

import (
	"testing"
	"time"
)

// Against counting every window that begins with an arrival.
func TestPeakIsTheFullestWindow(t *testing.T) {
	for i := range uint64(20) {
		p := Peak{Window: 300 * ms}
		all := randomArrivals(NewRand(11, i), 500, 50*ms)
		var want int64
		for i, a := range all {
			p.Add(a.At, a.Cost)
			var sum int64
			for _, b := range all[i:] {
				if b.At < a.At+300*ms {
					sum += b.Cost
				}
			}
			want = max(want, sum)
		}
		if got := p.Max(); got != want {
			t.Errorf("peak %d, want %d", got, want)
		}
	}
}

// A window is half-open, and a second unless it is set.
func TestPeakWindow(t *testing.T) {
	for _, tt := range []struct {
		window, apart time.Duration
		want          int64
	}{{0, sec, 1}, {0, sec - 1, 2}, {ms, ms, 1}, {-1, sec - 1, 2}} {
		p := Peak{Window: tt.window}
		p.Add(0, 1)
		p.Add(tt.apart, 1)
		if p.Max() != tt.want {
			t.Errorf("window %v, %v apart: %d, want %d", tt.window, tt.apart, p.Max(), tt.want)
		}
	}
}
