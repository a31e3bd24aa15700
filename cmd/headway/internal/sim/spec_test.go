package sim

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

func TestParseSpec(t *testing.T) {
	start, tau := Units(500), Seconds(4*time.Second)
	base := Spec{Bucket: 5 * One, Refill: 1}
	for _, tt := range []struct {
		text string
		base Spec
		want Spec
	}{
		{"gcra", base, Spec{Model: "gcra", Bucket: 5 * One, Refill: 1}},
		{"gcra,T=1s,tau=4", Spec{}, Spec{Model: "gcra", T: Seconds(time.Second), Tau: &tau}},
		{" token-bucket , bucket = 7.5, start=0.5", base, Spec{Model: "token-bucket", Bucket: 7500, Refill: 1, Start: &start}},
		{"ticks,refill=120/min,tick=1m30s,count-refused,servers=3", base, Spec{
			Model: "ticks", Bucket: 5 * One, Refill: 2, Tick: Seconds(90 * time.Second), CountRefused: true, Servers: 3,
		}},
		{"fixed-window,limit=100,window=1h", base, Spec{
			Model: "fixed-window", Bucket: 5 * One, Refill: 1, Limit: 100 * One, Window: Seconds(time.Hour),
		}},
	} {
		got, err := ParseSpec(tt.text, tt.base)
		if err != nil || got.String() != tt.want.String() || got.Refill != tt.want.Refill || got.Bucket != tt.want.Bucket {
			t.Errorf("ParseSpec(%q) = %+v, %v; want %+v", tt.text, got, err, tt.want)
		}
	}
}

func TestRates(t *testing.T) {
	for text, want := range map[string]float64{"1.5": 1.5, "100/s": 100, "90/min": 1.5, "3600/1h": 1, "2/500ms": 4, "100/7": 100.0 / 7} {
		if got, err := ParseRate(text); err != nil || got != want {
			t.Errorf("ParseRate(%q) = %v, %v; want %v", text, got, err, want)
		}
	}
}

// A rate is written as it was given where that is shorter, and always exactly.
func TestRateText(t *testing.T) {
	for _, text := range []string{"1.5", "0.025", "100/min", "1000000000", "5000/h", "7/day", "14.285714285714286"} {
		rate, err := ParseRate(text)
		if got := rateText(rate); err != nil || got != text {
			t.Errorf("%s becomes %s, %v", text, got, err)
		}
	}
	rnd := rand.New(rand.NewPCG(9, 10))
	for range 1000 {
		rate := rnd.ExpFloat64() * math.Pow(10, rnd.Float64()*18-9)
		if back, err := ParseRate(rateText(rate)); err != nil || back != rate {
			t.Errorf("%v becomes %s, and then %v, %v", rate, rateText(rate), back, err)
		}
	}
}

func TestSpecErrors(t *testing.T) {
	for text, want := range map[string]string{
		"bucket":                                             `model: there is no "bucket"`,
		"gcra,window=1s":                                     "window: there is no such parameter, but t, tau, bucket, refill, start,",
		"gcra,t":                                             "t: has no value: want t=…",
		"gcra,T=1s,tau=4s,t=2s":                              "t: is given twice",
		"gcra,t=0":                                           `t: "0" is not positive`,
		"gcra,t=-1s":                                         `t: "-1s" is not positive`,
		"gcra,t=x":                                           `t: "x" is not a number`,
		"gcra,t=NaN":                                         `t: "NaN" is not a finite number`,
		"gcra,t=1s,tau=-1s":                                  "tau: -1 s is negative, or longer than 10 years",
		"gcra,t=90000h":                                      "t: 324000000 s is negative, or longer than 10 years",
		"gcra,tau=1s":                                        "t: is missing",
		"gcra,t=1s":                                          "tau: is missing",
		"gcra,t=80000h,tau=0s,servers=2":                     "servers: on 2 servers each has a T of more than 10 years",
		"token-bucket,refill=1":                              "bucket: is missing",
		"token-bucket,bucket=1":                              "refill: is missing",
		"token-bucket,bucket=0,refill=1":                     `bucket: "0" is not positive`,
		"token-bucket,bucket=NaN,refill=1":                   `bucket: "NaN" is not a finite number`,
		"token-bucket,bucket=1e13,refill=1":                  "bucket: 10000000000000 is not from 0.001 to 1000000000000",
		"token-bucket,bucket=1,refill=Inf":                   `refill: "Inf" is not a finite number`,
		"token-bucket,bucket=1,refill=1e10":                  "refill: 1e+10 is not from 1e-09 to 1e+09 per second",
		"token-bucket,bucket=1,refill=1/x":                   `refill: "1/x" is not a rate such as 5 or 100/min`,
		"token-bucket,bucket=1e12,refill=π":                  `refill: "π" is not a number`,
		"leaky-bucket,bucket=1e12,refill=.3":                 "bucket: 1000000000000 is more than can be counted with a refill of 0.3",
		"ticks,bucket=1e12,refill=.3":                        "bucket: 1000000000000 is more than can be counted with a refill of 0.3",
		"ticks,bucket=2.5,refill=1":                          "bucket: 2.5 is not whole",
		"ticks,bucket=5,refill=1,tick=1.5s":                  "tick: 1.5 s brings each server 1.5 tokens: want a whole number",
		"ticks,bucket=5,refill=1,servers=2":                  "bucket: 5 is not a whole number for each of 2 servers",
		"fixed-window,limit=5":                               "window: is missing",
		"fixed-window,window=5":                              "limit: is missing",
		"fixed-window,limit=2.5,window=1s":                   "limit: 2.5 is not whole",
		"sliding-log,limit=1e9,window=1h":                    "limit: 1000000000 is more than can be counted in 3600 s",
		"fixed-window,bucket=1,refill=1e-9":                  "window: limit/refill is not from a nanosecond to 10 years",
		"token-bucket,bucket=5,refill=1,start=6":             "start: 6 is not from 0 to 5, which is all it holds",
		"gcra,t=1s,tau=4s,start=-1":                          "start: -1 is not from 0 to 5",
		"fixed-window,limit=4,window=1s,start=3,servers=2":   "start: 3 is not a whole number for each server",
		"token-bucket,bucket=5,refill=1,servers=0":           `servers: "0" is not positive`,
		"token-bucket,bucket=5,refill=1,servers=1001":        "servers: 1001 is not from 1 to 1000",
		"token-bucket,bucket=5,refill=1,servers=2.5":         `servers: "2.5" is not a whole number`,
		"token-bucket,bucket=5,refill=1,count_refused=maybe": `count_refused: "maybe" is neither true nor false`,
	} {
		s, err := ParseSpec(text, Spec{})
		if err == nil {
			err = s.Validate()
		}
		if wrong, ok := errors.AsType[*SpecError](err); !ok || !strings.Contains(wrong.Field+": "+wrong.Problem, want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// What comes as JSON is checked as well as what comes as text.
func TestSpecJSON(t *testing.T) {
	var s Spec
	const text = `{"model":"gcra","t":0.5,"tau":2,"start":1.5,"servers":1}`
	if err := json.Unmarshal([]byte(text), &s); err != nil || s.Validate() != nil || s.String() != "gcra,t=0.5s,tau=2s,start=1.5" {
		t.Errorf("%s becomes %v, %v, %v", text, s, err, s.Validate())
	}
	for text, want := range map[string]string{
		`{"bucket":-1,"refill":1}`:                 "bucket: -1 is not",
		`{"bucket":1,"refill":-1}`:                 "refill: -1 is not",
		`{"model":"gcra","t":-1}`:                  "t: -1 s is negative",
		`{"bucket":1,"refill":1,"servers":-1}`:     "servers: -1 is not",
		`{"bucket":"x","refill":1}`:                `"x" is not a number`,
		`{"bucket":1.0001,"refill":1}`:             "1.0001 has more than three decimals",
		`{"model":"no","bucket":1.001,"refill":1}`: `model: there is no "no"`,
	} {
		var s Spec
		err := json.Unmarshal([]byte(text), &s)
		if err == nil {
			err = s.Validate()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	if err := (Spec{Bucket: One, Refill: math.NaN()}).Validate(); err == nil {
		t.Error("a refill of NaN has no error")
	}
}

// One bucket and refill say the same limit to all models, and what follows from
// them is told.
func TestDerived(t *testing.T) {
	want := map[string]string{
		"token-bucket":    "token-bucket,bucket=10,refill=2",
		"gcra":            "gcra,t=0.5s,tau=4.5s",
		"ticks":           "ticks,bucket=10,refill=2",
		"leaky-bucket":    "leaky-bucket,bucket=10,refill=2",
		"fixed-window":    "fixed-window,limit=10,window=5s",
		"sliding-log":     "sliding-log,limit=10,window=5s",
		"sliding-counter": "sliding-counter,limit=10,window=5s",
	}
	for _, m := range Models() {
		v, err := Spec{Model: m.Name, Bucket: 10 * One, Refill: 2}.build()
		if err != nil || v.spec.String() != want[m.Name] {
			t.Errorf("%s: %v, want %s", m.Name, err, want[m.Name])
		}
	}
}

// T is rounded up, so that no schedule is faster than the rate.
func TestPerUnit(t *testing.T) {
	for rate, want := range map[float64]time.Duration{1: time.Second, 3: 333333334, 0.1: 10 * time.Second, 1e9: 1, 100.0 / 7: 70 * time.Millisecond, 5e9: 1} {
		if got := perUnit(rate); got != want {
			t.Errorf("perUnit(%v) = %v, want %v", rate, got, want)
		}
	}
}

// Whatever is written is refused with a reason, or runs, and reads the same when
// it is written anew.
func FuzzParseSpec(f *testing.F) {
	for _, m := range Models() {
		f.Add(m.Name + ",bucket=5,refill=100/7s,start=2.5,servers=2,count-refused")
	}
	f.Add("gcra,t=1ns,tau=87600h,servers=1000")
	f.Add("ticks,bucket=4,refill=2,tick=3s")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseSpec(text, Spec{})
		if err != nil {
			return
		}
		again, err := ParseSpec(s.String(), Spec{})
		if err != nil || again.String() != s.String() {
			t.Fatalf("%q is %s, read again %s, %v", text, s, again, err)
		}
		run, err := Setup{Models: []Spec{s}}.New()
		if err != nil {
			return
		}
		var last Step
		for i := range 20 {
			r := Request{At: time.Duration(i) * 100 * time.Millisecond, Cost: One}
			if last, err = run.Step(r); err != nil {
				return
			}
			o := last.Outcomes[0]
			if o.Before < 0 || o.Left < 0 || o.Left > o.Before || o.Allowed != (o.RetryAt == None) || !o.Allowed && o.RetryAt <= last.At {
				t.Fatalf("%s at %v: %+v", s, r.At, o)
			}
		}
	})
}
