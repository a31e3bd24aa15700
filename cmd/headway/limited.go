package main

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/headway-go/headway/cmd/headway/internal/limited"
	"github.com/headway-go/headway/throttle/simulate"
)

// limitFlags are those of a rate-limited server. Each is zero or nil if it was not
// given.
type limitFlags struct {
	Model        string         `group:"With --limited" placeholder:"NAME" help:"How the limit is kept, by default token-bucket."`
	Rate         string         `group:"With --limited" placeholder:"N/TIME" help:"How many calls are admitted in the long run, by default 10/s; as 600/min, 5000/h or 1/30s."`
	Burst        *int64         `group:"With --limited" placeholder:"N" help:"How many calls may come at once from rest, by default 10. A window has no burst but its count."`
	Window       *time.Duration `group:"With --limited" placeholder:"1m" help:"The time in which calls are counted and the rate is told, by default that of --rate."`
	CountRefused bool           `group:"With --limited" help:"Refused calls use up the limit as well."`
	Dialect      string         `group:"With --limited" placeholder:"NAME" help:"The header fields that tell of the limit, by default ietf."`
	RetryAfter   string         `group:"With --limited" placeholder:"FORM" help:"How a refusal says when to come again, by default in seconds."`
	Status       *int           `group:"With --limited" placeholder:"429" help:"The status of a refusal."`
	Latency      time.Duration  `group:"With --limited" placeholder:"50ms" help:"How long an answer takes."`
	Jitter       time.Duration  `group:"With --limited" placeholder:"20ms" help:"Up to how much longer it takes, at random."`
	Log          bool           `group:"With --limited" help:"Write a line for each call."`
}

const (
	defaultRate  = "10/s"
	defaultBurst = 10
	maxLatency   = time.Hour
)

// limitedNames tells what the flags with names can be.
func limitedNames() string {
	return choices("--model", limited.Models()) + "\n" +
		choices("--dialect", limited.Dialects()) + "\n" +
		choices("--retry-after", limited.RetryAfters())
}

type choosable interface{ Choose() limited.Choice }

func choices[T choosable](flag string, all []T) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s is one of\n\n", flag)
	table(&b, func(row func(...string)) {
		for _, v := range all {
			row(v.Choose().Name, v.Choose().About)
		}
	})
	return b.String()
}

// choose returns the one that is wanted, by default the first.
func choose[T choosable](flag, want string, all []T) (T, error) {
	var names []string
	for _, v := range all {
		name := v.Choose().Name
		if want == "" || want == name {
			return v, nil
		}
		names = append(names, name)
	}
	var none T
	return none, fmt.Errorf("%s: there is no %q: want %s", flag, shorten(want, 40), strings.Join(names, ", "))
}

// given is the name of a flag that was given, or empty.
func (f *limitFlags) given() string {
	for _, flag := range []struct {
		name string
		is   bool
	}{
		{"--model", f.Model != ""},
		{"--rate", f.Rate != ""},
		{"--burst", f.Burst != nil},
		{"--window", f.Window != nil},
		{"--count-refused", f.CountRefused},
		{"--dialect", f.Dialect != ""},
		{"--retry-after", f.RetryAfter != ""},
		{"--status", f.Status != nil},
		{"--latency", f.Latency != 0},
		{"--jitter", f.Jitter != 0},
		{"--log", f.Log},
	} {
		if flag.is {
			return flag.name
		}
	}
	return ""
}

// check finds what is wrong with the flags that stand for themselves.
func (f *limitFlags) check() error {
	switch {
	case f.Window != nil && *f.Window <= 0:
		return errors.New("--window: want a length of time above zero, as 1m")
	case f.Status != nil && (*f.Status < 400 || *f.Status > 599):
		return errors.New("--status: want 400 to 599")
	case f.Latency < 0 || f.Latency > maxLatency:
		return errors.New("--latency: want from 0 to an hour")
	case f.Jitter < 0 || f.Jitter > maxLatency:
		return errors.New("--jitter: want from 0 to an hour")
	}
	return nil
}

// handler is the server that the flags ask for.
func (f *limitFlags) handler() (*limited.Handler, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	dialect, err := choose("--dialect", f.Dialect, limited.Dialects())
	if err != nil {
		return nil, err
	}
	retry, err := choose("--retry-after", f.RetryAfter, limited.RetryAfters())
	if err != nil {
		return nil, err
	}
	model, err := choose("--model", f.Model, limited.Models())
	if err != nil {
		return nil, err
	}
	server, err := f.server(model)
	if err != nil {
		return nil, err
	}
	return &limited.Handler{
		Model: server, Windowed: model.Windowed, Dialect: dialect, RetryAfter: retry,
		Status: or(f.Status, http.StatusTooManyRequests), Latency: f.Latency, Jitter: f.Jitter,
	}, nil
}

// or is what a flag says, or else.
func or[T any](given *T, otherwise T) T {
	if given == nil {
		return otherwise
	}
	return *given
}

func (f *limitFlags) server(model limited.Model) (simulate.Server, error) {
	rate, err := limited.ParseRate(cmp.Or(f.Rate, defaultRate))
	if err != nil {
		return nil, fmt.Errorf("--rate: %w", err)
	}
	if f.Window != nil {
		if rate, err = limited.Over(rate, *f.Window); err != nil {
			return nil, fmt.Errorf("--window: %w", err)
		}
	}
	if model.Windowed && f.Burst != nil {
		return nil, fmt.Errorf("--burst: a %s has none but its count, %d in %v", model.Name, rate.Count, rate.Per)
	}
	s, err := model.New(rate, or(f.Burst, defaultBurst))
	if bad, ok := errors.AsType[*simulate.ParamError](err); ok {
		flag := "--rate"
		if bad.Field == "size" {
			flag = "--burst"
		}
		return nil, fmt.Errorf("%s: %s %v is too much or too little: want %s", flag, bad.Field, bad.Value, bad.Want)
	}
	if f.CountRefused {
		return simulate.CountRefused{Charger: s}, err
	}
	return s, err
}
