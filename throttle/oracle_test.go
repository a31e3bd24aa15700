package throttle_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/headway-go/headway/throttle"
	"golang.org/x/time/rate"
)

// near reports whether x/time's floating tokens are so close to a decision that
// it may go either way there.
func near(tokens float64, n int) bool { return math.Abs(tokens-float64(n)) < 1e-5 }

// For instants in order, Limiter decides as x/time/rate does: what it allows,
// how long a reservation waits, what a cancelled one gives back, and what a
// change of rate or burst leaves.
func TestLimiterAgreesWithXTime(t *testing.T) {
	for seed := range uint64(300) {
		compareWithXTime(t, rand.New(rand.NewPCG(seed, 1)))
	}
}

func compareWithXTime(t *testing.T, r *rand.Rand) {
	r0, b0 := rate.Limit(0.1+r.Float64()*20), 1+r.IntN(10)
	ours, theirs := throttle.NewLimiter(r0, b0), rate.NewLimiter(r0, b0)
	at := time.Now()
	for step := range 200 {
		at = at.Add(time.Duration(r.Int64N(int64(400 * time.Millisecond))))
		n := 1 + r.IntN(4)
		tokens := theirs.TokensAt(at)
		switch r.IntN(10) {
		default:
			if near(tokens, n) {
				continue
			}
			if got, want := ours.AllowN(at, n), theirs.AllowN(at, n); got != want {
				t.Fatalf("step %d: AllowN(%d) = %t, want %t (tokens %v)", step, n, got, want, tokens)
			}
		case 0, 1:
			a, b := ours.ReserveN(at, n), theirs.ReserveN(at, n)
			if a.OK() != b.OK() {
				t.Fatalf("step %d: ReserveN(%d).OK() = %t, want %t", step, n, a.OK(), b.OK())
			}
			if da, db := a.DelayFrom(at), b.DelayFrom(at); (da - db).Abs() > time.Microsecond {
				t.Fatalf("step %d: ReserveN(%d) waits %v, want %v", step, n, da, db)
			}
			if r.IntN(2) == 0 && !near(tokens, n) {
				a.CancelAt(at)
				b.CancelAt(at)
			}
		case 2:
			limit := rate.Limit(0.1 + r.Float64()*20)
			ours.SetLimitAt(at, limit)
			theirs.SetLimitAt(at, limit)
		case 3:
			burst := 1 + r.IntN(10)
			ours.SetBurstAt(at, burst)
			theirs.SetBurstAt(at, burst)
			// x/time cuts the level down only when time has passed.
			at = at.Add(time.Nanosecond)
		}
		if got, want := ours.TokensAt(at), theirs.TokensAt(at); math.Abs(got-want) > 1e-3 {
			t.Fatalf("step %d: TokensAt = %v, want %v", step, got, want)
		}
	}
}

type event struct {
	at   time.Time
	cost int
}

// In any window, in whatever order instants are given, what is allowed is at
// most the burst and what the rate brings in that time.
func TestNeverMoreThanTheLimitInAnyWindow(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 2))
		limit := throttle.Limit{Rate: rate.Limit(math.Exp(r.Float64()*12 - 4)), Burst: 1 + r.IntN(8)}
		lim := throttle.NewLimiter(limit.Rate, limit.Burst)
		start, span := time.Now(), float64(30*time.Second)/float64(limit.Rate)
		var got []event
		for range 150 {
			e := event{start.Add(time.Duration(r.Float64() * span)), 1 + r.IntN(limit.Burst)}
			if r.IntN(3) > 0 && len(got) > 0 { // mostly near the last one, often before it
				e.at = got[len(got)-1].at.Add(time.Duration((r.Float64() - 0.5) * span / 20))
			}
			if lim.AllowN(e.at, e.cost) {
				got = append(got, e)
			}
		}
		checkWindows(t, limit, got)
	}
}

// checkWindows holds what was allowed against the definition: for any two
// events, the cost of all from one to the other fits between them.
func checkWindows(t *testing.T, limit throttle.Limit, got []event) {
	t.Helper()
	for _, first := range got {
		for _, last := range got {
			if last.at.Before(first.at) {
				continue
			}
			sum := 0
			for _, e := range got {
				if !e.at.Before(first.at) && !e.at.After(last.at) {
					sum += e.cost
				}
			}
			seconds := last.at.Sub(first.at).Seconds()
			if most := float64(limit.Burst) + float64(limit.Rate)*seconds; float64(sum) > most+1e-6 {
				t.Fatalf("%+v: %d within %vs, at most %v allowed", limit, sum, seconds, most)
			}
		}
	}
}

// A reservation is good exactly when it was promised: one nanosecond earlier
// another limiter in the same state refuses.
func TestFreeExactlyWhenPromised(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 3))
		limit, burst := rate.Limit(math.Exp(r.Float64()*14-6)), 1+r.IntN(6)
		asked, late, early := throttle.NewLimiter(limit, burst), throttle.NewLimiter(limit, burst), throttle.NewLimiter(limit, burst)
		at := time.Now()
		for range 10 {
			n := 1 + r.IntN(burst)
			wait := asked.ReserveN(at, n).DelayFrom(at)
			due := at.Add(wait)
			if wait > 0 && early.AllowN(due.Add(-1), n) {
				t.Fatalf("rate %v burst %d: %d allowed 1ns before the promised %v", limit, burst, n, wait)
			}
			for name, l := range map[string]*throttle.Limiter{"late": late, "early": early} {
				if !l.AllowN(due, n) {
					t.Fatalf("rate %v burst %d: %d refused at the promised %v (%s)", limit, burst, n, wait, name)
				}
			}
			at = due.Add(time.Duration(r.Float64() * 2e9 / float64(limit)))
		}
	}
}

// n calls a window never let more than n through in any window, and come close
// to it in the long run.
func TestPer(t *testing.T) {
	for _, tt := range []struct {
		n      int
		window time.Duration
	}{
		{1, time.Second}, {2, time.Second}, {9, time.Second}, {10, time.Second}, {17, 30 * time.Second},
		{60, time.Minute}, {100, 7 * time.Second}, {5000, time.Hour}, {1000, 24 * time.Hour}, {12, 365 * 24 * time.Hour},
	} {
		limit := throttle.Per(tt.n, tt.window)
		lim := throttle.NewLimiter(limit.Rate, limit.Burst)
		start := time.Now()
		var gone []time.Time
		for at := start; len(gone) < 3*tt.n+limit.Burst; {
			at = at.Add(lim.ReserveN(at, 1).DelayFrom(at))
			gone = append(gone, at)
		}
		for i := range gone {
			if j := i + tt.n; j < len(gone) && gone[j].Sub(gone[i]) < tt.window {
				t.Fatalf("Per(%d, %v): calls %d to %d are within %v", tt.n, tt.window, i, j, gone[j].Sub(gone[i]))
			}
		}
		least := 1 - float64(limit.Burst-1)/float64(tt.n)
		if used := float64(limit.Rate) * tt.window.Seconds() / float64(tt.n); used < least-1e-6 {
			t.Errorf("Per(%d, %v) uses %v of the quota, want %v", tt.n, tt.window, used, least)
		}
	}
	for _, bad := range []throttle.Limit{throttle.Per(0, time.Second), throttle.Per(-1, time.Second), throttle.Per(1, 0)} {
		if bad.Validate() == nil {
			t.Errorf("%+v is said to be valid", bad)
		}
	}
}
