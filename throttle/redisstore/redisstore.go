package redisstore

import (
	"context"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/headway-go/headway/throttle"
	"github.com/redis/go-redis/v9"
)

// A Store is a [throttle.Store] over Redis. Set Client, and the other fields if
// need be, before first use, and do not change them after. It may be used by
// several goroutines, and by any number of budgets. It runs nothing in the
// background, and closing it is closing its Client.
type Store struct {
	// Client is the connection to Redis: a single server, a cluster, or one that
	// sentinels watch. Its own timeouts do not matter: see Timeout.
	Client redis.UniversalClient

	// Prefix is what all keys begin with. Empty means "headway:".
	Prefix string

	// Timeout is how long to wait for an answer of Redis. One that is later is of
	// no use, and the process goes on alone. Zero means 100 milliseconds.
	Timeout time.Duration

	// Processes is into how many parts a limit is divided while Redis is away.
	// Zero means as many as shared the budget last, and 10 if that is not known,
	// because Redis was never there.
	Processes int

	// Observe is told when the process goes on alone, and when it is back. It is
	// called by whoever found out, and must not block. Nil means nobody.
	Observe func(Event)

	mu     sync.Mutex
	alone  *alone // nil while Redis is there
	epochs int64
	backAt time.Time // when it was back last

	script *redis.Script // nil: askScript
}

// What the zero values of a [Store] mean.
const (
	DefaultPrefix    = "headway:"
	DefaultTimeout   = 100 * time.Millisecond
	DefaultProcesses = 10
)

// A Mode says where the slots come from.
type Mode string

// The modes of a [Store].
const (
	Shared Mode = "shared" // from Redis
	Alone  Mode = "alone"  // from a part of every limit, while Redis is away
)

// An Event is a change of the mode.
type Event struct {
	Mode Mode
	Err  error // why Redis is taken to be away: an *[Error]; nil when it is back
}

// Open returns a Store with a client for one server, by its URL:
// redis://user:password@host:port/database, rediss:// for TLS, or
// unix://user:password@/path. It does not connect: see [Store.Check]. The error
// is an *[Error], ErrURL.
func Open(redisURL string) (*Store, error) {
	o, err := redis.ParseURL(redisURL)
	if err != nil {
		if ue, ok := errors.AsType[*url.Error](err); ok {
			err = ue.Err // the rest is the URL, with its password
		}
		return nil, &Error{Problem: ErrURL, Err: err}
	}
	// Going on alone is better than waiting.
	if o.MaxRetries == 0 {
		o.MaxRetries = -1
	}
	o.DialerRetries, o.ContextTimeoutEnabled = 1, true
	return &Store{Client: redis.NewClient(o)}, nil
}

// Check asks Redis whether all is well, for those who want to know at the start.
// Nobody has to: what is wrong then is a reason to go on alone. It waits as
// long as ctx and the client let it. The error is an *[Error].
func (s *Store) Check(ctx context.Context) error {
	info, err := s.Client.Info(ctx, "server").Result()
	switch {
	case err == nil && tooOld(info):
		return &Error{Problem: ErrTooOld}
	case err != nil && !strings.HasPrefix(err.Error(), "NOPERM"):
		return problem("", err)
	}
	_, err = s.ask(ctx, &throttle.Ask{Key: "check"})
	return err
}

// tooOld reads the version from what Redis says of itself. One that says nothing
// is let pass.
func tooOld(info string) bool {
	for line := range strings.Lines(info) {
		if version, ok := strings.CutPrefix(line, "redis_version:"); ok {
			major, _, _ := strings.Cut(version, ".")
			n, err := strconv.Atoi(major)
			return err == nil && n < 5
		}
	}
	return false
}

// Mode returns the mode of the Store.
func (s *Store) Mode() Mode {
	if s.away() != nil {
		return Alone
	}
	return Shared
}

// Ask implements [throttle.Store]. It returns within Timeout, and its error is
// always nil.
func (s *Store) Ask(ctx context.Context, a throttle.Ask) (throttle.Answer, error) {
	if al := s.away(); al != nil {
		al.askAgain(s)
		return al.answer(ctx, s, a), nil
	}
	ans, err := s.inTime(ctx, &a)
	if err != nil {
		return s.leave(&a, err).answer(ctx, s, a), nil
	}
	return ans, nil
}

func (s *Store) away() *alone {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.alone
}

func (s *Store) timeout() time.Duration {
	if s.Timeout > 0 {
		return s.Timeout
	}
	return DefaultTimeout
}

// errLate is for an answer that did not come in time.
var errLate = errors.New("no answer in time")

// lingering is how long a question that nobody waits for any more may go on, so
// that a connection that takes long to make is made at last.
const lingering = 5 * time.Second

// inTime asks Redis, and waits no longer than Timeout. The client may take longer
// than that, whatever its context says, so that it has a goroutine of its own.
func (s *Store) inTime(ctx context.Context, a *throttle.Ask) (throttle.Answer, error) {
	type result struct {
		ans throttle.Answer
		err error
	}
	came, gaveUp := make(chan result), make(chan struct{})
	go func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lingering)
		defer cancel()
		ans, err := s.ask(ctx, a)
		select {
		case came <- result{ans, err}:
		case <-gaveUp:
			if err == nil {
				s.late(ctx, a, &ans)
			}
		}
	}()
	timer := time.NewTimer(s.timeout())
	defer timer.Stop()
	select {
	case r := <-came:
		return r.ans, r.err
	case <-timer.C:
		close(gaveUp)
		return throttle.Answer{}, &Error{Problem: ErrUnavailable, Key: a.Key, Err: errLate}
	}
}

// late is for an answer that nobody waits for any more. What was taken goes back.
// If it is the first that was late for some time, that was an accident, and Redis
// is not away.
func (s *Store) late(ctx context.Context, a *throttle.Ask, ans *throttle.Answer) {
	s.mu.Lock()
	al, accident := s.alone, time.Since(s.backAt) > lingering
	s.mu.Unlock()
	if accident {
		s.comeBack(al)
	}
	s.giveBack(ctx, a, ans)
}

// giveBack returns what came too late to be used.
func (s *Store) giveBack(ctx context.Context, a *throttle.Ask, ans *throttle.Answer) {
	back := throttle.Ask{Key: a.Key, From: a.From, Epoch: redisEpoch}
	for i, l := range ans.Leases {
		w := a.Wants[i]
		back.Wants = append(back.Wants, throttle.Want{
			Name: w.Name, Interval: w.Interval, Window: w.Window, Back: l.End - l.Start, BackTo: l.Token,
		})
	}
	_, _ = s.ask(ctx, &back) // if it does not go back, it is lost: no more than a lease
}
