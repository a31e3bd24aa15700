package throttle_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway/throttle"
	"golang.org/x/time/rate"
)

// A halting store is slow to answer every other time, as when the process did not
// get a processor.
type halting struct {
	throttle.Memory
	asked atomic.Int64
}

func (s *halting) Ask(ctx context.Context, a throttle.Ask) (throttle.Answer, error) {
	ans, err := s.Memory.Ask(ctx, a)
	time.Sleep(time.Duration(1+49*(s.asked.Add(1)%2)) * time.Millisecond)
	return ans, err
}

// A slot that was too old to be used when the answer came goes back, if nobody has
// reserved behind it: where one comes an hour, its loss would cost the hour.
func TestSlotOfALateAnswerGoesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s halting
		limit := throttle.Limit{Rate: rate.Every(time.Hour), Burst: 4}
		a, b := shared(t, &s, limit), shared(t, &s, limit)
		for i, holder := range []*throttle.Budget{a, a, b, a} {
			if _, err := holder.Acquire(t.Context(), throttle.Call{MaxWait: time.Minute}); err != nil {
				t.Errorf("call %d of a burst of 4: %v", i+1, err)
			}
		}
		if _, err := b.Acquire(t.Context(), throttle.Call{MaxWait: time.Minute}); err == nil {
			t.Error("a fifth call went within the hour")
		}
		time.Sleep(time.Second) // the last question ends
	})
}

// It goes back even if the call that it was for is there no more, and so is of use
// to others.
func TestSlotOfACallThatGaveUpGoesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s halting
		limit := throttle.Limit{Rate: rate.Every(time.Hour), Burst: 2}
		a, b := shared(t, &s, limit), shared(t, &s, limit)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		if err := a.Wait(ctx); err == nil {
			t.Fatal("the answer was not late")
		}
		time.Sleep(time.Second)
		for i := range 2 {
			if _, err := b.Acquire(t.Context(), throttle.Call{MaxWait: time.Minute}); err != nil {
				t.Errorf("call %d of a burst of 2: %v", i+1, err)
			}
		}
		time.Sleep(time.Second)
	})
}
