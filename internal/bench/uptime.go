package main

import (
	"time"

	"github.com/headway-go/headway/throttle"
)

// uptimes are calls on a schedule that is new, and on one that has been in use
// for long.
func uptimes() []row {
	return []row{{
		name: "uptime/answered calls", unit: "ns", open: aging, aim: aim{times: 1.1},
		about: "A call, and an answer that publishes a limit and what is left of it, in virtual time: on a new schedule, and after a million such calls over 11 days.",
	}}
}

func aging(b *bench) ([]contender, error) {
	fresh, old := newLife(), newLife()
	if err := repeat(b.size(1_000_000), old.call); err != nil {
		return nil, err
	}
	return []contender{
		loop("new", floor, func() error {
			if fresh.calls == 1000 {
				fresh = newLife()
			}
			return fresh.call()
		}),
		loop("11 days old", ours, old.call),
	}, nil
}

// A life is a budget with a clock of its own, on which a second passes between
// calls.
type life struct {
	budget throttle.Budget
	now    time.Time
	calls  int
}

func newLife() *life { return &life{now: time.Now()} }

var oftenEnough = []throttle.Policy{{Name: "default", Limit: 5000, Window: time.Hour, Remaining: 4999, Reset: time.Hour}}

func (l *life) call() error {
	l.calls++
	l.now = l.now.Add(time.Second)
	ticket, _, ok := l.budget.TryAt(l.now, throttle.Call{})
	if !ok {
		return errDecision
	}
	answered := l.now.Add(50 * time.Millisecond)
	ticket.AnsweredAt(answered, oftenEnough)
	ticket.SucceededAt(answered)
	ticket.DoneAt(answered)
	return nil
}
