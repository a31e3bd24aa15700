package tune

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/headway-go/headway/throttle/tune/accesslog"
)

// plain reads a log of instants, or of instants and more.
func plain(t *testing.T, o Options, log string) *Report {
	t.Helper()
	r, err := Read(o, Log{"a.log", strings.NewReader(log)})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The example of the method: nine calls when a dashboard loads, 60 a minute
// allowed. Nothing is refused with τ = 9 s, and nearly all with none.
func TestDashboard(t *testing.T) {
	var log strings.Builder
	for page := range 200 {
		for call := range 9 {
			fmt.Fprintf(&log, "%d.%03d alice\n", 100*page, 4*call)
		}
	}
	r := plain(t, Options{}, log.String())
	if c := r.All.Clusters; c.Count != 200 || c.Percentile != 9 || c.Mean != 9 || c.Median != 9 || c.Max != 9 {
		t.Errorf("clusters %+v, want 200 of 9", c)
	}
	if a := r.All.Advised; a.TauOverT != 11 || a.BackToBack != 12 || a.Tolerance != Span(11*time.Second) || a.Share != 11.0/60 {
		t.Errorf("advised %+v, want τ/T = 11 of 60 s", a)
	}
	if e := r.All.Enough; e == nil || e.TauOverT != 8 || e.BackToBack != 9 || e.Rejected != 0 {
		t.Errorf("enough %+v, want nine back to back", e)
	}
	if none := r.All.At(0); none.Rejected != 8*200 || none.Rate != 8.0/9 || none.Queue != Span(8*time.Second-32*time.Millisecond) {
		t.Errorf("without any tolerance %+v, want 8 of 9 rejected", none)
	}
	for b := range int64(8) {
		if c := r.All.At(b); c.NearRate != 1.0/9 {
			t.Errorf("τ/T = %d: %v of the calls are near the limit, want one of nine", b, c.NearRate)
		}
	}
	var tried []int64
	for _, c := range r.All.Candidates {
		tried = append(tried, c.TauOverT)
	}
	if want := []int64{0, 1, 2, 3, 4, 5, 6, 7, 8, 11}; !slices.Equal(tried, want) {
		t.Errorf("tried %d, want those up to the first that rejects nothing, and what is advised", tried)
	}
}

// A client that waits its turn waits as long as the queue of a literal schedule
// says.
func TestQueue(t *testing.T) {
	for seed := range uint64(60) {
		rnd := rand.New(rand.NewPCG(seed, 7))
		var log strings.Builder
		var stamps []int64
		now := int64(0)
		for range 1 + rnd.IntN(100) {
			now += rnd.Int64N(300)
			stamps = append(stamps, now)
			fmt.Fprintf(&log, "%d\n", now)
		}
		limit := Limit{1 + rnd.Int64N(20), time.Second}
		r := plain(t, Options{Limit: limit, Log: accesslog.Options{Unit: time.Millisecond}}, log.String())
		for _, c := range r.All.Candidates {
			tat, worst := int64(0), int64(0)
			for _, ms := range stamps {
				at := ms * int64(time.Millisecond)
				goes := max(at, tat-int64(c.Tolerance))
				worst = max(worst, goes-at)
				tat = max(tat, goes) + int64(limit.Interval())
			}
			if r.NumLoops == 0 && c.Queue != Span(worst) {
				t.Fatalf("seed %d, τ/T = %d: the queue is %v, want %v", seed, c.TauOverT, c.Queue, Span(worst))
			}
		}
	}
}

// A call of cost n is n calls at once, all or none.
func TestCost(t *testing.T) {
	r := plain(t, Options{Candidates: []int64{4}}, "0:3\n0.1:2\n100:1\n100.2:4\n")
	want := []Size{{5, 2}}
	if !slices.Equal(r.All.Clusters.Sizes, want) || r.Calls != 4 {
		t.Errorf("clusters %+v of %d calls, want two of five units", r.All.Clusters.Sizes, r.Calls)
	}
	for _, tt := range []struct{ b, rejected int64 }{{0, 3}, {1, 2}, {2, 2}, {3, 2}, {4, 0}} {
		if got := r.All.At(tt.b); got.Rejected != tt.rejected {
			t.Errorf("τ/T = %d: %d rejected, want %d", tt.b, got.Rejected, tt.rejected)
		}
	}
	// Of cost 3 in a burst of 1 nothing is ever heard again: no wait helps.
	if wait := r.All.At(0).WorstWait; wait != 0 {
		t.Errorf("the worst wait of what never fits is %v, want none", wait)
	}
}

// Each client has its own schedule, and each class of its calls as well.
func TestClientsAndClasses(t *testing.T) {
	var log strings.Builder
	for i := range 50 {
		for _, who := range []string{"alice", "bob"} {
			fmt.Fprintf(&log, "%d.0 %s GET /a\n%d.1 %s GET /b/%d\n%d.2 %s POST /login\n", 10*i, who, 10*i, who, i, 10*i, who)
		}
	}
	r := plain(t, Options{Rules: []Rule{{Pattern: "POST /login", Limit: Limit{5, time.Minute}}, {Pattern: "GET /a", Type: Batch}}}, log.String())
	if r.Clients != 2 || r.All.Clients != 2 || r.Calls != 300 {
		t.Errorf("%d calls of %d clients, want 300 of 2", r.Calls, r.Clients)
	}
	if want := []Size{{3, 100}}; !slices.Equal(r.All.Clusters.Sizes, want) {
		t.Errorf("clusters %+v, want %+v", r.All.Clusters.Sizes, want)
	}
	for i, want := range []struct {
		name     string
		kind     ClientType
		why      string
		limit    Limit
		advised  int64
		rejected int64 // without any tolerance
	}{
		{"GET /a", Batch, "it was given", DefaultLimit, 1, 0},
		{"GET /b/{id}", Machine, "most calls come one by one, at regular intervals", DefaultLimit, 1, 0},
		{"POST /login", Login, "its name has login", Limit{5, time.Minute}, 1, 50}, // every 10 s, of which 12 s pass one
	} {
		c := r.Classes[i]
		if c.Name != want.name || c.Type != want.kind || c.TypeWhy != want.why || c.Limit != want.limit || c.Advised.TauOverT != want.advised ||
			c.At(0).Rejected != want.rejected || c.Calls != 100 || c.Clients != 2 || c.Clusters.Max != 1 {
			t.Errorf("class %d is %+v, want %+v", i, c, want)
		}
	}
}

// Calls that are all of one class are of its type together.
func TestOneClass(t *testing.T) {
	r := plain(t, Options{}, repeat(50, "%.0f alice POST /login\n%[1].0f alice POST /login\n%[1].0f alice POST /login", time.Minute))
	if r.All.Type != Login || r.All.TypeWhy != "its name has login" || r.All.Advised.TauOverT != 1 {
		t.Errorf("all calls are of type %v (%s), advised %+v; want login", r.All.Type, r.All.TypeWhy, r.All.Advised)
	}
}

// Who has logged in is known by name, and others by their address.
func TestByUser(t *testing.T) {
	const line = `%s - %s [01/Jan/2026:00:00:00 +0000] "GET / HTTP/1.1" 200 1` + "\n"
	log := fmt.Sprintf(line, "10.0.0.1", "alice") + fmt.Sprintf(line, "10.0.0.2", "alice") + fmt.Sprintf(line, "10.0.0.3", "-")
	if r := plain(t, Options{ByUser: true}, log); r.Clients != 2 {
		t.Errorf("%d clients by user, want 2", r.Clients)
	}
	if r := plain(t, Options{}, log); r.Clients != 3 {
		t.Errorf("%d clients by address, want 3", r.Clients)
	}
}

// The order of a log does not matter, nor how it is spread over files, as long as
// all of it can be held back.
func TestOrder(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 8))
	var lines []string
	for i := range 2000 {
		lines = append(lines, fmt.Sprintf("%d.%03d client%d GET /%d\n", i/3, rnd.IntN(1000), rnd.IntN(5), rnd.IntN(3)))
	}
	want := fmt.Sprintf("%+v", *plain(t, Options{}, strings.Join(lines, "")).All.Enough)
	rnd.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	for _, held := range []int{0, 4001} {
		r := plain(t, Options{Held: held}, strings.Join(lines, ""))
		if got := fmt.Sprintf("%+v", *r.All.Enough); got != want || r.Late != 0 {
			t.Errorf("shuffled: %s, %d late; want %s", got, r.Late, want)
		}
	}
	var logs []Log
	for i := range 4 {
		logs = append(logs, Log{fmt.Sprint(i), strings.NewReader(strings.Join(lines[500*i:500*i+500], ""))})
	}
	r, err := Read(Options{}, logs...)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprintf("%+v", *r.All.Enough); got != want || len(r.Logs) != 4 || r.Logs[3].Calls != 500 {
		t.Errorf("in four logs: %s, %+v; want %s", got, r.Logs, want)
	}
}

// What comes too late is counted, and told.
func TestLate(t *testing.T) {
	r := plain(t, Options{Held: 4}, "10\n11\n12\n13\n14\n1\n15\n16\n17 bob\n2\n3 eve\n")
	if r.Late != 3 || r.Calls != 8 || r.Clients != 2 {
		t.Errorf("%d late of %d calls of %d clients, want 3, 8 and 2", r.Late, r.Calls, r.Clients)
	}
	if text := warned(r, "late"); text != "left out: 3 calls that stood in the log behind 2 or more later ones" {
		t.Errorf("it says %q", text)
	}
}

// What is held back comes out in order.
func TestWindow(t *testing.T) {
	for seed := range uint64(40) {
		rnd := rand.New(rand.NewPCG(seed, 9))
		w := window{size: 1 + rnd.IntN(50)}
		var got []int64
		put := rnd.IntN(300)
		for i := range put {
			at := int64(i) + rnd.Int64N(40)
			w.add(call{at: at}, func(c call) { got = append(got, c.at) })
			if len(w.calls) >= w.size {
				t.Fatalf("seed %d: %d are held, want fewer than %d", seed, len(w.calls), w.size)
			}
		}
		w.flush(func(c call) { got = append(got, c.at) })
		if !slices.IsSorted(got) || int64(len(got))+w.late != int64(put) {
			t.Fatalf("seed %d: %d of %d calls and %d late ones: %v", seed, len(got), put, w.late, got)
		}
	}
}

// No client and no class beyond the bounds takes up memory.
func TestBounds(t *testing.T) {
	var log strings.Builder
	for i := range 30 {
		fmt.Fprintf(&log, "%d client%d GET /%c\n", i, i%10, 'a'+i%15)
	}
	r := plain(t, Options{MaxClients: 3, MaxClasses: 2, Rules: []Rule{{Pattern: "/o"}}}, log.String())
	if r.Clients != 3 || r.LeftOut != 21 || r.Calls != 9 {
		t.Errorf("%d clients, %d calls left out of %d; want 3, 21, 9", r.Clients, r.LeftOut, r.Calls)
	}
	r = plain(t, Options{MaxClasses: 2, Rules: []Rule{{Pattern: "/o"}}}, log.String())
	var got []string
	for _, c := range r.Classes {
		got = append(got, fmt.Sprint(c.Name, " ", c.Calls))
	}
	if want := []string{"(other) 24", "GET /a 2", "GET /b 2", "/o 2"}; !slices.Equal(got, want) {
		t.Errorf("classes %q, want %q", got, want)
	}
}

// A million calls of one client take no more memory than ten.
func TestMemory(t *testing.T) {
	tuner, err := New(Options{Held: 16})
	if err != nil {
		t.Fatal(err)
	}
	e := accesslog.Entry{Client: []byte("alice"), Path: []byte("/a"), Cost: 1}
	add := func(n int) {
		for range n {
			e.At = e.At.Add(10 * time.Millisecond)
			tuner.Add(&e)
		}
	}
	e.At = time.Unix(0, 0)
	add(100_000) // all lanes there are
	if allocs := testing.AllocsPerRun(10, func() { add(1000) }); allocs > 0 {
		t.Errorf("%v allocations for 1000 calls, want none", allocs)
	}
}

// Numbers that are as large as can be do not wrap around.
func TestExtremes(t *testing.T) {
	for _, limit := range []Limit{{1, 8760 * time.Hour}, {1, 1}, {1_000_000_000, time.Second}} {
		r := plain(t, Options{Limit: limit, Candidates: []int64{maxTauOverT}, Percentile: 100}, "0:2147483647\n0:2147483647\n7258118399:2147483647\n7258118399\n")
		for _, c := range append([]Class{r.All}, r.Classes...) {
			last := int64(math.MaxInt64)
			for _, at := range c.Candidates {
				if at.Rejected < 0 || at.Rejected > last || at.WorstWait < 0 || at.Queue < 0 || at.Tolerance < 0 || at.BackToBack < 1 {
					t.Fatalf("%v: %+v", limit, at)
				}
				last = at.Rejected
			}
			if c.Advised.Tolerance < 0 || c.Advised.TauOverT < 0 {
				t.Errorf("%v: advised %+v", limit, c.Advised)
			}
		}
	}
}

func TestNoCalls(t *testing.T) {
	for _, tt := range []struct{ log, want string }{
		{"", "tune: no calls"},
		{"x\ny\n", "tune: no calls: a.log:1: no instant where one should be"},
	} {
		_, err := Read(Options{Log: accesslog.Options{Format: accesslog.Plain}}, Log{"a.log", strings.NewReader(tt.log)})
		if none, ok := errors.AsType[*NoCallsError](err); !ok || !errors.Is(err, ErrNoCalls) || err.Error() != tt.want || len(none.Logs) != 1 {
			t.Errorf("%q: %v, want %q", tt.log, err, tt.want)
		}
	}
	if _, err := Read(Options{}); !errors.Is(err, ErrNoCalls) {
		t.Errorf("no log: %v", err)
	}
	if _, err := Read(Options{}, Log{"a.log", strings.NewReader("<xml/>")}); err == nil || errors.Is(err, ErrNoCalls) {
		t.Errorf("a log in no format: %v", err)
	}
}

func TestOptionErrors(t *testing.T) {
	for _, tt := range []struct {
		options Options
		want    string
	}{
		{Options{Limit: Limit{Count: 1}}, "tune: Limit 1/0s, want a limit as 60/1m"},
		{Options{Limit: Limit{2e9, time.Second}}, "tune: Limit 2000000000/1s, want a limit as 60/1m"},
		{Options{Gap: -1}, "tune: Gap -1ns, want 0s to 24h"},
		{Options{Percentile: 101}, "tune: Percentile 101, want above 0 and up to 100"},
		{Options{Percentile: math.NaN()}, "tune: Percentile NaN, want above 0"},
		{Options{CloseToZero: math.NaN()}, "tune: CloseToZero NaN, want a share"},
		{Options{Candidates: []int64{-1}}, "tune: Candidates -1, want 0 to 1000000"},
		{Options{Candidates: make([]int64, 1001)}, "tune: Candidates 1001, want up to 1000"},
		{Options{Held: -1}, "tune: MaxClients, MaxClasses or Held"},
		{Options{Rules: []Rule{{Pattern: "GET /{"}}}, "tune: Rules GET /{, want a pattern of http.ServeMux: "},
		{Options{Rules: []Rule{{Pattern: "/a/{x}"}, {Pattern: "/{y}/b"}}}, `tune: Rules /{y}/b, want a pattern of http.ServeMux: pattern "/{y}/b" conflicts with pattern "/a/{x}"`},
		{Options{Rules: []Rule{{Pattern: ""}}}, `tune: Rules "", want a pattern of http.ServeMux, or the name of a class`},
		{Options{Rules: []Rule{{Pattern: "/a"}, {Pattern: "/a"}}}, "tune: Rules /a, want one rule for a pattern"},
		{Options{Rules: []Rule{{Pattern: "/a", Type: 17}}}, "tune: Rules /a, want one of the types of client"},
		{Options{Rules: []Rule{{Pattern: "/a", Limit: Limit{1, -1}}}}, "tune: Rules /a, want a limit as 60/1m"},
		{Options{Log: accesslog.Options{Unit: 7}}, "accesslog: Unit 7ns"},
	} {
		_, err := New(tt.options)
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%+v: %v, want %q", tt.options, err, tt.want)
		}
		if again := tt.options.Validate(); fmt.Sprint(again) != fmt.Sprint(err) {
			t.Errorf("Validate says %v, and New %v", again, err)
		}
	}
	if err := new(Options).Validate(); err != nil {
		t.Errorf("no options: %v", err)
	}
}
