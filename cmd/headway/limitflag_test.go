package main

import (
	"strings"
	"testing"
	"time"

	"golang.org/x/time/rate"

	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/transport"
)

func TestLimitFlag(t *testing.T) {
	for _, tt := range []struct {
		text, pattern string
		want          throttle.Limit
	}{
		{"api.test/=10/s burst 5", "api.test/", throttle.Limit{Rate: 10, Burst: 5}},
		{"api.test/=10/s", "api.test/", throttle.Limit{Rate: 10, Burst: 1}},
		{"api.test/=0.5", "api.test/", throttle.Limit{Rate: 0.5, Burst: 1}},
		{" POST api.test/login = 1/min ", "POST api.test/login", throttle.Limit{Rate: rate.Every(time.Minute), Burst: 1}},
		{"api.test/a=b=1/10s  burst  2", "api.test/a=b", throttle.Limit{Rate: 0.1, Burst: 2}},
		{"/=5000 in 24h", "/", throttle.Per(5000, 24*time.Hour)},
		{"/=5000 in 3600", "/", throttle.Per(5000, time.Hour)},
	} {
		var got handLimit
		if err := got.UnmarshalText([]byte(tt.text)); err != nil || got != (handLimit{tt.pattern, tt.want}) {
			t.Errorf("%q: %+v, %v; want %q %+v", tt.text, got, err, tt.pattern, tt.want)
		}
	}
}

func TestLimitFlagErrors(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", "want PATTERN=RATE"},
		{"api.test/", "want PATTERN=RATE"},
		{"api.test/=", `"": want a rate`},
		{"api.test/=fast", `"fast": want a rate`},
		{"api.test/=0/s", "want a rate"},
		{"api.test/=-1/s", "want a rate"},
		{"api.test/=NaN", "want a rate"},
		{"api.test/=1/fortnight", "want a rate"},
		{"api.test/=10/s burst", "want a rate"},
		{"api.test/=10/s burst 0", "after burst"},
		{"api.test/=10/s burst 1.5", "after burst"},
		{"api.test/=1e300", "nanosecond"},
		{"api.test/=0 in 24h", "5000 in 24h"},
		{"api.test/=10 in never", "5000 in 24h"},
		{"api.test=10/s", `"api.test": a pattern needs a path: "api.test/"`},
		{"api.test:80/=10/s", "a pattern has no port"},
		{"*.test/=10/s", "a host has no wildcard"},
		{"api.test/{=10/s", `"api.test/{"`},
	} {
		var h handLimit
		if err := h.UnmarshalText([]byte(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %q", tt.text, err, tt.want)
		}
	}
}

// All that are given for a pattern hold.
func TestByHand(t *testing.T) {
	given := []handLimit{{"a/", throttle.Limit{Rate: 1, Burst: 1}}, {"b/", throttle.Limit{Rate: 2, Burst: 1}}, {"a/", throttle.Limit{Rate: 3, Burst: 1}}}
	limits := byHand(given)
	if len(limits) != 2 || len(limits["a/"]) != 2 || limits["a/"][1].Rate != 3 || len(limits["b/"]) != 1 {
		t.Errorf("byHand = %+v", limits)
	}
}

// What is accepted is a limit that a Transport takes.
func FuzzLimitFlag(f *testing.F) {
	for _, seed := range []string{"api.test/=10/s burst 5", "POST /x=1/min", "/=5000 in 24h", "=", "a/=1e9", "a/=1e-300", "a/=9 in 1ns"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var h handLimit
		if h.UnmarshalText([]byte(text)) != nil {
			return
		}
		if err := (&transport.Transport{Limits: byHand([]handLimit{h})}).Validate(); err != nil {
			t.Errorf("%q was accepted: %v", text, err)
		}
		if h.limit.Rate <= 0 || h.limit.Burst < 1 {
			t.Errorf("%q: %+v", text, h.limit)
		}
	})
}
