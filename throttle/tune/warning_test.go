package tune

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/headway-go/headway/throttle/tune/accesslog"
)

// warned returns the text of the warning of a kind, "" if there is none.
func warned(r *Report, kind string) string {
	for _, w := range r.Warnings {
		if w.Kind == kind {
			return w.Text
		}
	}
	return ""
}

// repeat is a log of n lines, made by format of a number of seconds.
func repeat(n int, format string, every time.Duration) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format+"\n", (time.Duration(i) * every).Seconds())
	}
	return b.String()
}

// irregular is a log of n calls of which nobody would think that they are a loop.
func irregular(n int) string {
	var b strings.Builder
	at := 0
	for i := range n {
		at += 1 + i*i%37
		fmt.Fprintln(&b, at)
	}
	return b.String()
}

func TestWarnings(t *testing.T) {
	page := func(size int) string {
		var log strings.Builder
		for i := range 100 {
			for call := range size {
				fmt.Fprintf(&log, "%d.%03d alice GET /p\n", 1000*i, call)
			}
		}
		return log.String()
	}
	minute := Limit{60, time.Minute}
	for _, tt := range []struct {
		kind    string
		options Options
		log     string
		want    string // how it begins; empty if nobody is to be warned
	}{
		{"above half", Options{Limit: minute}, page(25), ""},
		{"above half", Options{Limit: minute}, page(26), "τ = 32s is above half of the window of 1m"},
		{"above half", Options{Limit: minute}, page(50), ""},
		{"above window", Options{Limit: minute}, page(50), "τ = 1m is not below the window of 1m"},
		{"above window", Options{Limit: minute}, page(49), ""},
		{"mean", Options{}, page(9), ""},
		{"mean", Options{}, page(9) + repeat(1000, "%.1f bob", 1500*time.Millisecond),
			"do not go by the mean: a cluster has 1.7 calls on average, but sized so, τ/T = 2, 32 % of the calls would be rejected"},
		{"rate", Options{}, repeat(1000, "%.1f bob", 900*time.Millisecond), ""}, // it is a loop
		{"rate", Options{Limit: Limit{1, time.Hour}}, irregular(8300), "even at τ/T = 4096 50 % of the calls are rejected: clients call more than 1/1h"},
		{"unlike classes", Options{}, page(9), ""},
		{"unlike classes", Options{}, page(9) + "1 bob POST /login", "one tolerance for all is wrong for some: τ/T is to be 1 for POST /login, and 11 for GET /p"},
		{"unlike classes", Options{}, page(9) + repeat(99, "%.0f bob GET /q", 7*time.Minute), "one tolerance for all is wrong for some: τ/T is to be 1 for GET /q, and 11 for GET /p"},
		{"unlike classes", Options{}, page(3) + repeat(99, "%.0f bob GET /q", 7*time.Minute), ""},
		{"short log", Options{}, "0\n500000", "the log covers 138h53m20s: a week"},
		{"short log", Options{}, "0\n604800", ""},
		{"few clusters", Options{}, page(2), ""},
		{"few clusters", Options{}, "1", "too few clusters (1) for a high percentile"},
		{"whole seconds", Options{}, page(1), ""},
		{"whole seconds", Options{}, "1\n2\n3.5", "the log has whole seconds"},
		{"already refused", Options{}, `{"time":1,"status":429}`, "1 call got a 429"},
		{"repeated", Options{}, `{"time":1}` + "\n" + `{"time":2,"wait_s":1,"attempt":2}`, "left out: 1 call made again"},
		{"missing", Options{}, `{"time":1,"wait_s":0,"attempt":2,"dropped":3}` + "\n" + `{"time":2,"wait_s":0,"dropped":2}` + "\n" + `{"time":3,"dropped":9}`,
			"5 lines are missing where the log was written"},
		{"no client", Options{}, "1\n2 alice", "without the name of a client, and counted as those of one: 1 call"},
		{"left out", Options{MaxClients: 1}, "1 alice\n2 bob", "left out: 1 call of clients beyond the first 1"},
		{"no match", Options{Rules: []Rule{{Pattern: "/x"}, {Pattern: "/p"}, {Pattern: AllCalls, Type: Mobile}}}, page(1), "no call matches /x"},
	} {
		r := plain(t, tt.options, tt.log)
		if got := warned(r, tt.kind); !strings.HasPrefix(got, tt.want) || got != "" && tt.want == "" {
			t.Errorf("%s: %q, want %q; all: %+v", tt.kind, got, tt.want, r.Warnings)
		}
	}
	if r := plain(t, Options{Rules: []Rule{{Pattern: AllCalls, Type: Mobile}}}, "1"); r.All.Type != Mobile {
		t.Errorf("all calls are taken for those of type %v, want mobile", r.All.Type)
	}
}

// A client that never stops is named, and no tolerance is made for it.
func TestLoops(t *testing.T) {
	pages := repeat(100, "%.0f alice\n%[1]f alice\n%[1]f alice", time.Hour)
	for _, tt := range []struct {
		name, log string
		want      string // why; empty if it is none
	}{
		{"fast", repeat(400, "%.3f bob", 50*time.Millisecond), "100 calls and more without a pause, far above the limit"},
		{"a batch", repeat(70, "%.3f bob", 50*time.Millisecond), ""},
		{"long, but within the limit", repeat(400, "%.3f bob", 1050*time.Millisecond), "399 times one call after the other, each 1.05s, with hardly a variation"},
		{"regular and seldom", repeat(400, "%.3f bob", 10*time.Second), ""},
		{"regular and short", repeat(90, "%.3f bob", time.Second), ""},
	} {
		r := plain(t, Options{}, pages+tt.log)
		if (r.NumLoops == 1) != (tt.want != "") || len(r.Loops) != r.NumLoops {
			t.Errorf("%s: %+v", tt.name, r.Loops)
			continue
		}
		if tt.want == "" {
			continue
		}
		if l := r.Loops[0]; l.Client != "bob" || l.Calls != 400 || l.Why != tt.want {
			t.Errorf("%s: %+v, want %q", tt.name, l, tt.want)
		}
		if text := warned(r, "loop"); !strings.HasPrefix(text, `"bob" looks like a runaway loop`) {
			t.Errorf("%s: it says %q", tt.name, text)
		}
		if r.All.Enough == nil || r.All.Enough.TauOverT != 2 || r.All.Enough.OtherRate != 0 {
			t.Errorf("%s: enough is %+v, want what alice needs", tt.name, r.All.Enough)
		}
		if c := r.All.Clusters; c.Max != 3 || c.Loops > 1 {
			t.Errorf("%s: clusters %+v, want those of alice", tt.name, c)
		}
	}
	batch := Options{Rules: []Rule{{Pattern: "jobs", Type: Batch}}}
	r := plain(t, batch, repeat(400, "%.3f bob jobs", 50*time.Millisecond))
	for _, c := range []Class{r.All, r.Classes[0]} {
		if c.Enough == nil || c.Enough.TauOverT < 300 || c.Clusters.Max != 400 || r.NumLoops > 0 {
			t.Errorf("%s: a batch that is known to be one: enough is %+v, clusters %+v; want room for it", c.Name, c.Enough, c.Clusters)
		}
	}
	r = plain(t, Options{}, repeat(400, "%.3f", 50*time.Millisecond))
	if c := r.All; c.Clusters.Max != 400 || c.Enough.TauOverT < 300 || r.NumLoops != 1 {
		t.Errorf("nothing but a loop: enough is %+v, clusters %+v; want what there is", c.Enough, c.Clusters)
	}
	var many strings.Builder
	for i := range 70 {
		many.WriteString(repeat(400+i, "%.3f loop"+fmt.Sprint(i), 50*time.Millisecond))
	}
	r = plain(t, Options{}, many.String())
	if r.NumLoops != 70 || len(r.Loops) != maxLoops || r.Loops[0].Client != "loop69" || r.Loops[19].Client != "loop50" {
		t.Errorf("%d loops, of which %+v", r.NumLoops, r.Loops)
	}
	if text := warned(r, "loop"); !strings.HasPrefix(text, `70 clients look like runaway loops, most of all "loop69"`) {
		t.Errorf("it says %q", text)
	}
}

// A Transport's recording tells when calls were wanted, not when they were let go.
func TestRecording(t *testing.T) {
	var log strings.Builder
	for i := range 5 {
		fmt.Fprintf(&log, `{"time":%d,"key":"api","class":"GET /a","cost":1,"attempt":1,"wait_s":%d,"status":200}`+"\n", 100+10*i, 10*i)
	}
	r := plain(t, Options{}, log.String())
	if want := (Size{5, 1}); len(r.All.Clusters.Sizes) != 1 || r.All.Clusters.Sizes[0] != want || r.Classes[0].Name != "GET /a" {
		t.Errorf("clusters %+v of %q, want one of five", r.All.Clusters.Sizes, r.Classes[0].Name)
	}
	if f := r.Logs[0].Format; f != accesslog.JSON {
		t.Errorf("the format is %v", f)
	}
}
