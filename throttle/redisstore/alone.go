package redisstore

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/headway-go/headway/throttle"
)

// alone is the time without Redis. The slots come from a store in memory, in which
// each limit is divided by the number of processes.
type alone struct {
	memory throttle.Memory
	epoch  int64
	failed throttle.Ask // the question that Redis did not answer, without what it took

	mu     sync.Mutex
	asking bool
	next   time.Time // when to ask Redis again
}

// leave goes on alone, because of err.
func (s *Store) leave(a *throttle.Ask, err error) *alone {
	al := s.goAlone(a)
	if al.first() {
		s.tell(Event{Mode: Alone, Err: err})
	}
	return al
}

func (s *Store) goAlone(a *throttle.Ask) *alone {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.alone == nil {
		s.epochs++
		failed := throttle.Ask{Key: a.Key, From: a.From, Epoch: redisEpoch, Parties: a.Parties}
		for _, w := range a.Wants {
			failed.Wants = append(failed.Wants, throttle.Want{Name: w.Name, Interval: w.Interval, Window: w.Window})
		}
		s.alone = &alone{epoch: redisEpoch + s.epochs, failed: failed}
	}
	return s.alone
}

func (s *Store) tell(e Event) {
	if s.Observe != nil {
		s.Observe(e)
	}
}

// first reports whether it is asked for the first time, and then sets when Redis
// is asked again.
func (al *alone) first() bool {
	al.mu.Lock()
	defer al.mu.Unlock()
	if !al.next.IsZero() {
		return false
	}
	al.next = soon()
	return true
}

// soon is a second or two from now: not all processes are to ask at once.
func soon() time.Time { return time.Now().Add(time.Second + rand.N(time.Second)) }

// askAgain asks Redis, if it is time, in a goroutine that ends before long, so
// that nobody waits for it.
func (al *alone) askAgain(s *Store) {
	al.mu.Lock()
	defer al.mu.Unlock()
	if al.asking || time.Now().Before(al.next) {
		return
	}
	al.asking = true
	go al.try(s)
}

// try asks when to come back, waits for that, and puts the question that failed
// again. If the answer is late, Redis is too slow to be of use.
func (al *alone) try(s *Store) {
	defer al.tried()
	ctx, cancel := context.WithTimeout(context.Background(), lingering)
	defer cancel()
	wait, err := s.join(ctx, &al.failed)
	if err != nil {
		return
	}
	select {
	case <-time.After(wait):
	case <-ctx.Done():
		return
	}
	start := time.Now()
	if _, err := s.ask(ctx, &al.failed); err == nil && time.Since(start) <= s.timeout() {
		s.comeBack(al)
	}
}

func (al *alone) tried() {
	al.mu.Lock()
	defer al.mu.Unlock()
	al.asking, al.next = false, soon()
}

// comeBack ends the time alone.
func (s *Store) comeBack(al *alone) {
	s.mu.Lock()
	was := s.alone == al && al != nil
	if was {
		s.alone, s.backAt = nil, time.Now()
	}
	s.mu.Unlock()
	if was {
		s.tell(Event{Mode: Shared})
	}
}

// answer gives of the process's part of each limit.
func (al *alone) answer(ctx context.Context, s *Store, a throttle.Ask) throttle.Answer {
	n := s.parts(a.Parties)
	wants := a.Wants
	a.Wants = make([]throttle.Want, len(wants))
	for i, w := range wants {
		a.Wants[i] = part(w, n, a.Epoch == redisEpoch)
	}
	ans, _ := al.memory.Ask(ctx, a) // its error is always nil
	for i, w := range wants {
		ans.Leases[i] = whole(ans.Leases[i], w, a.Wants[i], n)
	}
	ans.Epoch, ans.Parties, ans.Policies = al.epoch, n, nil
	return ans
}

func (s *Store) parts(last int) int {
	switch {
	case s.Processes > 0:
		return s.Processes
	case last > 0:
		return last
	}
	return DefaultProcesses
}

// dearSpare is how much more a dear call may take than it costs: it has more than an
// instant to go in then, and what it does not use goes back.
const dearSpare = 25 * time.Millisecond

// part is the n-th part of what is wanted: of the rate, and of the burst. What is
// taken may all be used at once, so that it is no more than that burst.
//
// One that had slots from Redis just now begins with nothing, when those before it
// are used up, and at an instant at random: the others begin as well.
func part(w throttle.Want, n int, had bool) throttle.Want {
	interval := w.Interval * time.Duration(n)
	burst := max(1, int64(w.Window/w.Interval)/int64(n))
	p := throttle.Want{Name: w.Name, Interval: interval, Window: interval * time.Duration(burst)}
	p.New = p.Window - interval
	if !had {
		p.Back, p.BackTo = w.Back*time.Duration(n), w.BackTo
	} else {
		p.New += max(0, w.New+w.Interval-w.Window) + time.Duration(rand.Float64()*float64(interval))
	}
	if w.Take > 0 {
		most := max(w.First, w.Interval*time.Duration(burst))
		if w.First > w.Interval {
			most += dearSpare
		}
		p.Take = min(w.Take, most) * time.Duration(n)
		p.First = p.Take
	}
	return p
}

// whole is the lease of a part as one of the whole limit: its calls go one
// after the other as fast as that allows, once all of them may.
func whole(l throttle.Lease, w, p throttle.Want, n int) throttle.Lease {
	if l.End == l.Start {
		at := l.Start + p.Interval - p.Window + w.Window - w.Interval
		return throttle.Lease{Start: at, End: at, Token: l.Token}
	}
	due := max(0, l.Start+p.First-p.Window)
	start := due + w.Window - w.First
	return throttle.Lease{Start: start, End: start + p.Take/time.Duration(n), Token: l.Token}
}
