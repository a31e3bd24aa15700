package throttle

import (
	"math"
	"testing"
	"time"
)

// Of ten a second a neighbour takes eight, for a minute, and we want five. Then he
// stops, and a minute later he is forgotten.
func TestOthers(t *testing.T) {
	start := time.Now()
	server := &toyBucket{rate: 10, size: 40, level: 40, at: start}
	b := &Budget{}
	heard, sum, mean := [3]int{}, 0.0, 0.0 // how often there was somebody else, in each minute
	const second = 40                      // steps; the last that he took is proven a second late at most
	for step := range 3 * 60 * second {
		at := start.Add(time.Duration(step) * 25 * time.Millisecond)
		minute := step / (60 * second)
		if step >= 120*second && step < 121*second {
			minute = 1
		}
		if minute == 0 && step%5 == 0 {
			server.take(at)
		}
		if step%8 != 0 {
			continue
		}
		ticket, _, ok := b.TryAt(at, Call{})
		if !ok {
			continue
		}
		said := []Policy{{Limit: 10, Window: time.Second, Burst: 40, Remaining: math.Floor(server.level), Reset: -1}}
		if server.take(at) {
			said[0].Remaining = math.Floor(server.level)
			ticket.AnsweredAt(at, said)
			ticket.SucceededAt(at)
		} else {
			ticket.RefusedAt(at, Refusal{Policies: said, Delay: func(int) time.Duration { return 0 }})
		}
		ticket.DoneAt(at)
		if rate, of := b.Others(); rate > 0 {
			heard[minute]++
			if sum += rate; of != (Limit{Rate: 10, Burst: 40}) {
				t.Fatalf("%v a second by others, of %+v", rate, of)
			}
		}
		if minute == 0 {
			mean = sum / float64(max(1, heard[0]))
		}
	}
	if heard[0] < 50 || heard[2] > 0 {
		t.Errorf("heard of others %v times in each minute", heard)
	}
	if mean < 5 || mean > 10 {
		t.Errorf("%.1f a second by others, want about 8", mean)
	}
}
