package redisstore

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway/throttle"
	"github.com/redis/go-redis/v9"
)

// A step is a question, when it was put, and what Memory answered.
type step struct {
	at  int64
	ask throttle.Ask
	ans throttle.Answer
}

// The script and the store in memory give the same answers to the same
// questions at the same instants, to the microsecond.
func TestScriptDoesWhatMemoryDoes(t *testing.T) {
	server := startRedis(t)
	s, _ := open(t, server.Addr)
	const clock = "redis.call('TIME')"
	if strings.Count(askSource, clock) != 1 {
		t.Fatalf("ask.lua has no %s", clock)
	}
	s.script = redis.NewScript(strings.Replace(askSource, clock, "{0, redis.call('GET', 'clock')}", 1))
	for seed := range uint64(20) {
		s.Prefix = fmt.Sprint(seed, ":")
		for i, step := range memorySteps(t, seed) {
			if err := s.Client.Set(t.Context(), "clock", step.at, 0).Err(); err != nil {
				t.Fatal(err)
			}
			got, err := s.ask(t.Context(), &step.ask)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, step.ans) {
				t.Fatalf("seed %d, step %d: %+v\nRedis  %+v\nMemory %+v", seed, i, step.ask, got, step.ans)
			}
		}
	}
}

// memorySteps plays two budgets that hold one key, at random, for some minutes.
func memorySteps(t *testing.T, seed uint64) (steps []step) {
	synctest.Test(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(seed, 0))
		var store throttle.Memory
		players := []*player{newPlayer(1), newPlayer(2)}
		for range 300 {
			time.Sleep(micros(r.Int64N(1 << r.IntN(25))))
			p := players[r.IntN(2)]
			a := p.ask(r)
			ans, err := store.Ask(t.Context(), a)
			if err != nil {
				t.Fatal(err)
			}
			p.hear(&a, &ans)
			// A token is where a lease ends, on the clock of the store.
			at := ans.Leases[0].Token - ans.Leases[0].End.Microseconds()
			steps = append(steps, step{at, a, ans})
		}
	})
	return steps
}

// A player asks what a budget might ask.
type player struct {
	from   uint64
	epoch  int64
	limits []throttle.Want // with what is known of each
	last   []throttle.Lease
}

func newPlayer(from uint64) *player {
	return &player{
		from: from,
		limits: []throttle.Want{
			{Name: "a", Interval: 2 * time.Millisecond, Window: 100 * time.Millisecond},
			{Name: "b", Interval: time.Second, Window: 5 * time.Second},
			{Name: "a", Interval: 333_334 * time.Microsecond, Window: 333_334 * time.Microsecond},
		},
		last: make([]throttle.Lease, 3),
	}
}

func (p *player) ask(r *rand.Rand) throttle.Ask {
	a := throttle.Ask{Key: "k", From: p.from, Epoch: p.epoch, Horizon: micros(r.Int64N(1 << r.IntN(25)))}
	switch r.IntN(30) {
	case 0:
		a.CoolDown = micros(r.Int64N(3_000_000))
	case 1:
		a.CoolDown = -1
	}
	takes := r.IntN(4) > 0
	for i, w := range p.limits[:1+r.IntN(3)] {
		w.New = w.Window - w.Interval + micros(r.Int64N(1000))
		if takes {
			w.First = w.Interval * time.Duration(1+r.IntN(2))
			w.Take = w.First * time.Duration(1+r.IntN(5))
			w.Ahead = micros(r.Int64N(20_000))
		}
		if l := p.last[i]; l.End > l.Start && r.IntN(4) == 0 {
			w.Back, w.BackTo = (l.End-l.Start).Truncate(2*time.Microsecond)/2, l.Token
		}
		if r.IntN(3) == 0 {
			lo := w.Window - w.Interval*time.Duration(r.IntN(8))
			w.Seen = &throttle.Bounds{Lo: lo, Hi: lo + micros(r.Int64N(w.Window.Microseconds()))}
		}
		if r.IntN(5) == 0 {
			w.Debt = micros(r.Int64N(w.Window.Microseconds()) - w.Window.Microseconds()/2)
		}
		if i == 1 {
			w.Policy = &throttle.Policy{Name: "b", Limit: 1, Window: time.Second, Burst: 5, Remaining: -1, Reset: -1}
		}
		a.Wants = append(a.Wants, w)
	}
	return a
}

func (p *player) hear(a *throttle.Ask, ans *throttle.Answer) {
	p.epoch = ans.Epoch
	for i, l := range ans.Leases {
		p.last[i] = l
		if l.End > l.Start {
			p.limits[i].Known = l.Token
		}
		if a.Wants[i].Back > 0 {
			p.limits[i].Known = 0 // it may have gone back
		}
	}
}
