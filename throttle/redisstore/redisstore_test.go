package redisstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/headway-go/headway/throttle"
	"github.com/redis/go-redis/v9"
	"golang.org/x/time/rate"
)

// want is a limit of one call a second, of which k are taken.
func want(name string, k int) throttle.Want {
	return throttle.Want{
		Name: name, Interval: time.Second, Window: 10 * time.Second,
		Take: time.Duration(k) * time.Second, First: time.Second,
	}
}

func ask(t *testing.T, s *Store, a throttle.Ask) throttle.Answer {
	t.Helper()
	ans, err := s.ask(t.Context(), &a)
	if err != nil {
		t.Fatal(err)
	}
	return ans
}

// A limit that Redis does not know has one call, and the rest comes with time:
// it may be that Redis lost what it had.
func TestMissingKeyIsNoFullBucket(t *testing.T) {
	t.Parallel()
	s, _ := open(t, startRedis(t).Addr)
	ans := ask(t, s, throttle.Ask{Key: "k", From: 1, Horizon: time.Minute, Wants: []throttle.Want{want("a", 3)}})
	if got := ans.Leases[0]; got.Start != 9*time.Second || got.End != 12*time.Second {
		t.Errorf("lease %+v, want that from 9s to 12s: one call now, and one after each second", got)
	}
}

// Whoever lost the race to a slot is told at once how long it would take, and
// nothing is written.
func TestHorizon(t *testing.T) {
	t.Parallel()
	s, _ := open(t, startRedis(t).Addr)
	ask(t, s, throttle.Ask{Key: "k", From: 1, Horizon: time.Minute, Wants: []throttle.Want{want("a", 5)}})
	before := dump(t, s)
	ans := ask(t, s, throttle.Ask{Key: "k", From: 2, Epoch: redisEpoch, Horizon: time.Second, Wants: []throttle.Want{want("a", 1), want("b", 1)}})
	if ans.Wait < 3*time.Second || ans.Wait > 5*time.Second || ans.Leases[0].End != ans.Leases[0].Start {
		t.Errorf("answer %+v, want a wait of almost 5s", ans)
	}
	after := dump(t, s)
	for key, value := range before {
		if after[key] != value {
			t.Errorf("%s was %s, and is %s", key, value, after[key])
		}
	}
}

// dump is all that Redis holds, by key.
func dump(t *testing.T, s *Store) map[string]string {
	t.Helper()
	all := make(map[string]string)
	for _, key := range keysOf(t, s) {
		all[key] = s.Client.Dump(t.Context(), key).Val()
	}
	return all
}

func keysOf(t *testing.T, s *Store) []string {
	t.Helper()
	keys, err := s.Client.Keys(t.Context(), "*").Result()
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(keys)
	return keys
}

// A lease goes back as long as nobody has reserved behind it. One that does not,
// because its holder crashed, costs no more than itself.
func TestGiveBack(t *testing.T) {
	t.Parallel()
	s, _ := open(t, startRedis(t).Addr)
	take := func(from uint64, k int) throttle.Lease {
		return ask(t, s, throttle.Ask{Key: "k", From: from, Epoch: redisEpoch, Horizon: time.Hour, Wants: []throttle.Want{want("a", k)}}).Leases[0]
	}
	back := func(l throttle.Lease, k int) throttle.Lease {
		w := want("a", 0)
		w.Back, w.BackTo = time.Duration(k)*time.Second, l.Token
		return ask(t, s, throttle.Ask{Key: "k", From: 1, Epoch: redisEpoch, Wants: []throttle.Want{w}}).Leases[0]
	}
	a := take(1, 5)
	if got := back(a, 3).Token; got != a.Token-3e6 {
		t.Errorf("TAT %d after 3 of 5 went back, want %d", got, a.Token-3e6)
	}
	if got := back(a, 3).Token; got != a.Token-3e6 {
		t.Errorf("they went back twice")
	}
	b := take(1, 5) // and this one is lost
	c := take(2, 1)
	if got := c.Token - b.Token; got != 1e6 {
		t.Errorf("the next slot is %dµs behind those of a holder that crashed, want 1s", got)
	}
	if got := back(b, 5).Token; got != c.Token {
		t.Errorf("slots went back that others have reserved behind")
	}
}

// All limits are on one node, and none is charged alone.
func TestCluster(t *testing.T) {
	t.Parallel()
	server := startRedis(t, "--cluster-enabled", "yes")
	single := redis.NewClient(&redis.Options{Addr: server.Addr})
	defer func() { _ = single.Close() }()
	if err := single.ClusterAddSlotsRange(t.Context(), 0, 16383).Err(); err != nil {
		t.Fatal(err)
	}
	for state := ""; !strings.Contains(state, "cluster_state:ok"); {
		state = single.ClusterInfo(t.Context()).Val()
	}
	s, events := watch(t, &Store{Client: redis.NewClusterClient(&redis.ClusterOptions{Addrs: []string{server.Addr}})})
	s.Timeout = time.Second // the client has to look at the cluster first
	if err := s.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"", "api.example.com", "{a}{b}", "}{"} {
		b := budget(t, s, key, throttle.Limit{Rate: 1, Burst: 5}, throttle.Limit{Rate: 2, Burst: 5})
		if !goes(t, b) {
			t.Errorf("key %q: a call does not go", key)
		}
	}
	if len(events) > 0 {
		t.Errorf("it went on without Redis: %+v", <-events)
	}
	err := single.Eval(t.Context(), "return 1", []string{"a", "b"}).Err()
	if err == nil || !strings.HasPrefix(err.Error(), "CROSSSLOT") {
		t.Errorf("two keys on two slots: %v: this is no cluster", err)
	}
}

// The script is sent again when Redis has forgotten it.
func TestScriptFlush(t *testing.T) {
	t.Parallel()
	s, events := open(t, startRedis(t).Addr)
	for range 5 {
		ask(t, s, throttle.Ask{Key: "k", From: 1, Wants: []throttle.Want{want("a", 1)}})
		if err := s.Client.ScriptFlush(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
	}
	if len(events) > 0 {
		t.Errorf("it went on without Redis: %+v", <-events)
	}
}

// Whatever is used, nothing stays for ever, and all of it has the prefix.
func TestKeysExpire(t *testing.T) {
	t.Parallel()
	s, _ := open(t, startRedis(t).Addr)
	s.Prefix = "mine:"
	w := want("a", 3)
	w.Policy = &throttle.Policy{Name: "p", Limit: 1, Window: time.Second}
	ask(t, s, throttle.Ask{Key: "k", From: 1, CoolDown: time.Minute, Horizon: time.Hour, Wants: []throttle.Want{w, want("b", 3)}})
	keys := keysOf(t, s)
	if len(keys) != 5 {
		t.Fatalf("keys %q, want 5", keys)
	}
	for _, key := range keys {
		ttl := s.Client.PTTL(t.Context(), key).Val()
		if !strings.HasPrefix(key, "mine:{k:1}:") || ttl < 50*time.Second || ttl > 2*time.Hour {
			t.Errorf("key %q expires in %v", key, ttl)
		}
	}
}

// Another rate or burst of the same limit has a schedule of its own.
func TestFingerprint(t *testing.T) {
	seen := map[string]throttle.Want{}
	for _, w := range []throttle.Want{
		{Name: "a", Interval: 1000, Window: 2000},
		{Name: "a", Interval: 1000, Window: 3000},
		{Name: "a", Interval: 2000, Window: 2000},
		{Name: "b", Interval: 1000, Window: 2000},
		{Name: "0 a", Interval: 1000, Window: 200},
	} {
		f := fingerprint(&w)
		if other, ok := seen[f]; ok {
			t.Errorf("%+v and %+v are both %s", w, other, f)
		}
		seen[f] = w
	}
}

// Forty processes on one key keep the limit that one would.
func TestFortyProcesses(t *testing.T) {
	t.Parallel()
	server := startRedis(t)
	limit := throttle.Limit{Rate: 200, Burst: 7}
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	all := &caller{moved: make(chan struct{}, 100_000)}
	for range 40 {
		s, _ := open(t, server.Addr)
		s.Timeout = 5 * time.Second // forty connections at once, on this machine
		b := budget(t, s, "k", limit)
		wg.Go(func() {
			for b.Wait(ctx) == nil {
				all.note()
			}
		})
	}
	all.calls(t, 200)
	cancel()
	wg.Wait()
	if n := all.most(500 * time.Millisecond); n > 107 {
		t.Errorf("%d calls in half a second, the limit allows 107", n)
	}
}

// A process that starts later knows what the server published to others, and
// does not have to find out.
func TestNewcomer(t *testing.T) {
	t.Parallel()
	server := startRedis(t)
	old, _ := open(t, server.Addr)
	said := throttle.Policy{Name: "p", Limit: 1, Window: time.Hour, Burst: 3, Remaining: 0, Reset: -1}
	b := budget(t, old, "k")
	ticket, err := b.Acquire(t.Context(), throttle.Call{})
	if err != nil {
		t.Fatal(err)
	}
	ticket.Answered([]throttle.Policy{said})
	for len(keysOf(t, old)) < 3 { // the parties, the policies, the limit
		time.Sleep(time.Millisecond)
	}
	newcomer, _ := open(t, server.Addr)
	if n := budget(t, newcomer, "k"); goes(t, n) {
		t.Error("a call goes though the server said that nothing is left")
	} else if limits := n.Limits(); len(limits) != 1 || limits[0].Burst != 3 || limits[0].Rate != rate.Every(time.Hour) {
		t.Errorf("limits %+v, want that which was published", limits)
	}
}

// A server with a key of another type is told by the budget, and left alone.
func TestWrongType(t *testing.T) {
	t.Parallel()
	s, events := open(t, startRedis(t).Addr)
	b := budget(t, s, "api.example.com", throttle.Limit{Rate: 1000, Burst: 10})
	key := s.keys(&throttle.Ask{Key: "api.example.com"})[1]
	if err := s.Client.Set(t.Context(), key, "mine", 0).Err(); err != nil {
		t.Fatal(err)
	}
	goes(t, b)
	e := next(t, events, Alone)
	if re, ok := errors.AsType[*Error](e.Err); !ok || !errors.Is(e.Err, ErrWrongType) || re.Key != "api.example.com" {
		t.Errorf("alone because of %v, want ErrWrongType of that key", e.Err)
	}
	if err := s.Client.Del(t.Context(), key).Err(); err != nil {
		t.Fatal(err)
	}
	for s.Mode() != Shared {
		goes(t, b)
	}
}

// One late answer is an accident: the process is back as soon as it has come, and
// what was taken goes back.
func TestLateAnswer(t *testing.T) {
	t.Parallel()
	p := startProxy(t, startRedis(t).Addr)
	s, events := open(t, p.addr())
	s.Timeout = DefaultTimeout
	b := budget(t, s, "k", throttle.Limit{Rate: 100, Burst: 10})
	if err := s.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.set(func() { p.delay = 300 * time.Millisecond })
	if !goes(t, b) {
		t.Error("a call does not go")
	}
	next(t, events, Alone)
	next(t, events, Shared) // though nobody asks
	p.set(func() { p.delay = 0 })
	for range 20 {
		if !goes(t, b) {
			t.Error("a call does not go")
		}
	}
}

// Those who went on alone come back together, unless others are there already.
func TestJoin(t *testing.T) {
	t.Parallel()
	s, _ := open(t, startRedis(t).Addr)
	join := func(from uint64, parties int) time.Duration {
		d, err := s.join(t.Context(), &throttle.Ask{Key: "k", From: from, Parties: parties})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	if d := join(1, 1); d != 0 {
		t.Errorf("one who was there alone waits for %v", d)
	}
	first := join(1, 3)
	if second := join(2, 0); first < time.Second || second > first || second < first-time.Second {
		t.Errorf("two who come back wait for %v and %v, want the same instant", first, second)
	}
	ask(t, s, throttle.Ask{Key: "k", From: 3})
	if d := join(2, 3); d != 0 {
		t.Errorf("one who comes to another waits for %v", d)
	}
}

// A Store that nobody gave a Client is one whose Redis is away.
func TestNoClient(t *testing.T) {
	s := &Store{}
	if err := s.Check(t.Context()); !errors.Is(err, ErrUnavailable) {
		t.Errorf("Check: %v, want ErrUnavailable", err)
	}
	if !goes(t, budget(t, s, "k", throttle.Limit{Rate: 10, Burst: 10})) || s.Mode() != Alone {
		t.Error("a call does not go, or not alone")
	}
}

func TestKeysHoldNoMoreThanTheBudgetsKey(t *testing.T) {
	s := &Store{}
	a := &throttle.Ask{Key: "a{b} c", Wants: []throttle.Want{{Name: "hand 0 POST /secret"}}}
	got := s.keys(a)
	if want := []string{"headway:{a%7Bb%7D+c:1}:cool-down", "headway:{a%7Bb%7D+c:1}:parties", "headway:{a%7Bb%7D+c:1}:policies"}; !slices.Equal(got[:3], want) {
		t.Errorf("keys %q, want %q", got, want)
	}
	if strings.Contains(got[3], "secret") {
		t.Errorf("key %q has the name of the limit", got[3])
	}
	// Arguments are in the slow log.
	if args := fmt.Sprint(arguments(a)...); strings.Contains(args, "secret") {
		t.Errorf("arguments %q have the name of the limit", args)
	}
}

func TestAnswersThatMakeNoSense(t *testing.T) {
	a := &throttle.Ask{Wants: []throttle.Want{want("a", 1)}}
	good := []any{int64(1), int64(1), int64(0), int64(0), int64(5), int64(6)}
	if ans, err := answer(a, append(slices.Clone(good), `{"Name":"p"}`, "{", int64(3))); err != nil || len(ans.Policies) != 1 {
		t.Errorf("answer = %+v, %v, want one policy", ans, err)
	}
	for i := range good {
		if _, err := answer(a, good[:i]); err == nil {
			t.Errorf("no error for %d values", i)
		}
		bad := slices.Clone(good)
		bad[i] = "x"
		if _, err := answer(a, bad); err == nil {
			t.Errorf("no error for a string at %d", i)
		}
	}
}
