package throttletest

import (
	"errors"
	"math"
	"math/big"
	"testing"
	"time"
)

// A limit is either refused with the name of a field, or it is the rate that was
// asked for and can be counted without overflow.
func FuzzNewLimit(f *testing.F) {
	f.Add(10.0, 5, int64(0))
	f.Add(1.3888888888888888, 1, int64(time.Hour))
	f.Add(1e-9, 9, int64(0))
	f.Add(1e9, math.MaxInt, int64(time.Second))
	f.Add(math.NaN(), 1, int64(-1))
	f.Add(1.9e-9, 1, int64(math.MaxInt64))
	f.Fuzz(func(t *testing.T, rate float64, burst int, window int64) {
		l, err := newLimit(rate, burst, time.Duration(window))
		if err != nil {
			if ce, ok := errors.AsType[*ConfigError](err); !ok || ce.Field == "" {
				t.Fatalf("newLimit(%v, %d, %d): %v, want a *ConfigError with a field", rate, burst, window, err)
			}
			return
		}
		if l.quota < 1 || l.window < 1 || l.perCall < 1 || l.perNano < 1 || l.burst != int64(burst) {
			t.Fatalf("newLimit(%v, %d, %d) = %+v, want positive numbers", rate, burst, window, l)
		}
		if !near(float64(l.quota)/float64(l.window), rate) {
			t.Errorf("newLimit(%v, …) is %d in %d s", rate, l.quota, l.window)
		}
		perSecond := new(big.Rat).SetFrac(big.NewInt(l.perNano), big.NewInt(l.perCall))
		perSecond.Mul(perSecond, big.NewRat(1e9, 1))
		if perSecond.Cmp(big.NewRat(l.quota, l.window)) != 0 {
			t.Errorf("newLimit(%v, …) keeps %v calls a second but publishes %d/%d", rate, perSecond, l.quota, l.window)
		}
		if full := new(big.Int).Mul(big.NewInt(l.burst), big.NewInt(l.perCall)); !full.IsInt64() {
			t.Errorf("newLimit(%v, %d, …): a full budget is %v parts", rate, burst, full)
		}
	})
}

func TestConfigErrors(t *testing.T) {
	for _, tt := range []struct {
		config Config
		field  string
	}{
		{Config{}, "Rate"},
		{Config{Rate: -1}, "Rate"},
		{Config{Rate: math.NaN()}, "Rate"},
		{Config{Rate: math.Inf(1)}, "Rate"},
		{Config{Rate: 1e-10}, "Rate"},
		{Config{Rate: 1, Burst: -1}, "Burst"},
		{Config{Rate: 1, Burst: 1 << 40}, "Burst"},
		{Config{Rate: 1, Window: time.Millisecond}, "Window"},
		{Config{Rate: 2, Window: 1500 * time.Millisecond}, "Window"},
		{Config{Rate: 1, Window: -time.Second}, "Window"},
		{Config{Rate: 1.0 / 3, Window: 10 * time.Second}, "Window"},
		{Config{Rate: 1e9, Window: 1e7 * time.Second}, "Window"},
		{Config{Rate: 1, Spent: -1}, "Spent"},
		{Config{Rate: 1, Spent: 2}, "Spent"},
		{Config{Rate: 1, Dialect: -1}, "Dialect"},
		{Config{Rate: 1, Dialect: Nothing + 1}, "Dialect"},
		{Config{Rate: 1, RetryAfter: RetryAfterNone + 1}, "RetryAfter"},
		{Config{Rate: 1, Status: 100}, "Status"},
		{Config{Rate: 1, Status: 600}, "Status"},
	} {
		_, err := NewHandler(tt.config)
		if ce, ok := errors.AsType[*ConfigError](err); !ok || ce.Field != tt.field {
			t.Errorf("NewHandler(%+v): %v, want a *ConfigError of %s", tt.config, err, tt.field)
		}
	}
}

func TestConfigErrorText(t *testing.T) {
	_, err := NewHandler(Config{Rate: 1, Burst: 3, Spent: 4})
	if want := "throttletest: Config.Spent is 4: want 0 to Burst"; err == nil || err.Error() != want {
		t.Errorf("NewHandler: %v, want %s", err, want)
	}
}
