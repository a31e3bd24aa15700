package simulate

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
)

// Parameters are refused with an error that names the field, or make a server
// that works; nothing panics.
func FuzzParameters(f *testing.F) {
	for _, seed := range [][4]int64{{1, 1, 1, 0}, {0, 0, 0, 0}, {-1, -1, -1, -1}, {5, 1e9, 10, 5}, {math.MaxInt64, math.MaxInt64, math.MaxInt64, math.MaxInt64}, {1 << 53, 1 << 60, 1, 0}, {1 << 26, 1 << 26, 1 << 35, 1 << 25}} {
		f.Add(seed[0], seed[1], seed[2], seed[3])
	}
	f.Fuzz(func(t *testing.T, count, span, size, phase int64) {
		for name, s := range build(t, count, span, size, phase) {
			burst := s.Policy().Burst
			if burst < 1 {
				t.Errorf("%s: burst %d", name, burst)
			}
			for _, at := range []time.Duration{0, 1, time.Duration(span), Horizon} {
				checkVerdict(t, name, s.Arrive(at, min(burst, 1000)), int64(at))
			}
			if v := s.Arrive(Horizon, burst+1); burst < math.MaxInt64 && v.RetryAt != Never {
				t.Errorf("%s: cost of burst+1: %+v", name, v)
			}
		}
	})
}

// build makes every model that accepts the parameters.
func build(t *testing.T, count, span, size, phase int64) map[string]Server {
	rate, at := per(count, time.Duration(span)), time.Duration(phase)
	servers := map[string]Server{}
	add := func(name string, s Server, err error) {
		if err == nil {
			servers[name] = s
			return
		}
		if pe, ok := errors.AsType[*ParamError](err); !ok || pe.Field == "" || pe.Model == "" || pe.Want == "" {
			t.Errorf("%s: %v does not name the field", name, err)
		}
	}
	gcra, err := NewGCRA(rate.Per, at)
	add("GCRA", gcra, err)
	token, err := NewTokenBucket(rate, size)
	add("token bucket", token, err)
	tick, err := NewTickBucket(rate, size)
	add("tick bucket", tick, err)
	leaky, err := NewLeakyBucket(rate, size)
	add("leaky bucket", leaky, err)
	fixed, err := NewFixedWindow(rate, at)
	add("fixed window", fixed, err)
	log, err := NewSlidingLog(rate)
	add("sliding log", log, err)
	counter, err := NewSlidingCounter(rate)
	add("sliding counter", counter, err)
	step, err := NewStepRefill(rate, size, at)
	add("step refill", step, err)
	return servers
}

// Each refusal names the parameter that is wrong.
func TestParamErrors(t *testing.T) {
	bucket := must(NewTokenBucket(per(1, sec), 5))
	errOf := func(_ any, err error) error { return err }
	for _, tt := range []struct {
		err   error
		field string
	}{
		{errOf(NewGCRA(0, 0)), "interval"},
		{errOf(NewGCRA(-1, 0)), "interval"},
		{errOf(NewGCRA(1, -1)), "tolerance"},
		{errOf(NewTokenBucket(per(0, sec), 1)), "count"},
		{errOf(NewTokenBucket(per(1, 0), 1)), "per"},
		{errOf(NewTokenBucket(per(2, 1), 1)), "count"},
		{errOf(NewTokenBucket(per(1, sec), 0)), "size"},
		{errOf(NewTokenBucket(per(1, time.Hour), 1<<50)), "size"},
		{errOf(NewTickBucket(per(1, sec), -1)), "size"},
		{errOf(NewLeakyBucket(per(-1, sec), 1)), "count"},
		{errOf(NewFixedWindow(per(1, sec), sec)), "phase"},
		{errOf(NewFixedWindow(per(1, sec), -2)), "phase"},
		{errOf(NewSlidingLog(per(1<<27, sec))), "count"},
		{errOf(NewSlidingCounter(per(1, -sec))), "per"},
		{errOf(NewStepRefill(per(1, sec), 1, -1)), "phase"},
		{errOf(NewConcurrency(0)), "limit"},
		{errOf(NewAll()), "limits"},
		{errOf(NewAll(nil)), "limits"},
		{errOf(NewSplit(0, nil)), "n"},
		{errOf(NewChanging(nil)), "server"},
		{errOf(NewChanging(bucket, Change{At: -1})), "change 0 at"},
		{errOf(NewChanging(bucket, Change{At: 1})), "count"},
		{errOf(PerSecond(math.NaN())), "per second"},
		{errOf(PerSecond(math.Inf(1))), "per second"},
		{errOf(PerSecond(0)), "per second"},
		{errOf(PerSecond(-1)), "per second"},
		{bucket.SetLevel(0, math.NaN()), "level"},
		{bucket.SetLevel(0, -1), "level"},
		{bucket.SetLevel(0, 5.1), "level"},
		{Network{Loss: math.NaN()}.Validate(), "loss"},
		{Network{Spikes: 1.1}.Validate(), "spikes"},
		{Network{RTT: -1}.Validate(), "RTT"},
		{Network{Sigma: math.Inf(1)}.Validate(), "sigma"},
	} {
		pe, ok := errors.AsType[*ParamError](tt.err)
		if !ok || pe.Field != tt.field {
			t.Errorf("got %v, want a ParamError for %q", tt.err, tt.field)
		}
	}
	want := "simulate: GCRA: interval -1s, want 1ns to "
	if _, err := NewGCRA(-sec, 0); !strings.HasPrefix(fmt.Sprint(err), want) {
		t.Errorf("got %q, want it to begin as %q", err, want)
	}
}
