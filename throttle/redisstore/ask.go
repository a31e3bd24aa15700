package redisstore

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/headway-go/headway/throttle"
	"github.com/redis/go-redis/v9"
)

//go:embed ask.lua
var askSource string

//go:embed join.lua
var joinSource string

var (
	askScript  = redis.NewScript(askSource)
	joinScript = redis.NewScript(joinSource)
)

// redisEpoch is that of answers that come from Redis.
const redisEpoch = 1

var errNoClient = errors.New("the Store has no Client")

// ask puts the question to Redis. A script that Redis has not, because it is new
// or was flushed, is sent along.
func (s *Store) ask(ctx context.Context, a *throttle.Ask) (throttle.Answer, error) {
	if s.Client == nil {
		return throttle.Answer{}, &Error{Problem: ErrUnavailable, Key: a.Key, Err: errNoClient}
	}
	script := askScript
	if s.script != nil {
		script = s.script
	}
	reply, err := script.Run(ctx, s.Client, s.keys(a), arguments(a)...).Slice()
	if err != nil {
		return throttle.Answer{}, problem(a.Key, err)
	}
	return answer(a, reply)
}

// join asks in how long one who went on alone may come back.
func (s *Store) join(ctx context.Context, a *throttle.Ask) (time.Duration, error) {
	if s.Client == nil {
		return 0, errNoClient
	}
	budget := s.budget(a.Key)
	wait, err := joinScript.Run(ctx, s.Client, []string{budget + "parties", budget + "back"}, a.From, a.Parties).Int64()
	if err != nil {
		return 0, problem(a.Key, err)
	}
	return time.Duration(wait) * time.Millisecond, nil
}

// budget is what all keys of a budget begin with. They are on one hash tag, so
// that a cluster has them on one node. What is in the tag says how they are laid
// out as well, and makes it not empty.
func (s *Store) budget(key string) string {
	prefix := s.Prefix
	if prefix == "" {
		prefix = DefaultPrefix
	}
	return prefix + "{" + url.QueryEscape(key) + ":1}:"
}

func (s *Store) keys(a *throttle.Ask) []string {
	budget := s.budget(a.Key)
	keys := []string{budget + "cool-down", budget + "parties", budget + "policies"}
	for i := range a.Wants {
		keys = append(keys, budget+fingerprint(&a.Wants[i]))
	}
	return keys
}

// fingerprint tells limits apart: another T or τ is another limit, which must
// not run on the schedule of this one.
func fingerprint(w *throttle.Want) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %d %s", w.Interval, w.Window, w.Name))
	return hex.EncodeToString(sum[:8])
}

// arguments are those that ask.lua lists.
func arguments(a *throttle.Ask) []any {
	told := a.CoolDown.Microseconds()
	if a.CoolDown < 0 {
		told = -1
	}
	args := []any{a.From, told, a.Horizon.Microseconds(), a.Epoch != redisEpoch, a.Epoch > redisEpoch}
	for i := range a.Wants {
		w := &a.Wants[i]
		known, back := w.Known, w.Back
		if a.Epoch != redisEpoch {
			known, back = 0, 0 // of somebody else's clock
		}
		var lo, hi any = "", ""
		if w.Seen != nil {
			lo, hi = w.Seen.Lo.Microseconds(), w.Seen.Hi.Microseconds()
		}
		args = append(args,
			w.Window.Microseconds(), w.Interval.Microseconds(), w.Take.Microseconds(), w.First.Microseconds(),
			w.Ahead.Microseconds(), w.New.Microseconds(), known, back.Microseconds(), w.BackTo, lo, hi, w.Debt.Microseconds(),
			nameOf(w.Policy), encode(w.Policy))
	}
	return args
}

// nameOf is the name of a policy that others may hear of. That of the limit is not
// sent: it may have what the server tells its clients apart by.
func nameOf(p *throttle.Policy) string {
	if p == nil {
		return ""
	}
	return p.Name
}

func encode(p *throttle.Policy) string {
	if p == nil {
		return ""
	}
	text, err := json.Marshal(p)
	if err != nil {
		return "" // it has a number that is none: nobody can use it
	}
	return string(text)
}

// answer reads what the script returned.
func answer(a *throttle.Ask, reply []any) (ans throttle.Answer, err error) {
	numbers := make([]int64, 4+2*len(a.Wants))
	if len(reply) < len(numbers) {
		return ans, fmt.Errorf("redisstore: %d values in an answer, want %d", len(reply), len(numbers))
	}
	for i := range numbers {
		n, ok := reply[i].(int64)
		if !ok {
			return ans, fmt.Errorf("redisstore: a %T in an answer, want a number", reply[i])
		}
		numbers[i] = n
	}
	at := numbers[0]
	ans = throttle.Answer{Void: a.Epoch > redisEpoch, Epoch: redisEpoch, Now: at, Parties: int(numbers[1]), CoolDown: micros(numbers[2]), Wait: micros(numbers[3])}
	for i := range a.Wants {
		start, end := numbers[4+2*i], numbers[5+2*i]
		ans.Leases = append(ans.Leases, throttle.Lease{Start: micros(start - at), End: micros(end - at), Token: end})
	}
	for _, v := range reply[len(numbers):] {
		var p throttle.Policy
		if text, ok := v.(string); ok && json.Unmarshal([]byte(text), &p) == nil {
			ans.Policies = append(ans.Policies, p)
		}
	}
	return ans, nil
}

func micros(n int64) time.Duration { return time.Duration(n) * time.Microsecond }
