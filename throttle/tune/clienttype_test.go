package tune

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// The type of client follows from names, agents and instants.
func TestGuess(t *testing.T) {
	with := func(agent string, calls int, resumed, steady sizes) *class {
		c := &class{name: "GET /a", sizes: sizes{}, resumed: resumed}
		for _, s := range []sizes{resumed, steady} {
			for size, n := range s {
				c.sizes[size] += n
			}
		}
		c.calls = int64(calls)
		c.agents[agents{}.kind([]byte(agent))] = c.calls
		return c
	}
	small, large := sizes{1: 100}, sizes{12: 100}
	regular := with("", 100, sizes{}, small)
	regular.regularCalls = 51
	wall := with("", 100, sizes{}, large) // a page that loads itself again
	wall.regularCalls = 100
	named := with("curl/8", 100, sizes{}, large)
	named.name = "POST /v1/oauth/token"
	for _, tt := range []struct {
		name string
		c    *class
		want ClientType
		why  string
	}{
		{"a name", named, Login, "its name has oauth"},
		{"programs in batches", with("curl/8", 100, sizes{}, large), Batch, "100 % of the calls are of programs, in batches"},
		{"programs", with("curl/8", 100, sizes{}, small), Machine, "100 % of the calls are of programs"},
		{"apps", with("okhttp/4", 100, sizes{}, small), Mobile, "100 % of the calls are of apps"},
		{"browsers", with("Mozilla/5.0", 100, sizes{}, large), Interactive, "nothing tells otherwise"},
		{"it comes back with more", with("Mozilla/5.0", 100, sizes{12: 20}, small), Mobile, "clusters are larger after 5 min away"},
		{"it seldom comes back", with("", 100, sizes{12: 19}, small), Interactive, "nothing tells otherwise"},
		{"it comes back with the same", with("", 100, sizes{1: 50}, small), Interactive, "nothing tells otherwise"},
		{"it comes back with one more, by chance", with("", 100, sizes{1: 90, 2: 10}, sizes{1: 200, 2: 1}), Interactive, "nothing tells otherwise"},
		{"it only comes back", with("", 100, sizes{12: 50}, sizes{}), Interactive, "nothing tells otherwise"},
		{"regular pages", wall, Interactive, "nothing tells otherwise"},
		{"regular", regular, Machine, "most calls come one by one, at regular intervals"},
	} {
		if got, why := tt.c.guess(); got != tt.want || why != tt.why {
			t.Errorf("%s: %v, because %s; want %v, %s", tt.name, got, why, tt.want, tt.why)
		}
	}
}

// The matrix says of each type what the tolerance is made for.
func TestMatrix(t *testing.T) {
	c := &class{sizes: sizes{1: 880, 9: 100, 15: 20}, resumed: sizes{15: 20}}
	for kind, want := range map[ClientType]int64{
		Interactive: 18, // ⌈15 × 1.2⌉
		Mobile:      18,
		Batch:       15,
		Machine:     15,
		Login:       1,
	} {
		if got := kind.tauOverT(c, 99); got != want {
			t.Errorf("%v: τ/T = %d, want %d", kind, got, want)
		}
	}
	steady := &class{sizes: sizes{1: 10_000, 9: 100}, resumed: sizes{9: 50}}
	if interactive, mobile := Interactive.tauOverT(steady, 99), Mobile.tauOverT(steady, 99); interactive != 2 || mobile != 11 {
		t.Errorf("sized for steady use %d, for coming back %d; want 2 and 11", interactive, mobile)
	}
	if got := Mobile.tauOverT(&class{sizes: sizes{9: 1}}, 99); got != 11 {
		t.Errorf("nobody ever came back: %d, want 11", got)
	}
	if got := Login.tauOverT(&class{sizes: sizes{}}, 99); got != 0 {
		t.Errorf("nobody ever came: %d, want 0", got)
	}
	for i, row := range Matrix() {
		if row.Type != ClientType(i+1) || row.Who == "" || row.Rule == "" || row.Why == "" {
			t.Errorf("row %d of the matrix is %+v", i, row)
		}
	}
	if len(Matrix()) != len(typeNames)-1 {
		t.Errorf("the matrix has %d rows", len(Matrix()))
	}
}

func TestTypeNames(t *testing.T) {
	for i, name := range typeNames {
		var got ClientType
		if err := got.UnmarshalText([]byte(name)); err != nil || got != ClientType(i) || got.String() != name {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	var got ClientType
	if err := got.UnmarshalText([]byte("robot")); err == nil || !strings.Contains(err.Error(), `"robot", want one of interactive, mobile`) {
		t.Errorf("robot: %v", err)
	}
	if text := ClientType(17).String(); text != "ClientType(17)" {
		t.Error(text)
	}
}

// What comes after five minutes away is the measure for an app, however steady
// the rest of its calls.
func TestResume(t *testing.T) {
	var log strings.Builder
	for i := range 60 {
		wakes := 3000 * i
		for call := range 12 {
			fmt.Fprintf(&log, "%d.%03d phone%d\n", wakes, 10*call, i%2)
		}
		for poll := range 40 {
			fmt.Fprintf(&log, "%d phone%d\n", wakes+20+7*poll*(1+poll%3), i%2)
		}
	}
	r := plain(t, Options{}, log.String())
	if r.All.Type != Mobile || r.All.TypeWhy != "clusters are larger after 5 min away" || r.All.Advised.TauOverT != 15 {
		t.Errorf("type %v (%s), advised %+v; want mobile and ⌈12 × 1.2⌉", r.All.Type, r.All.TypeWhy, r.All.Advised)
	}
	steady := strings.ReplaceAll(log.String(), "phone1", "phone0") // nobody is away for as long
	if r := plain(t, Options{Gap: time.Millisecond}, steady); r.All.Type == Mobile {
		t.Errorf("type %v (%s) of single calls", r.All.Type, r.All.TypeWhy)
	}
}
