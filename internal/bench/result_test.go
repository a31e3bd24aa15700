package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func values(list ...float64) (samples []sample) {
	for _, v := range list {
		samples = append(samples, sample{value: v})
	}
	return samples
}

var three = []contender{{name: "least", role: floor}, {name: "we", role: ours}, {name: "slow", role: peer}, {name: "quick", role: peer}}

// A round in which the machine is slow for all changes no ratio.
func TestRatiosAreOfOneRound(t *testing.T) {
	r := newResult(&row{name: "a/b", unit: "ns"}, three, [][]sample{
		values(10, 10, 100), values(15, 15, 150), values(40, 40, 400), values(20, 20, 200),
	})
	we := r.Contenders[1]
	if we.ToFloor != 1.5 || we.OverFloor != 5 || we.ToPeer != 0.75 {
		t.Errorf("got %+v, want 1.5 times the floor, 5 above it, 0.75 of the best peer", we)
	}
	if we.Median != 15 || we.Low != 15 || we.High != 150 {
		t.Errorf("median %v, quartiles %v and %v; want 15, 15, 150", we.Median, we.Low, we.High)
	}
	if peer := r.Contenders[3]; peer.ToPeer != 0 || peer.ToFloor != 2 {
		t.Errorf("the peer has %+v", peer)
	}
}

func TestAim(t *testing.T) {
	for _, tt := range []struct {
		aim  aim
		we   sample
		want string
	}{
		{aim{times: 1.3}, sample{value: 13}, "at most 1.3 × the floor, no allocation beyond the floor's: met"},
		{aim{times: 1.3}, sample{value: 14}, "no allocation beyond the floor's: missed, we has 1.400 ×"},
		{aim{plus: 5}, sample{value: 14}, "at most 5 ns above the floor, no allocation beyond the floor's: met"},
		{aim{plus: 5}, sample{value: 16}, ": missed, we has 6.00 above"},
		{aim{most: 15}, sample{value: 16}, ": missed, we has 16.0"},
		{aim{peers: true}, sample{value: 19}, ": met"},
		{aim{peers: true}, sample{value: 21}, ": missed, we has 1.050 × the best"},
		{aim{}, sample{value: 1, allocs: 1}, ": missed, we has 1.00 allocations"},
		{aim{allocs: 1}, sample{value: 1, allocs: 1}, "at most 1 allocations beyond the floor's: met"},
		{aim{allocs: anyAllocs, most: 1}, sample{value: 1, allocs: 9}, "at most 1 ns: met"},
		{aim{allocs: anyAllocs, notEarly: true}, sample{value: -1}, "not too early: missed, we has -1.00"},
		{aim{allocs: anyAllocs, peak: 1 << 20}, sample{value: 1, peak: 2 << 20}, "1.00 MiB of heap above the floor: missed, we has 2.00 MiB"},
	} {
		r := newResult(&row{unit: "ns", aim: tt.aim}, three, [][]sample{values(10), {tt.we}, values(40), values(20)})
		text, met := r.verdict()
		if !strings.HasSuffix(text, tt.want) || met == strings.Contains(tt.want, "missed") {
			t.Errorf("%+v of %+v: %q, %t; want %q", tt.aim, tt.we, text, met, tt.want)
		}
	}
}

func TestMarkdown(t *testing.T) {
	r := newResult(&row{name: "group/work", unit: "ns", about: "What it is.", aim: aim{times: 2}}, three,
		[][]sample{values(10), values(15), values(4000), values(20)})
	rep := newReport(quick)
	rep.Rows = []result{r}
	text := rep.markdown()
	for _, want := range []string{
		"## Group\n\n### work, ns\n\nWhat it is.\n\n|  | median |", "|---|--:|",
		"| we | 15.0 | 1.50 | 0.75 | 0 | 0 | 0 |\n", "| slow | 4,000 |",
		"Aim: at most 2 × the floor, no allocation beyond the floor's: met.\n", "met in 1 of 1 rows", rep.Machine.CPU,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if host, err := os.Hostname(); err == nil && len(host) > 3 && strings.Contains(text, host) {
		t.Error("it tells the name of the machine")
	}
}

// The report is written at the root, wherever in the repository one is.
func TestReportFile(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	below := filepath.Join(root, "a", "b")
	if err := os.MkdirAll(below, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(below)
	if _, err := reportFile(); err == nil {
		t.Error("no error where there is no repository")
	}
	if err := os.WriteFile(filepath.Join(root, "go.work"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	file, err := reportFile()
	if want := filepath.Join(root, "BENCHMARKS.md"); err != nil || file != want {
		t.Fatalf("reportFile = %q, %v; want %q", file, err, want)
	}
	if err := newReport(quick).save(file); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(root + "/*"); len(left) != 3 {
		t.Errorf("it left %v", left)
	}
}

func TestFigure(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 0.004: "0", 0.25: "0.25", 9.999: "10.00", 38.26: "38.3", 123.4: "123", 999.7: "1000", 1234: "1,234",
		1234567: "1,234,567", -1234: "-1,234", -123456: "-123,456",
	} {
		if got := figure(v); got != want {
			t.Errorf("figure(%v) = %q, want %q", v, got, want)
		}
	}
}
