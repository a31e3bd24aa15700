package throttle_test

import (
	"testing"
	"testing/synctest"

	"github.com/headway-go/headway/throttle"
)

// How much is left, as the call found it.
func TestLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, tt := range []struct {
			limits []throttle.Limit
			want   []float64
		}{
			{nil, []float64{1, 1, 1}},
			{[]throttle.Limit{{Rate: 1, Burst: 4}}, []float64{1, 0.75, 0.5, 0.25, 0, 0}},
			{[]throttle.Limit{{Rate: 100, Burst: 4}, {Rate: 1, Burst: 2}}, []float64{1, 0.5, 0}},
		} {
			b := budget(t, tt.limits...)
			for i, want := range tt.want {
				ticket, err := b.Acquire(t.Context(), throttle.Call{})
				if err != nil {
					t.Fatal(err)
				}
				if got := ticket.Left(); got != want {
					t.Errorf("%v: call %d found %v left, want %v", tt.limits, i+1, got, want)
				}
			}
		}
	})
}
