package headers

import (
	"errors"
	"math"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestSet(t *testing.T) {
	for _, tt := range []struct {
		name          string
		policies      []Policy
		policy, state string
	}{
		{"whole", []Policy{{
			Name: "a", PartitionKey: "k", Limit: Some(10.0), Window: time.Minute, Burst: Some(20.0),
			Remaining: Some(4.7), Reset: Some(2100 * time.Millisecond), Unit: "requests",
		}}, `"a";q=10;w=60;pk=:aw==:;headway-burst=20`, `"a";r=4;t=3;pk=:aw==:`},
		{"no name", []Policy{{Limit: Some(10.0)}}, `"default";q=10`, ""},
		{"no limit", []Policy{{Name: "a", Remaining: Some(0.0), Unit: "bytes"}}, "", `"a";r=0;qu="content-bytes"`},
		{"two", []Policy{{Name: "a", Limit: Some(1.0)}, {Name: "b", Limit: Some(2.0), Unit: "concurrency"}},
			`"a";q=1, "b";q=2;qu="concurrent-requests"`, ""},
		{"quotes", []Policy{{Name: `a "b"\`, Limit: Some(0.0)}}, `"a \"b\"\\";q=0`, ""},
		{"none", nil, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := http.Header{"Ratelimit": {"old", "older"}, "Ratelimit-Policy": {"old"}}
			if err := Set(h, tt.policies...); err != nil {
				t.Fatal(err)
			}
			if got := h.Values("RateLimit-Policy"); strings.Join(got, "|") != tt.policy {
				t.Errorf("RateLimit-Policy: %q, want %q", got, tt.policy)
			}
			if got := h.Values("RateLimit"); strings.Join(got, "|") != tt.state {
				t.Errorf("RateLimit: %q, want %q", got, tt.state)
			}
		})
	}
}

var good = Policy{Name: "good", Limit: Some(1.0)}

// badSets are policies whose last cannot be written, and which field of which
// policy the error is about.
var badSets = []struct {
	policies      []Policy
	policy, field string
}{
	{[]Policy{good, {Name: "a"}}, "a", "Limit"},
	{[]Policy{good, {Name: "a", Limit: Some(0.5)}}, "a", "Limit"},
	{[]Policy{good, {Name: "a", Limit: Some(-1.0)}}, "a", "Limit"},
	{[]Policy{good, {Name: "a", Limit: Some(math.NaN())}}, "a", "Limit"},
	{[]Policy{good, {Name: "a", Limit: Some(math.Inf(1))}}, "a", "Limit"},
	{[]Policy{good, {Name: "a", Limit: Some(1e15)}}, "a", "Limit"},
	{[]Policy{good, {Name: "a", Limit: Some(1.0), Window: 500 * time.Millisecond}}, "a", "Window"},
	{[]Policy{good, {Name: "a", Limit: Some(1.0), Window: -time.Second}}, "a", "Window"},
	{[]Policy{good, {Name: "a", Limit: Some(1.0), Burst: Some(1.5)}}, "a", "Burst"},
	{[]Policy{good, {Name: "a", Limit: Some(1.0), Unit: "ü"}}, "a", "Unit"},
	{[]Policy{good, {Name: "a", Limit: Some(1.0), Reset: Some(time.Second)}}, "a", "Remaining"},
	{[]Policy{good, {Name: "a", Remaining: Some(-1.0)}}, "a", "Remaining"},
	{[]Policy{good, {Name: "a", Remaining: Some(1.0), Reset: Some(-time.Second)}}, "a", "Reset"},
	{[]Policy{good, {Name: "a", Remaining: Some(1.0), Reset: Some(400 * day)}}, "a", "Reset"},
	{[]Policy{good, {Name: "ü", Limit: Some(1.0)}}, "ü", "Name"},
	{[]Policy{good, good}, "good", "Name"},
	{[]Policy{{Limit: Some(1.0)}, {Name: "default", Limit: Some(1.0)}}, "default", "Name"},
	{manyPolicies(), "", "RateLimit-Policy"},
	{[]Policy{{Name: strings.Repeat("x", maxValue), Limit: Some(1.0)}}, "", "RateLimit-Policy"},
}

func manyPolicies() (many []Policy) {
	for i := range maxItems + 1 {
		many = append(many, Policy{Name: strings.Repeat("x", i+1), Limit: Some(1.0)})
	}
	return many
}

// An error names the policy and the field, and leaves the header as it was.
func TestSetErrors(t *testing.T) {
	for _, tt := range badSets {
		h := http.Header{"Ratelimit": {"old"}}
		err := Set(h, tt.policies...)
		fe, ok := errors.AsType[*FieldError](err)
		if !ok || fe.Policy != tt.policy || fe.Field != tt.field || fe.Unwrap() == nil || !strings.HasPrefix(err.Error(), "headers: ") {
			t.Errorf("Set(%+v) = %v, want an error about %q of %q", tt.policies[len(tt.policies)-1], err, tt.field, tt.policy)
		}
		if !reflect.DeepEqual(h, http.Header{"Ratelimit": {"old"}}) {
			t.Errorf("Set failed and left %v", h)
		}
	}
}
