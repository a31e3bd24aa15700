package limited

import (
	"testing"
	"time"

	"github.com/headway-go/headway/throttle/simulate"
)

func TestParseRate(t *testing.T) {
	for _, tt := range []struct {
		text  string
		count int64
		per   time.Duration
	}{
		{"10", 10, time.Second},
		{"10/s", 10, time.Second},
		{" 600 / min ", 600, time.Minute},
		{"5000/h", 5000, time.Hour},
		{"3/day", 3, 24 * time.Hour},
		{"1/30s", 1, 30 * time.Second},
		{"100/1m30s", 100, 90 * time.Second},
		{"0.5", 1, 2 * time.Second},
		{"2.5/s", 1, 400 * time.Millisecond},
		{"1e3", 1000, time.Second},
	} {
		got, err := ParseRate(tt.text)
		if want := (simulate.Rate{Count: tt.count, Per: tt.per}); err != nil || got != want {
			t.Errorf("ParseRate(%q) = %v, %v, want %v", tt.text, got, err, want)
		}
	}
	for _, text := range []string{"", "/", "/s", "10/", "x", "10/x", "10/-1s", "10/0s", "0", "-1", "NaN", "Inf", "1e10", "1e-10", "1/2/3"} {
		if got, err := ParseRate(text); err == nil {
			t.Errorf("ParseRate(%q) = %v, want an error", text, got)
		}
	}
}

// What is read can be kept by a bucket, or is refused by it.
func FuzzParseRate(f *testing.F) {
	for _, text := range []string{"10", "600/min", "1/30s", "0.333/h", "1e9/1ns", "NaN/s"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rate, err := ParseRate(text)
		if err != nil {
			return
		}
		if rate.Count < 1 || rate.Per < 1 {
			t.Errorf("ParseRate(%q) = %v", text, rate)
		}
		for _, m := range Models() {
			if s, err := m.New(rate, 10); err == nil {
				s.Arrive(time.Second, 1)
			}
		}
	})
}

func TestOver(t *testing.T) {
	for _, tt := range []struct {
		rate   string
		window time.Duration
		want   int64
	}{
		{"10/s", time.Minute, 600},
		{"600/min", time.Second, 10},
		{"1/3s", time.Minute, 20},
		{"1/min", time.Second, 0},
		{"1/7s", time.Minute, 0},
		{"1e9", 1 << 62, 4611686018427387904},
	} {
		rate, err := ParseRate(tt.rate)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Over(rate, tt.window)
		if got.Count != tt.want || (err == nil) != (tt.want > 0) {
			t.Errorf("%s over %v: %v, %v, want %d", tt.rate, tt.window, got, err, tt.want)
		}
	}
	if got, err := Over(simulate.Rate{Count: 1 << 53, Per: 1}, 1<<62); err == nil {
		t.Errorf("far too many: %v", got)
	}
}
