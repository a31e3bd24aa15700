package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/headway-go/headway/cmd/headway/internal/sim"
)

// The example of the description that the simulator began with: 8 of 11 are
// allowed, and the request at 0.5 may be sent again at 1.
func TestSimulateTheBurst(t *testing.T) {
	out, status := headway(t, "", "simulate", "--bucket=5", "--refill=1", "--plot", "testdata/burst.txt")
	if status != ok || !strings.HasPrefix(out, "8 of 11 requests allowed\n") {
		t.Errorf("status %d: %s", status, out)
	}
	golden(t, "simulate.golden", out)
	var lines []string
	for line := range strings.Lines(out) {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	for i, want := range map[int]string{3: "time cost tokens before allowed tokens left retry at", 8: "0.4 1 1.4 yes 0.4 -", 9: "0.5 1 0.5 no 0.5 1", 14: "5 1 3 yes 2 -"} {
		if lines[i] != want {
			t.Errorf("line %d is %q, want %q", i+1, lines[i], want)
		}
	}
}

// Times come from a file, from stdin, or from a flag, and it is all the same.
func TestSimulateInputs(t *testing.T) {
	text, err := os.ReadFile("testdata/burst.txt")
	if err != nil {
		t.Fatal(err)
	}
	want, _ := headway(t, "", "simulate", "--bucket=5", "--refill=1", "testdata/burst.txt")
	for _, tt := range []struct{ stdin, args string }{
		{string(text), "simulate --bucket=5 --refill=1"},
		{string(text), "simulate --bucket=5 --refill=60/min --start=5 -"},
		{"", "simulate --bucket=5 --refill=1 --at=0,0.1,0.2,0.3,0.4,0.5,1.5,2.0,2.1,2.2,5.0"},
		{string(text), "simulate -m token-bucket,bucket=5,refill=1"},
		{string(text), "simulate --bucket=7 --refill=9 -m token-bucket,bucket=5,refill=1"},
	} {
		got, status := headway(t, tt.stdin, strings.Fields(tt.args)...)
		if got = strings.Replace(got, ",start=5", "", 1); status != ok || got != want {
			t.Errorf("headway %s: status %d\n%s, want\n%s", tt.args, status, got, want)
		}
	}
}

// Every model has its column, and its line in the headline.
func TestSimulateSideBySide(t *testing.T) {
	out, status := headway(t, "", "simulate", "--bucket=5", "--refill=1", "-m", "all", "-m", "token-bucket,start=0,count-refused", "testdata/burst.txt")
	if status != ok {
		t.Fatalf("status %d: %s", status, out)
	}
	for _, m := range sim.Models() {
		if strings.Count(out, m.Name) < 2 {
			t.Errorf("%s is missing", m.Name)
		}
	}
	golden(t, "models.golden", out)
}

// Costs count, and what is not 1 is in the headline.
func TestSimulateCosts(t *testing.T) {
	out, _ := headway(t, "", "simulate", "--bucket=5", "--refill=1", "--at=0:2.5,0:3,0.5:3")
	for _, want := range []string{"2 of 3 requests allowed, 5.5 of a cost of 8.5\n", "  0.5    3        3              yes      0            -\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("there is no %q in\n%s", want, out)
		}
	}
}

// What came all at once has no average rate, whatever was allowed.
func TestSimulateAtOnce(t *testing.T) {
	for start, want := range map[string]string{"0": "gcra,t=1s,tau=4s,start=0  0        1        -  ", "1": "gcra,t=1s,tau=4s,start=1  1        0        -  "} {
		out, _ := headway(t, "0", "simulate", "--bucket=5", "--refill=1", "--start="+start, "-m", "gcra", "-m", "gcra")
		if !strings.HasPrefix(out, "1 request, at 0 s\n") || !strings.Contains(out, want) {
			t.Errorf("there is no %q in\n%s", want, out)
		}
	}
}

// Several servers have no τ in common that one might call the burst.
func TestSimulateServers(t *testing.T) {
	out, _ := headway(t, "0", "simulate", "--bucket=5", "--refill=1", "-m", "gcra,servers=3")
	if !strings.Contains(out, "servers=3: burst 3, the calls that go back to back from rest\n") {
		t.Errorf("%s", out)
	}
}

func TestSimulateErrors(t *testing.T) {
	for _, tt := range []struct{ stdin, args, want string }{
		{"0\n# x\n1\nabc\n", "--bucket=5 --refill=1", `stdin:4: request 3: time "abc" is not a number`},
		{"0\n1\n0.5\n", "--bucket=5 --refill=1", `stdin:3: request 3: time "0.5" goes backward: the one before is 1`},
		{"0:0\n", "--bucket=5 --refill=1", `stdin:1: request 1: cost "0" is not positive`},
		{"-1\n", "--bucket=5 --refill=1", `stdin:1: request 1: time "-1" is negative`},
		{"NaN\n", "--bucket=5 --refill=1", `stdin:1: request 1: time "NaN" is not a finite number`},
		{"0:6\n", "--bucket=5 --refill=1", `stdin:1: request 1: cost 6 is above the 5 that token-bucket,bucket=5,refill=1 ever holds`},
		{"\x1b[31m\n", "--bucket=5 --refill=1", `stdin:1: request 1: time "\x1b[31m" is not a number`},
		{"", "--bucket=5 --refill=1 --at=0,1:x", `--at: request 2: cost "x" is not a number`},
		{"", "--bucket=5 --refill=1", "stdin: no request times: want one a line, in seconds"},
		{"# none\n", "--bucket=5 --refill=1", "stdin: no request times"},
		{"0", "--bucket=5 --refill=1 --at=", "--at: no request times"}, // as of a variable that is empty
		{"", "--bucket=5 --refill=1 no.txt", "no.txt: no such file or directory"},
		{"", "--bucket=5 --refill=1 testdata", "testdata: is a directory"},
		{"", "--bucket=5 --refill=1 --at=0 times.txt", "--at: there is a FILE as well"},
		{"0", "", "--bucket: is missing: want how many tokens it holds"},
		{"0", "--bucket=5", "--refill: is missing"},
		{"0", "--bucket=x --refill=1", `--bucket: "x" is not a number`},
		{"0", "--bucket=5 --refill=1/fortnight -m gcra", `--refill: "1/fortnight" is not a rate such as 5 or 100/min`},
		{"0", "--bucket=5 --refill=1 --start=6", "--start: 6 is not from 0 to 5, which is all it holds"},
		{"0", "-m gcra,t=1s", "--model: gcra: tau: is missing"},
		{"0", "-m gcra,burst=5", "--model: gcra: burst: there is no such parameter, but t, tau,"},
		{"0", "-m bucket", `--model: there is no "bucket": want one of token-bucket,`},
		{"0", "--bucket=5 --refill=1" + strings.Repeat(" -m all", 5), "--model: sim: 35 models, want 1 to 32"},
		{"0", "--bucket=5 --refill=1 --burst-window=0", "--burst-window: want a length of time above zero"},
		{"0", "--bucket=5 --refill=1 --burst-window=x", "--burst-window: want a length of time above zero"},
		{"0", "--bucket=5 --refill=1 --png=a.svg", "--png: a.svg: want a name that ends in .png"},
		{"0", "--bucket=5 --refill=1 --png=a --svg=b", "--png: a: want a name that ends in .png"},
		{"0", "--bucket=5 --refill=1 --svg=no/a.svg", "no/a.svg: no such file or directory"},
		{"0", "--bucket=5 --refill=1 --json --csv", "--json"},
		{"0", "--bucket=5 --refill=1 --json --plot", "--plot"},
	} {
		out, status := headway(t, tt.stdin, append([]string{"simulate"}, strings.Fields(tt.args)...)...)
		if status != badRequest || !strings.Contains(out, tt.want) {
			t.Errorf("headway simulate %s: status %d, %q, want 2, %q", tt.args, status, out, tt.want)
		}
	}
}

// many are n requests, ten a second.
func many(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d.%d\n", i/10, i%10)
	}
	return b.String()
}

// A long table is cut, and says so; --all shows it whole.
func TestSimulateLong(t *testing.T) {
	stdin := many(2500)
	out, _ := headway(t, stdin, "simulate", "--bucket=5", "--refill=1")
	if n := strings.Count(out, "\n"); n != 108 || !strings.Contains(out, "\n  and 2400 more: --all shows them\n") {
		t.Errorf("%d lines, want 100 steps and a word about the others:\n%s", n, out)
	}
	all, _ := headway(t, stdin, "simulate", "--bucket=5", "--refill=1", "--all")
	if n := strings.Count(all, "\n"); n != 2507 || strings.Contains(all, "more") || all[:300] != out[:300] {
		t.Errorf("--all gives %d lines", n)
	}
	if !strings.Contains(out, "254 of 2500 requests allowed\n") {
		t.Errorf("a bucket of 5 at 1/s for 249.9 s lets 254 go: %.40s", out)
	}
}

func TestSimulateJSON(t *testing.T) {
	var got struct {
		sim.Report
		LeftOut int        `json:"steps_left_out"`
		Steps   []sim.Step `json:"steps"`
	}
	for _, tt := range []struct {
		all            []string
		steps, leftOut int
	}{{nil, 100, 50}, {[]string{"--all"}, 150, 0}} {
		out, status := headway(t, many(150), append([]string{"simulate"}, append(tt.all, "--bucket=5", "--refill=1", "--model=all", "--json", "--svg="+filepath.Join(t.TempDir(), "a.svg"))...)...)
		if err := json.Unmarshal([]byte(out), &got); err != nil || status != ok {
			t.Fatalf("status %d, %v: %s", status, err, out)
		}
		if len(got.Steps) != tt.steps || got.LeftOut != tt.leftOut || got.Requests != 150 || len(got.Models) != len(sim.Models()) {
			t.Errorf("%d steps, %d left out, want %d and %d: %+v", len(got.Steps), got.LeftOut, tt.steps, tt.leftOut, got.Report)
		}
		if got.Models[1].Curve != nil || got.Models[1].Spec.String() != "gcra,t=1s,tau=4s" || len(got.Steps[99].Outcomes) != len(got.Models) {
			t.Errorf("model 2 is %+v", got.Models[1])
		}
	}
}

func TestSimulateCSV(t *testing.T) {
	out, status := headway(t, many(150), "simulate", "--bucket=5", "--refill=1", "--model=token-bucket", "--model=gcra", "--csv")
	rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil || status != ok || len(rows) != 301 {
		t.Fatalf("status %d, %d rows, %v", status, len(rows), err)
	}
	for i, want := range map[int]string{
		0: "[time cost model tokens_before allowed tokens_left retry_at]",
		1: "[0 1 1 token-bucket 5 true 4 ]",
		4: "[0.1 1 2 gcra 4.1 true 3.1 ]",
		// After 5 in 0.4 s there is half a token at 0.5.
		11: "[0.5 1 1 token-bucket 0.5 false 0.5 1]",
	} {
		if got := fmt.Sprint(rows[i]); got != want {
			t.Errorf("row %d is %s, want %s", i, got, want)
		}
	}
}

func TestSimulateFigures(t *testing.T) {
	dir := t.TempDir()
	out, status := headway(t, many(3000), "simulate", "--bucket=5", "--refill=1", "--model=token-bucket", "--model=fixed-window", "--plot",
		"--png="+filepath.Join(dir, "a.png"), "--svg="+filepath.Join(dir, "a.svg"))
	if status != ok || strings.Count(out, "● allowed   × refused") != 2 {
		t.Errorf("status %d: %s", status, out)
	}
	for line := range strings.Lines(out) {
		if n := utf8.RuneCountInString(line); strings.Contains(line, "┤") && n > 80 {
			t.Errorf("a line of %d columns: %s", n, line)
		}
	}
	for file, want := range map[string]string{"a.png": "\x89PNG", "a.svg": ">fixed-window,limit=5,window=5s: 300 of 3000 requests allowed<"} {
		data, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil || !strings.Contains(string(data), want) || len(data) > 2e6 {
			t.Errorf("%s has %d bytes, %v; want %q in it", file, len(data), err, want)
		}
	}
}

// Times of a calendar are shown from the first on; what is cut off is not rounded
// up to what would have been allowed.
func TestSimulateCalendar(t *testing.T) {
	out, status := headway(t, "", "simulate", "--plot", "-m", "gcra,bucket=1,refill=3", "--at=1732982400.5,1732982400.833333333")
	for _, want := range []string{"1732982400.833333333  1        0.9999         no       0.9999       1732982400.833333334", "\n        seconds after 1732982400.5 "} {
		if !strings.Contains(out, want) {
			t.Errorf("status %d, there is no %q in\n%s", status, want, out)
		}
	}
}

// A span of a hundred years is not one of a calendar.
func TestSimulateCenturies(t *testing.T) {
	out, _ := headway(t, "", "simulate", "--plot", "--bucket=1", "--refill=1", "--at=0,4000000000")
	if !strings.Contains(out, "\n        seconds   ─ tokens") {
		t.Errorf("the axis does not begin at 0:\n%s", out)
	}
}

func TestSimulateList(t *testing.T) {
	out, status := headway(t, "", "simulate", "--list")
	for _, m := range sim.Models() {
		if !strings.Contains(out, "\n  "+m.Name+" ") {
			t.Errorf("%s is not listed", m.Name)
		}
		for _, key := range append(m.Keys, "start", "servers", "count_refused") {
			if !strings.Contains(out[strings.Index(out, "\nKeys"):], key) {
				t.Errorf("nothing is said of %s", key)
			}
		}
	}
	if status != ok {
		t.Errorf("status %d", status)
	}
}
