package sim

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

func curveOf(t *testing.T, spec, requests string, points int) *Curve {
	t.Helper()
	s, err := ParseSpec(spec, Spec{})
	if err != nil {
		t.Fatal(err)
	}
	report, err := Setup{Models: []Spec{s}, Points: points}.Run(List(requests), nil)
	if err != nil {
		t.Fatal(err)
	}
	return report.Models[0].Curve
}

// has reports whether there is a dot.
func (d Dots) has(at, tokens float64) bool {
	for i := range d.Time {
		if d.Time[i] == at && d.Tokens[i] == tokens {
			return true
		}
	}
	return false
}

// The level rises until the bucket is full, and jumps where a window ends.
func TestCurve(t *testing.T) {
	bucket := curveOf(t, "token-bucket,bucket=5,refill=1", "0,0:2,10,10:5", 1000)
	for _, want := range [][2]float64{{0, 5}, {0, 4}, {0, 2}, {3, 5}, {6.25, 5}, {10, 5}, {10, 4}} {
		if !bucket.Tokens.has(want[0], want[1]) {
			t.Errorf("no tokens at %v in %v", want, bucket.Tokens)
		}
	}
	if got, want := fmt.Sprint(bucket.Allowed, bucket.Refused), "{[0 0 10] [4 2 4]} {[10] [4]}"; got != want {
		t.Errorf("the marks are %s, want %s", got, want)
	}
	window := curveOf(t, "fixed-window,limit=5,window=5s", "0,7", 1000)
	for _, want := range [][2]float64{{0, 4}, {4.999999999, 4}, {5, 5}, {7, 5}, {7, 4}} {
		if !window.Tokens.has(want[0], want[1]) {
			t.Errorf("no tokens at %v in %v", want, window.Tokens)
		}
	}
	if curveOf(t, "gcra,t=1s,tau=0s", "0", 0) != nil {
		t.Error("there is a curve that nobody wants")
	}
}

// Where a model has whole units, the level stands until the next of them comes.
func TestCurveOfStairs(t *testing.T) {
	for _, tt := range []struct {
		spec, requests string
		want           [][2]float64
	}{
		{"ticks,bucket=5,refill=1", "0:5,3", [][2]float64{{0.999999999, 0}, {1, 1}, {1.999999999, 1}, {2, 2}, {2.999999999, 2}, {3, 3}}},
		{"ticks,bucket=6,refill=1,tick=2s", "0:6,3.5", [][2]float64{{1.999999999, 0}, {2, 2}, {3.5, 2}}},
		{"fixed-window,limit=5,window=5s", "0:5,5", [][2]float64{{4.999999999, 0}, {5, 5}}},
		{"sliding-log,limit=5,window=5s", "0:2,2:3,8", [][2]float64{{4.999999999, 0}, {5, 2}, {6.999999999, 2}, {7, 5}}},
	} {
		dots := curveOf(t, tt.spec, tt.requests, 1000).Tokens
		for _, want := range tt.want {
			if !dots.has(want[0], want[1]) {
				t.Errorf("%s: no tokens at %v in %v", tt.spec, want, dots)
			}
		}
	}
}

// A part of a run is as it is in the whole, from edge to edge.
func TestCurveOfAPart(t *testing.T) {
	s := Spec{Bucket: 5 * One, Refill: 1}
	report, err := Setup{Models: []Spec{s}, Points: 1000, From: 2 * time.Second, To: 5 * time.Second}.Run(List("0:5,3,3:5,9,9:5"), nil)
	if err != nil {
		t.Fatal(err)
	}
	c := report.Models[0].Curve
	for _, want := range [][2]float64{{2, 2}, {3, 3}, {3, 2}, {5, 4}} {
		if !c.Tokens.has(want[0], want[1]) {
			t.Errorf("no tokens at %v in %v", want, c.Tokens)
		}
	}
	if n := len(c.Tokens.Time); c.Tokens.Time[0] != 2 || c.Tokens.Time[n-1] != 5 {
		t.Errorf("it goes from %v to %v, want 2 to 5", c.Tokens.Time[0], c.Tokens.Time[n-1])
	}
	if got, want := fmt.Sprint(c.Allowed, c.Refused), "{[3] [2]} {[3] [2]}"; got != want {
		t.Errorf("the marks are %s, want %s", got, want)
	}
	if m := report.Models[0]; m.Allowed+m.Refused != 5 {
		t.Errorf("%d requests count, want all 5", m.Allowed+m.Refused)
	}
}

// However many requests there are, the curve is short, in order, and goes as high
// and as low as the tokens did.
func TestCurveIsShort(t *testing.T) {
	var requests strings.Builder
	rnd := rand.New(rand.NewPCG(5, 6))
	at := 0.0
	for range 20_000 {
		at += rnd.ExpFloat64() / 10
		fmt.Fprintf(&requests, "%.6f\n", at)
	}
	for _, points := range []int{1, 100, 5000} {
		c := curveOf(t, "token-bucket,bucket=50,refill=9", requests.String(), points)
		most := max(points, 16)
		for _, d := range []Dots{c.Tokens, c.Allowed, c.Refused} {
			if len(d.Time) < most/8 || len(d.Time) > most || len(d.Time) != len(d.Tokens) {
				t.Errorf("of %d points there are %d and %d", points, len(d.Time), len(d.Tokens))
			}
			for i := range d.Time[1:] {
				if d.Time[i] > d.Time[i+1] {
					t.Fatalf("time goes back at %v", d.Time[i])
				}
			}
		}
		least, greatest := 50.0, 0.0
		for _, v := range c.Tokens.Tokens {
			least, greatest = min(least, v), max(greatest, v)
		}
		if least > 0.01 || greatest != 50 {
			t.Errorf("with %d points the tokens go from %v to %v, want about 0 to 50", points, least, greatest)
		}
		if last := c.Tokens.Time[len(c.Tokens.Time)-1]; fmt.Sprintf("%.6f", last) != fmt.Sprintf("%.6f", at) {
			t.Errorf("the last is at %v, want %v", last, at)
		}
	}
}

// Many at one instant are as short.
func TestCurveOfOneInstant(t *testing.T) {
	c := curveOf(t, "token-bucket,bucket=1000,refill=1", strings.Repeat("1,", 1000), 64)
	if len(c.Tokens.Time) > 64 || !c.Tokens.has(1, 1000) || !c.Tokens.has(1, 0) {
		t.Errorf("%d points, from %v", len(c.Tokens.Time), c.Tokens.Tokens[0])
	}
}

func TestThin(t *testing.T) {
	list := thinned{most: 16}
	for i, v := range []float64{5, 5, 1, 9, 5, 5, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7} {
		list.add(time.Duration(i), v)
	}
	if got, want := fmt.Sprint(list.dots()), "{[0 2e-09 3e-09 7e-09 8e-09 1.5e-08] [5 1 9 7 7 7]}"; got != want {
		t.Errorf("16 dots become %s, want %s", got, want)
	}
}
