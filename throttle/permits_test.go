package throttle

import (
	"testing"
	"time"
)

// A start is a budget that knows nothing of its server yet, and the calls that are
// under way.
type start struct {
	b      *Budget
	at     time.Time
	flying []*Ticket
}

func newStart() *start {
	s := &start{b: &Budget{}, at: time.Now()}
	s.b.Probe()
	return s
}

// send lets all go that may, a hundred at most, and returns how many are under way.
func (s *start) send() int {
	for len(s.flying) < 100 {
		t, _, ok := s.b.TryAt(s.at, Call{})
		if !ok {
			break
		}
		s.flying = append(s.flying, &t)
	}
	return len(s.flying)
}

// refuse has all that are under way refused, and waits until some may go again.
func (s *start) refuse() {
	for _, t := range s.flying {
		t.RefusedAt(s.at, Refusal{Delay: func(int) time.Duration { return time.Second / 10 }})
		t.DoneAt(s.at)
	}
	s.flying = nil
	_, s.at, _ = s.b.TryAt(s.at, Call{})
}

// answer has the n calls that went first let through.
func (s *start) answer(n int) {
	for _, t := range s.flying[:n] {
		t.AnsweredAt(s.at, nil)
		t.SucceededAt(s.at)
		t.DoneAt(s.at)
	}
	s.flying = s.flying[n:]
}

func (s *start) want(t *testing.T, when string, want int) {
	t.Helper()
	if got := s.send(); got != want {
		t.Errorf("%s: %d calls are under way, want %d", when, got, want)
	}
}

// A page that opens with nine calls is not delayed, nor is whoever makes no more than
// some forty. Then few are under way, so that few are refused by a bucket of 60, until
// it would have run dry. Then there are more with each answer, and soon all there is.
func TestStartIsCareful(t *testing.T) {
	s := newStart()
	s.want(t, "at first", coldCalls)
	for range coldOpen - coldCalls - 1 {
		s.answer(1)
		s.want(t, "before many went", coldCalls)
	}
	s.answer(coldCalls - coldFew)
	s.want(t, "after 47", coldFew+1) // the 48th goes, and then no more
	for range coldEnough - coldOpen + 1 {
		s.answer(1)
		s.want(t, "before enough went", coldFew)
	}
	s.answer(1)
	s.want(t, "after 64", coldFew+1)
	for n := coldFew + 1; n < 100; {
		s.answer(n)
		next := s.send()
		if next > 2*n && n < 2*coldCalls {
			t.Fatalf("%d calls are under way, after %d at a time", next, n)
		}
		if next <= n {
			t.Fatalf("no more than %d are", n)
		}
		n = next
	}
}

// Nobody waits for long: after a second and a half more go with each answer, and
// after another all that want to.
func TestStartEndsInTime(t *testing.T) {
	s := newStart()
	s.want(t, "at first", coldCalls)
	s.at = s.at.Add(1499 * time.Millisecond)
	s.answer(2)
	s.want(t, "before the ramp", coldCalls)
	s.at = s.at.Add(time.Millisecond)
	s.answer(2)
	s.want(t, "in the ramp", coldCalls+2)
	s.at = s.at.Add(time.Second - time.Nanosecond)
	s.want(t, "at its end", coldCalls+2)
	s.at = s.at.Add(time.Nanosecond)
	s.want(t, "after it", 100)
}

// While a refusal would make no reading, one call is under way: two would be
// refused together.
func TestOneCallIsUnderWayUntilARefusalCounts(t *testing.T) {
	s := newStart()
	s.send()
	s.answer(6)
	for range 20 {
		s.at = s.at.Add(20 * time.Millisecond)
		s.send()
		s.answer(1)
	}
	s.refuse()
	for range clockAlone {
		s.want(t, "after a refusal", 1)
		s.at = s.at.Add(time.Second)
		s.want(t, "a second later", 1)
		s.answer(1)
	}
	s.send()
	s.at = s.at.Add(time.Second)
	s.want(t, "after some that were let through", 2)
}

// After a refusal more and more go, in the time of the start as well.
func TestRefusalEndsTheStart(t *testing.T) {
	s := newStart()
	s.send()
	s.answer(2)
	s.refuse()
	for range 4 {
		s.send()
		s.answer(1)
	}
	s.want(t, "after four successes", 5)
}

// Few are those of the start, not the crowd that it grows to.
func TestFewAreNoCrowd(t *testing.T) {
	for cold, want := range map[int]bool{0: false, coldFew: true, coldCalls: true, coldCalls + 1: false} {
		if p := (permits{cold: cold}); p.few() != want {
			t.Errorf("at most %d: few is %v", cold, !want)
		}
	}
}
