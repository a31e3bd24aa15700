//go:build unix

package redisstore

import (
	"context"
	"errors"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/headway-go/headway/throttle"
	"golang.org/x/time/rate"
)

// Redis dies, hangs or is out of reach, at the start or in mid-run: the process
// goes on with its part of the limit, and comes back by itself.
func TestAway(t *testing.T) {
	limit := throttle.Limit{Rate: rate.Every(5 * time.Millisecond), Burst: 8}
	for _, name := range []string{"dies", "hangs", "is a black hole"} {
		for _, atStart := range []bool{false, true} {
			when := " in mid-run"
			if atStart {
				when = " at the start"
			}
			t.Run(name+when, func(t *testing.T) {
				t.Parallel()
				addr, away, back := breakable(t, name)
				s, events := open(t, addr)
				s.Processes = 4
				ctx, cancel := context.WithCancel(t.Context())
				var wg sync.WaitGroup
				defer wg.Wait()
				defer cancel()
				if atStart {
					away()
				}
				c := call(ctx, t, &wg, budget(t, s, "k", limit))
				if !atStart {
					c.calls(t, 20)
					away()
				}
				e := next(t, events, Alone)
				if !errors.Is(e.Err, ErrUnavailable) {
					t.Errorf("alone because of %v, want ErrUnavailable", e.Err)
				}
				if !atStart {
					c.calls(t, 45) // so much may be left of what was leased before
				}
				c.keeps(t, 25, limit, s.Processes)
				back()
				next(t, events, Shared)
				if s.Mode() != Shared {
					t.Errorf("mode %s after the event", s.Mode())
				}
				c.calls(t, 40)
				cancel()
				wg.Wait()
				if n := c.most(100 * time.Millisecond); n > limit.Burst+20 {
					t.Errorf("%d calls in 100 ms, the limit allows 28", n)
				}
			})
		}
	}
}

// keeps checks that the next n calls keep to a part of the limit.
func (c *caller) keeps(t *testing.T, n int, limit throttle.Limit, parts int) {
	t.Helper()
	first := c.count()
	c.calls(t, n)
	c.mu.Lock()
	defer c.mu.Unlock()
	each := time.Duration(float64(parts) * float64(time.Second) / float64(limit.Rate))
	took, least := c.at[first+n-1].Sub(c.at[first]), time.Duration(n-1-max(1, limit.Burst/parts))*each
	if took < least {
		t.Errorf("%d calls in %v, the %dth part of the limit allows them in %v", n, took, parts, least)
	}
}

// breakable runs a Redis, and returns how to take it away and bring it back.
func breakable(t *testing.T, how string) (addr string, away, back func()) {
	t.Helper()
	server := startRedis(t)
	must := func(err error) {
		if err != nil {
			t.Error(err)
		}
	}
	switch how {
	case "dies":
		return server.Addr, server.Kill, func() { must(server.Run(t.Context())) }
	case "hangs":
		return server.Addr, func() { must(server.Pause()) }, func() { must(server.Resume()) }
	}
	p := startProxy(t, server.Addr)
	return p.addr(), func() { p.set(func() { p.hole = true }) }, func() { p.set(func() { p.hole = false }) }
}

// A slow Redis is no reason to go on alone.
func TestSlow(t *testing.T) {
	t.Parallel()
	p := startProxy(t, startRedis(t).Addr)
	s, events := open(t, p.addr())
	if err := s.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.set(func() { p.delay = 50 * time.Millisecond })
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	c := call(ctx, t, &wg, budget(t, s, "k", throttle.Limit{Rate: 500, Burst: 50}))
	c.calls(t, 400)
	cancel()
	wg.Wait()
	if n := c.most(100 * time.Millisecond); n > 100 {
		t.Errorf("%d calls in 100 ms, the limit allows 100", n)
	}
	if len(events) > 0 {
		t.Errorf("a slow Redis: %+v", <-events)
	}
}

// What Redis had is gone when it restarts. Nobody takes that for a full bucket.
func TestRestartsEmpty(t *testing.T) {
	t.Parallel()
	server := startRedis(t)
	s, events := open(t, server.Addr)
	s.script = trusting(t)
	b := budget(t, s, "k", throttle.Limit{Rate: rate.Every(time.Hour), Burst: 10})
	for range 3 {
		if !goes(t, b) {
			t.Fatal("a call of the burst does not go")
		}
	}
	server.Kill()
	if goes(t, b) {
		t.Error("a call goes when Redis is down and there is one an hour, in parts")
	}
	next(t, events, Alone)
	if err := server.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for s.Mode() != Shared {
		goes(t, b)
	}
	next(t, events, Shared)
	went := 0
	for range 5 {
		if goes(t, b) {
			went++
		}
	}
	if went > 1 {
		t.Errorf("%d calls went after the restart, want 1 at most", went)
	}
}

// A replica that takes the place of its master takes writes only once it is
// told so.
func TestFailover(t *testing.T) {
	t.Parallel()
	master, replica := startRedis(t), startRedis(t)
	m, _ := open(t, master.Addr)
	r, _ := open(t, replica.Addr)
	host, port, err := net.SplitHostPort(master.Addr)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Client.SlaveOf(t.Context(), host, port).Err(); err != nil {
		t.Fatal(err)
	}
	for n := int64(0); n == 0; { // until the replica follows
		if n, err = m.Client.Do(t.Context(), "WAIT", 1, 1000).Int64(); err != nil {
			t.Fatal(err)
		}
	}
	p := startProxy(t, master.Addr)
	s, events := open(t, p.addr())
	limit := throttle.Limit{Rate: rate.Every(20 * time.Millisecond), Burst: 10}
	b := budget(t, s, "k", limit)
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	c := call(ctx, t, &wg, b)
	c.calls(t, 20)
	p.set(func() { p.target = replica.Addr })
	p.drop()
	master.Kill()
	next(t, events, Alone) // because of the connection, or of the replica
	c.calls(t, 2)
	if err := s.Check(t.Context()); !errors.Is(err, ErrReadOnly) {
		t.Errorf("Check of a replica: %v, want ErrReadOnly", err)
	}
	if s.Mode() != Alone {
		t.Error("a replica is taken for a master")
	}
	if err := r.Client.SlaveOf(t.Context(), "NO", "ONE").Err(); err != nil {
		t.Fatal(err)
	}
	next(t, events, Shared)
	c.calls(t, 20)
	cancel()
	wg.Wait()
	if n := c.most(200 * time.Millisecond); n > limit.Burst+10 {
		t.Errorf("%d calls in 200 ms, the limit allows 20", n)
	}
}
