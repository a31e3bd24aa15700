package sim

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/headway-go/headway/throttle/simulate"
)

// theBurst is the example of the description that the simulator began with.
const theBurst = "0,0.1,0.2,0.3,0.4,0.5,1.5,2.0,2.1,2.2,5.0"

// play runs one model, and writes a line for each step.
func play(t *testing.T, spec, requests string) (steps []string, r Result) {
	t.Helper()
	s, err := ParseSpec(spec, Spec{})
	if err != nil {
		t.Fatal(err)
	}
	report, err := Setup{Models: []Spec{s}}.Run(List(requests), func(s Step) error {
		steps = append(steps, s.Outcomes[0].String())
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return steps, report.Models[0]
}

// String is short: tokens before and left, or when to retry.
func (o Outcome) String() string {
	if o.Allowed {
		return fmt.Sprintf("%v>%v", o.Before, o.Left)
	}
	return fmt.Sprintf("%v!%v", o.Before, o.RetryAt)
}

func TestTheBurst(t *testing.T) {
	steps, r := play(t, "token-bucket,bucket=5,refill=1", theBurst)
	if got, want := strings.Join(steps, " "), "5>4 4.1>3.1 3.2>2.2 2.3>1.3 1.4>0.4 0.5!1 1.5>0.5 1>0 0.1!3 0.2!3 3>2"; got != want {
		t.Errorf("the steps are\n%s, want\n%s", got, want)
	}
	if r.Allowed != 8 || r.Refused != 3 || r.AverageRate != 1.6 || r.LargestBurst != 5*One || r.Burst != 5 {
		t.Errorf("%+v, want 8 allowed, 3 refused, 1.6/s on average, the largest burst 5", r)
	}
}

func TestModels(t *testing.T) {
	for _, tt := range []struct{ spec, requests, want string }{
		// The same limit as a schedule.
		{"gcra,t=1s,tau=4s", theBurst, "5>4 4.1>3.1 3.2>2.2 2.3>1.3 1.4>0.4 0.5!1 1.5>0.5 1>0 0.1!3 0.2!3 3>2"},
		{"gcra,bucket=5,refill=1", theBurst, "5>4 4.1>3.1 3.2>2.2 2.3>1.3 1.4>0.4 0.5!1 1.5>0.5 1>0 0.1!3 0.2!3 3>2"},
		{"gcra,t=1s,tau=0s", "0,0.5,1", "1>0 0.5!1 1>0"},
		{"gcra,bucket=6.959,refill=25.53", "0:6.959", "6.959000021>0"}, // T in whole nanoseconds
		{"leaky-bucket,bucket=2,refill=1", "0,0,0,1.5", "2>1 1>0 0!1 1.5>0.5"},

		// Fractions of a unit, where there are any.
		{"token-bucket,bucket=5,refill=1", "0:2.5,0:2.5,2.5:2.5", "5>2.5 2.5>0 2.5>0"},
		{"token-bucket,bucket=0.5,refill=0.1", "0:0.5,1:0.125", "0.5>0 0.1!1.25"},
		{"gcra,t=1s,tau=4s", "0:2.5,0:2.5,2.5:2.5", "5>2.5 2.5>0 2.5>0"},
		{"leaky-bucket,bucket=5,refill=1", "0:2.5,0:2.5,2.5:2.5", "5>2.5 2.5>0 2.5>0"},

		// What there is at the start.
		{"token-bucket,bucket=5,refill=1,start=0", "0,0.5,1", "0!1 0.5!1 1>0"},
		{"token-bucket,bucket=5,refill=1,start=1.5", "0,0", "1.5>0.5 0.5!0.5"},
		{"gcra,t=1s,tau=4s,start=1.5", "0,0", "1.5>0.5 0.5!0.5"},
		{"fixed-window,limit=5,window=5s,start=1", "0,1,5", "1>0 0!5 5>4"},
		{"sliding-log,limit=5,window=5s,start=1", "0,1,5", "1>0 0!5 5>4"},

		// Whole tokens, one at a time or some at a tick.
		{"ticks,bucket=5,refill=1,start=0", "0,0.5,1,1.9", "0!1 0!1 1>0 0!2"},
		{"ticks,bucket=5,refill=1,tick=2s,start=0", "0,1.9,2,2,2", "0!2 0!2 2>1 1>0 0!4"},

		{"fixed-window,limit=2,window=1s", "0.9,0.9,0.9,1,1,1", "2>1 1>0 0!1 2>1 1>0 0!2"},
		{"sliding-log,limit=2,window=1s", "0.9,0.9,0.9,1,1.9", "2>1 1>0 0!1.9 0!1.9 2>1"},
		{"sliding-counter,limit=2,window=1s", "0,0,1,1.5", "2>1 1>0 0!1.5 1>0"},

		// Who keeps calling an empty bucket keeps it empty.
		{"token-bucket,bucket=1,refill=1,count-refused", "0,0.6,1.2,2.2", "1>0 0.6!1.6 0.6!2.2 1>0"},

		// Each of two servers has half of it, and they take turns.
		{"token-bucket,bucket=2,refill=1,servers=2", "0,0,0,1,2", "1>0 1>0 0!2 0.5!2 1>0"},
		{"gcra,bucket=2,refill=1,servers=2", "0,0,0,1,2", "1>0 1>0 0!2 0.5!2 1>0"},
		{"fixed-window,limit=2,window=1s,servers=2", "0,0,0", "1>0 1>0 0!1"},
		{"ticks,bucket=2,refill=1,servers=2,start=0", "0,2,2", "0!2 1>0 1>0"},
	} {
		steps, _ := play(t, tt.spec, tt.requests)
		if got := strings.Join(steps, " "); got != tt.want {
			t.Errorf("%s, %s:\n%s, want\n%s", tt.spec, tt.requests, got, tt.want)
		}
	}
}

// The largest burst is the most that was allowed within the span asked for.
func TestLargestBurst(t *testing.T) {
	specs := []Spec{{Bucket: 10 * One, Refill: 1}}
	for window, want := range map[time.Duration]Units{0: 3500, 100 * time.Millisecond: 2500, time.Hour: 6500} {
		report, err := Setup{Models: specs, BurstWindow: window}.Run(List("0:2.5,0.9,1.2,1.9:2"), nil)
		if err != nil || report.Models[0].LargestBurst != want {
			t.Errorf("within %v: %v, %v; want %v", window, report.Models[0].LargestBurst, err, want)
		}
	}
}

func TestBurstOfModels(t *testing.T) {
	for spec, want := range map[string]int64{
		"token-bucket,bucket=5.5,refill=1":         5,
		"gcra,t=1s,tau=4s":                         5,
		"gcra,t=1s,tau=0s":                         1,
		"fixed-window,limit=7,window=1m":           7,
		"token-bucket,bucket=5,refill=1,servers=2": 4, // 2.5 each
	} {
		if _, r := play(t, spec, "0"); r.Burst != want {
			t.Errorf("the burst of %s is %d, want %d", spec, r.Burst, want)
		}
	}
}

// A request that some model would never take is an error, and no model has it.
func TestTooDear(t *testing.T) {
	specs := []Spec{{Bucket: 5 * One, Refill: 1}, {Model: "sliding-log", Limit: 2 * One, Window: Seconds(time.Second)}}
	for requests, want := range map[string]string{
		"0,1:6":     `sim: line 2: request 2: cost 6 is above the 5 that token-bucket,bucket=5,refill=1 ever holds`,
		"0,1:3":     `sim: line 2: request 2: cost 3 is above the 2 that sliding-log,limit=2,window=1s ever holds`,
		"0,1:1.5":   `sim: line 2: request 2: cost 1.5 is not whole, and sliding-log,limit=2,window=1s counts whole units`,
		"0,1:1e300": `sim: line 2: request 2: cost "1e300" is too large`,
	} {
		report, err := Setup{Models: specs}.Run(List(requests), nil)
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", requests, err, want)
		}
		if report.Requests != 1 || report.Models[0].Allowed != 1 {
			t.Errorf("%s: %+v, want the one request before it", requests, report)
		}
	}
}

func TestTooDearForOneServer(t *testing.T) {
	s := Setup{Models: []Spec{{Bucket: 5 * One, Refill: 1, Servers: 2}}}
	_, err := s.Run(List("0:2.5,0:3"), nil)
	const want = "sim: line 2: request 2: cost 3 is above the 2.5 that one of the servers of token-bucket,bucket=5,refill=1,servers=2 ever holds"
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestNoRequests(t *testing.T) {
	report, err := Setup{Models: []Spec{{Bucket: One, Refill: 1}}}.Run(List("# nothing\n\n"), nil)
	if err != nil || report.Requests != 0 || report.First != None {
		t.Errorf("%+v, %v", report, err)
	}
}

func TestBadRuns(t *testing.T) {
	if _, err := (Setup{}).New(); err == nil {
		t.Error("a run without a model has no error")
	}
	_, err := Setup{Models: []Spec{{Bucket: One, Refill: 1}, {Bucket: One}}}.New()
	if wrong, ok := errors.AsType[*SpecError](err); !ok || wrong.Index != 1 || wrong.Field != "refill" {
		t.Errorf("%v, want it to be about the refill of number 1", err)
	}
	stop := errors.New("enough")
	report, err := Setup{Models: []Spec{{Bucket: One, Refill: 1}}}.Run(List("0,1,2"), func(s Step) error {
		if s.At == Seconds(time.Second) {
			return stop
		}
		return nil
	})
	if !errors.Is(err, stop) || report.Requests != 2 {
		t.Errorf("%v after %d requests, want %v after 2", err, report.Requests, stop)
	}
	if _, err := (Setup{Models: []Spec{{Bucket: One, Refill: 1}}}).Run(Read(failing{}), nil); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("a reader's error becomes %v", err)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, io.ErrClosedPipe }

// A bucket does what the formulas of the description say: tokens before are
// min(bucket, left + seconds · refill), allowed if they are the cost or more.
func TestFormulas(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		bucket, refill := Units(500+rnd.Int64N(20_000)), float64(1+rnd.IntN(2000))/100
		run, err := Setup{Models: []Spec{{Bucket: bucket, Refill: refill}, {Model: "leaky-bucket", Bucket: bucket, Refill: refill}}}.New()
		if err != nil {
			t.Fatal(err)
		}
		left, r := bucket.Float(), Request{}
		for range 200 {
			seconds := float64(rnd.IntN(1500)) / 1000
			r.At += time.Duration(math.Round(seconds * 1e9))
			r.Cost = 1 + Units(rnd.Int64N(int64(bucket)))
			step, err := run.Step(r)
			if err != nil {
				t.Fatal(err)
			}
			before := min(bucket.Float(), left+seconds*refill)
			left = before
			for _, got := range step.Outcomes {
				if got.Allowed {
					left = before - r.Cost.Float()
				}
				retry := r.At.Seconds() + (r.Cost.Float()-before)/refill
				if math.Abs(got.Before-before) > 1e-6 || math.Abs(got.Left-left) > 1e-6 ||
					!got.Allowed && math.Abs(time.Duration(got.RetryAt).Seconds()-retry) > 1e-6 {
					t.Fatalf("%v, %v/s, %+v: %+v, want %v before, %v left, retry at %v", bucket, refill, r, got, before, left, retry)
				}
			}
		}
	}
}

// GCRA that counts nanoseconds decides as the one that counts calls.
func TestGCRA(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		interval, tau := time.Duration(1+rnd.Int64N(1e9)), time.Duration(rnd.Int64N(1e10))
		tolerance := Seconds(tau)
		run, err := Setup{Models: []Spec{{Model: "gcra", T: Seconds(interval), Tau: &tolerance}}}.New()
		if err != nil {
			t.Fatal(err)
		}
		want, err := simulate.NewGCRA(interval, tau)
		if err != nil {
			t.Fatal(err)
		}
		r := Request{}
		for range 200 {
			r.At += time.Duration(rnd.Int64N(int64(interval) * 2))
			cost := 1 + rnd.Int64N(1+int64(tau/interval))
			r.Cost = Units(cost) * One
			step, err := run.Step(r)
			if err != nil {
				t.Fatal(err)
			}
			v := want.Arrive(r.At, cost)
			if got := step.Outcomes[0]; got.Allowed != v.Admitted || math.Abs(got.Before-v.Before) > 1e-6 || !v.Admitted && got.RetryAt != Seconds(v.RetryAt) {
				t.Fatalf("T %v, tau %v, %+v: %+v, want %+v", interval, tau, r, got, v)
			}
		}
	}
}

// Others read these names.
func TestJSON(t *testing.T) {
	half := Units(500)
	var lines []string
	report, err := Setup{Models: []Spec{{Bucket: 5 * One, Refill: 1, Start: &half}}}.Run(List("0,0.1:2.5"), func(s Step) error {
		line, err := json.Marshal(s)
		lines = append(lines, string(line))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	line, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{
		`{"time_seconds":0,"cost":1,"results":[{"allowed":false,"tokens_before":0.5,"tokens_left":0.5,"retry_at_seconds":0.5}]}`,
		`{"time_seconds":0.1,"cost":2.5,"results":[{"allowed":false,"tokens_before":0.6,"tokens_left":0.6,"retry_at_seconds":2}]}`,
		`{"requests":2,"first_seconds":0,"last_seconds":0.1,"burst_window_seconds":1,"models":[{"parameters":{"model":"token-bucket","bucket":5,"refill":1,"start":0.5},` +
			`"burst":5,"allowed":0,"refused":2,"allowed_cost":0,"refused_cost":3.5,"average_rate":0,"largest_burst":0}]}`,
	} {
		if got := append(lines, string(line))[i]; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func BenchmarkRun(b *testing.B) {
	specs := make([]Spec, 0, len(Models()))
	for _, m := range Models() {
		specs = append(specs, Spec{Model: m.Name, Bucket: 50 * One, Refill: 10})
	}
	var text strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&text, "%d.%03d\n", i/50, i%50*20)
	}
	for name, specs := range map[string][]Spec{"one": specs[:1], "all": specs} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := (Setup{Models: specs}).Run(Read(strings.NewReader(text.String())), nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
