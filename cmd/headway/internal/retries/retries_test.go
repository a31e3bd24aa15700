package retries

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway/backoff"
	"github.com/headway-go/headway/cmd/headway/internal/sim"
)

const s = time.Second

func schedule(t *testing.T, p Plan) Schedule {
	t.Helper()
	got, err := p.Schedule()
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// The zero Policy doubles from 100 ms, and adds as much at random.
func TestSchedule(t *testing.T) {
	got, err := json.Marshal(schedule(t, Plan{}))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"retry_after_seconds":null,"retries":[` +
		`{"retry":1,"shortest_seconds":0.1,"mean_seconds":0.15,"longest_seconds":0.2,"earliest_seconds":0.1,"expected_seconds":0.15,"latest_seconds":0.2,"reached":"always"},` +
		`{"retry":2,"shortest_seconds":0.2,"mean_seconds":0.3,"longest_seconds":0.4,"earliest_seconds":0.3,"expected_seconds":0.45,"latest_seconds":0.6,"reached":"always"},` +
		`{"retry":3,"shortest_seconds":0.4,"mean_seconds":0.6,"longest_seconds":0.8,"earliest_seconds":0.7,"expected_seconds":1.05,"latest_seconds":1.4,"reached":"always"}],` +
		`"worst_seconds":1.4,"expected_seconds":1.05}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// Attempts take their time as well, and a server may ask for more.
func TestScheduleWithRetryAfter(t *testing.T) {
	p := Plan{
		Policy:     backoff.Policy{Min: s, Max: 8 * s, Jitter: backoff.NoJitter, HintJitter: 0.5, MaxAttempts: 4},
		RetryAfter: 3 * s,
		Attempt:    100 * time.Millisecond,
	}
	got := schedule(t, p)
	want := []Retry{
		{1, sim.Seconds(3 * s), sim.Seconds(3750 * time.Millisecond), sim.Seconds(4500 * time.Millisecond), 0, 0, 0, Always},
		{2, sim.Seconds(3 * s), sim.Seconds(3750 * time.Millisecond), sim.Seconds(4500 * time.Millisecond), 0, 0, 0, Always},
		// The longer of 4 s, and 3 to 4.5 s.
		{3, sim.Seconds(4 * s), sim.Seconds(4083333333), sim.Seconds(4500 * time.Millisecond), 0, 0, 0, Always},
	}
	for i, r := range got.Retries {
		r.Earliest, r.Expected, r.Latest = 0, 0, 0
		if r != want[i] {
			t.Errorf("retry %d: %+v, want %+v", i+1, r, want[i])
		}
	}
	if got.RetryAfter != sim.Seconds(3*s) || got.Worst != sim.Seconds(13900*time.Millisecond) {
		t.Errorf("%+v, want 3 waits of 4.5 s and 4 attempts at worst", got)
	}
	if last := got.Retries[2]; last.Earliest != sim.Seconds(10300*time.Millisecond) || last.Latest != sim.Seconds(13800*time.Millisecond) {
		t.Errorf("the last begins %v to %v s after the first", last.Earliest, last.Latest)
	}
}

// A wait that would pass MaxElapsed is not begun.
func TestScheduleWithMaxElapsed(t *testing.T) {
	p := Plan{Policy: backoff.Policy{Min: s, Max: 100 * s, MaxAttempts: 6, MaxElapsed: 10 * s}, Attempt: s / 2}
	got := schedule(t, p)
	// They begin after 1.5 to 2.5 s, 4 to 7 s, 8.5 to 15.5 s, 17 s or later.
	for i, want := range []Reached{Always, Always, Perhaps, Never, Never} {
		if got.Retries[i].Reached != want {
			t.Errorf("retry %d is reached %s, want %s", i+1, got.Retries[i].Reached, want)
		}
	}
	if got.Worst != sim.Seconds(10500*time.Millisecond) || got.Expected != sim.None {
		t.Errorf("it ends after %v s at worst, %v on average; want 10.5, unknown", got.Worst, got.Expected)
	}
	p.Policy.MaxElapsed = 8 * s
	if got := schedule(t, p); got.Worst != sim.Seconds(7500*time.Millisecond) || got.Retries[2].Reached != Never {
		t.Errorf("%+v, want it to end after 7.5 s at worst", got)
	}
}

func TestFewAndMany(t *testing.T) {
	if got := schedule(t, Plan{Policy: backoff.Policy{MaxAttempts: 1}, Attempt: s}); len(got.Retries) != 0 || got.Worst != sim.Seconds(s) || got.Expected != sim.Seconds(s) {
		t.Errorf("one attempt: %+v", got)
	}
	got := schedule(t, Plan{Policy: backoff.Policy{MaxAttempts: math.MaxInt, Max: math.MaxInt64}, RetryAfter: math.MaxInt64})
	if len(got.Retries) != MaxRetries || got.Worst != math.MaxInt64 {
		t.Errorf("without end: %d, %v at worst", len(got.Retries), got.Worst)
	}
	_, err := Plan{Policy: backoff.Policy{Min: 2, Max: 1}}.Schedule()
	if wrong, ok := errors.AsType[*backoff.PolicyError](err); !ok || wrong.Field != "Min" {
		t.Errorf("a Min above the Max: %v", err)
	}
}

// What a Policy draws stays within the bounds, and comes near to them and to the
// mean.
func TestAgainstPolicy(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	for range 30 {
		p := Plan{Policy: backoff.Policy{
			Min: 1 + time.Duration(rnd.Int64N(int64(s))), Max: s + time.Duration(rnd.Int64N(int64(10*s))), Multiplier: 1 + rnd.Float64()*2,
			Jitter: []float64{0, backoff.NoJitter, 0.3}[rnd.IntN(3)], HintJitter: []float64{0, backoff.NoJitter, 0.7}[rnd.IntN(3)],
		}}
		if rnd.IntN(3) > 0 {
			p.RetryAfter = time.Duration(rnd.Int64N(int64(5 * s)))
		}
		n := rnd.IntN(5)
		lo, mean, hi := p.wait(n)
		const draws = 4000
		least, most, sum := time.Duration(math.MaxInt64), time.Duration(0), 0.0
		for range draws {
			d := p.Policy.Delay(n, p.RetryAfter)
			least, most, sum = min(least, d), max(most, d), sum+d.Seconds()
		}
		// Six standard deviations of the mean of an even draw, the widest there is.
		near := 6 * (hi - lo).Seconds() / math.Sqrt(12*draws)
		if least < lo || most > hi || math.Abs(sum/draws-mean.Seconds()) > near+1e-8 {
			t.Errorf("%+v, retry %d: drawn from %v to %v, %v s on average; want %v to %v, %v", p, n, least, most, sum/draws, lo, hi, mean)
		}
	}
}

// A call that always fails ends when the schedule says that it may.
func TestAgainstRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := Plan{Policy: backoff.Policy{Min: s, Max: 30 * s, MaxAttempts: 6, MaxElapsed: 25 * s}, Attempt: s / 4}
		want := schedule(t, p)
		for range 200 {
			start, tried := time.Now(), 0
			_, err := backoff.Retry(t.Context(), p.Policy, func(context.Context) (int, error) {
				if began := sim.Seconds(time.Since(start)); tried > 0 {
					r := want.Retries[tried-1]
					if began < r.Earliest || began > r.Latest || r.Reached == Never {
						t.Fatalf("retry %d began after %v s, want %+v", tried, began, r)
					}
				}
				tried++
				time.Sleep(p.Attempt)
				return 0, errors.New("down")
			})
			if took := sim.Seconds(time.Since(start)); err == nil || took > want.Worst {
				t.Fatalf("it took %v s, want %v at worst; %v", took, want.Worst, err)
			}
			for _, r := range want.Retries[min(tried-1, 5):] {
				if r.Reached == Always {
					t.Fatalf("retry %d did not come", r.Number)
				}
			}
		}
	})
}
