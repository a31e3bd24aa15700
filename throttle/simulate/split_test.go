package simulate

import (
	"errors"
	"testing"
)

// refused once it comes in threes and ones.
func TestSplit(t *testing.T) {
	s := must(NewSplit(3, func() (Server, error) { return NewFixedWindow(per(2, sec), 0) }))
	for i, cost := range []int64{2, 1, 1, 1} {
		if want, got := i < 3, s.Peek(0, cost).Admitted; got != want || s.Arrive(0, cost).Admitted != want {
			t.Errorf("call %d: admitted %t, want %t", i, got, want)
		}
	}
	if s.Policy().Rate.Count != 2 {
		t.Errorf("policy %+v, want that of a share", s.Policy())
	}
	broken := errors.New("broken")
	if _, err := NewSplit(2, func() (Server, error) { return nil, broken }); !errors.Is(err, broken) {
		t.Errorf("got %v, want the error of share", err)
	}
}
