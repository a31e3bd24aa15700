package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const sampleLog = "testdata/access.log"

// A week of a small site: pages of nine calls, an app, an export of twelve, a
// loop that ran away, and a line that was cut off.
func TestTuneText(t *testing.T) {
	out, status := headway(t, "", "tune", "--class=POST /session=login", "--limit=POST /session=5/1m", "--candidates=5", "--plot", sampleLog)
	if status != ok {
		t.Fatalf("status %d: %s", status, out)
	}
	golden(t, "tune.golden", out)
}

// What the tables leave out if there is nothing to tell.
func TestTunePlainText(t *testing.T) {
	var log strings.Builder
	for page := range 700 {
		for call := range 9 {
			fmt.Fprintf(&log, "%d.%03d alice\n", 1000*page, 4*call)
		}
	}
	out, status := headway(t, log.String(), "tune", "-")
	if status != ok {
		t.Fatalf("status %d: %s", status, out)
	}
	golden(t, "pages.golden", out)
}

func tuneJSON(t *testing.T, args ...string) map[string]any {
	t.Helper()
	out, status := headway(t, "", append([]string{"tune", "--json"}, args...)...)
	var report map[string]any
	if err := json.Unmarshal([]byte(out), &report); err != nil || status != ok {
		t.Fatalf("status %d, %v: %s", status, err, out)
	}
	return report
}

func member(t *testing.T, object any, name string) map[string]any {
	t.Helper()
	inner, ok := object.(map[string]any)[name].(map[string]any)
	if !ok {
		t.Fatalf("%s is %v", name, object.(map[string]any)[name])
	}
	return inner
}

// Others read these names. All are lower case with underscores, and no list is
// null.
func TestTuneJSON(t *testing.T) {
	report := tuneJSON(t, sampleLog)
	all := member(t, report, "all")
	for name, object := range map[string]map[string]any{
		"calls clients close_to_zero all classes from gap_seconds late_calls left_out_calls logs loop_clients loops matrix percentile to warnings":                     report,
		"advised calls candidates clients clusters enough limit name type type_why":                                                                                    all,
		"count loops max mean median percentile sizes":                                                                                                                 member(t, all, "clusters"),
		"back_to_back tau_over_t tolerance_seconds window_share":                                                                                                       member(t, all, "advised"),
		"back_to_back near_limit_rate reject_rate reject_rate_without_loops rejected tau_over_t tolerance_seconds window_share worst_queue_seconds worst_wait_seconds": member(t, all, "enough"),
		"count interval_seconds window_seconds":                                                                                                                        member(t, all, "limit"),
	} {
		want := slices.Sorted(slices.Values(strings.Fields(name)))
		if got := slices.Sorted(maps.Keys(object)); !slices.Equal(got, want) {
			t.Errorf("keys %q, want %q", got, want)
		}
	}
	for _, list := range []string{"classes", "logs", "loops", "matrix", "warnings"} {
		if items, ok := report[list].([]any); !ok || len(items) == 0 {
			t.Errorf("%s is %v", list, report[list])
		}
	}
	if report["calls"] != 488.0 || report["clients"] != 7.0 || member(t, all, "advised")["tau_over_t"] != 15.0 || member(t, all, "enough")["tau_over_t"] != 11.0 {
		t.Errorf("%v calls of %v clients, advised %v, enough %v", report["calls"], report["clients"], all["advised"], all["enough"])
	}
	without := tuneJSON(t, "--candidates=4096", "--limit=1/1000h", "--close-to-zero=0", sampleLog)
	if enough := member(t, without, "all")["enough"]; enough == nil {
		t.Error("nothing is enough")
	}
}

// The rows of CSV are the candidates of JSON.
func TestTuneCSV(t *testing.T) {
	out, status := headway(t, "", "tune", "--csv", sampleLog)
	rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil || status != ok {
		t.Fatalf("status %d, %v: %s", status, err, out)
	}
	report := tuneJSON(t, sampleLog)
	i := 1
	for _, class := range append([]any{report["all"]}, report["classes"].([]any)...) {
		for _, candidate := range class.(map[string]any)["candidates"].([]any) {
			for column, name := range rows[0] {
				want := class.(map[string]any)[name]
				if name != "class" && name != "type" {
					want = candidate.(map[string]any)[name]
				} else if name == "class" {
					want = class.(map[string]any)["name"]
				}
				if got := rows[i][column]; got != fmt.Sprint(want) {
					t.Fatalf("row %d, %s: %s, want %v", i, name, got, want)
				}
			}
			i++
		}
	}
	if i != len(rows) {
		t.Errorf("%d rows, want %d", len(rows), i)
	}
}

// It is the same log from a file, from stdin, packed, and in parts that are in the
// wrong order.
func TestTuneInputs(t *testing.T) {
	text, err := os.ReadFile(sampleLog)
	if err != nil {
		t.Fatal(err)
	}
	from := func(stdin string, args ...string) string {
		out, status := headway(t, stdin, append([]string{"tune", "--csv"}, args...)...)
		if status != ok {
			t.Errorf("headway %q: status %d: %s", args, status, out)
		}
		return out
	}
	want := from("", sampleLog)
	dir := t.TempDir()
	lines := strings.SplitAfter(string(text), "\n")
	var files []string
	for i, part := range [][]string{lines[300:], lines[100:300], lines[:100]} {
		name := filepath.Join(dir, fmt.Sprint("access.log.", i))
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		for _, line := range part {
			fmt.Fprint(w, line)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, packed.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, name)
	}
	for _, tt := range []struct {
		stdin string
		args  []string
	}{{string(text), nil}, {string(text), []string{"-"}}, {"", files}, {string(text), []string{"--format=common", "--zone=Asia/Tokyo"}}} {
		if got := from(tt.stdin, tt.args...); got != want {
			t.Errorf("headway tune %q differs:\n%s", tt.args, got)
		}
	}
	out, status := headway(t, "", "tune", "testdata/sample.har")
	if status != ok || !strings.HasPrefix(out, "testdata/sample.har: ") {
		t.Errorf("HAR: status %d: %s", status, out)
	}
}

func TestTuneFlags(t *testing.T) {
	log := `{"when":1000,"tenant":{"id":"a"},"user":"u","what":"x"}
{"when":1500,"tenant":{"id":"a"},"user":"v","what":"x"}
{"when":2000,"tenant":{"id":"b"},"user":"v","what":"y"}
`
	for _, tt := range []struct {
		args string
		want string // how the first line ends
	}{
		{"--field=time=when --unit=ms", "3 calls of 1 client, from 1s to 2s"},
		{"--field=time=when --unit=ms --by=user", "3 calls of 2 clients, from 1s to 2s"},
		{"--field=time=when --unit=ms --by=tenant.id --field=class=what", "3 calls of 2 clients, from 1s to 2s"},
		{"--field=time=when", "3 calls of 1 client, from 16m40s to 33m20s"},
	} {
		out, status := headway(t, log, append([]string{"tune"}, strings.Fields(tt.args)...)...)
		if first, _, _ := strings.Cut(out, "\n"); status != ok || first != "stdin: "+tt.want {
			t.Errorf("%s: status %d, %q, want %q", tt.args, status, first, tt.want)
		}
	}
	out, _ := headway(t, log, "tune", "--field=time=when", "--unit=ms", "--field=class=what", "--gap=0.4", "--percentile=50", "--class=y=batch", "--limit=y=1/2s", "--limit=7/1m")
	for _, want := range []string{"7/1m, so T = 8.57s", "  y      batch ", " 1/2s\n", "p50, p50, max: calls in a cluster, in which they are at most 400ms apart"} {
		if !strings.Contains(out, want) {
			t.Errorf("there is no %q in\n%s", want, out)
		}
	}
}

func TestTuneErrors(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing.log")
	for _, tt := range []struct {
		stdin string
		args  []string
		want  string
	}{
		{"", nil, "stdin: there are no calls in it"},
		{"\n\n", nil, "stdin: there are no calls in it"},
		{"nonsense\n", nil, "stdin: no format fits the first lines"},
		{"nonsense\nmore\n", []string{"--format=plain"}, "stdin:1: no instant where one should be; none of the 2 lines is a call"},
		{"{\"a\":1}\n", nil, "stdin:1: no field with the time; none of the 1 line is a call"},
		{"\x1f\x8b", nil, "stdin: it ends too early: unexpected EOF"},
		{"", []string{missing}, missing + ": no such file"},
		{"", []string{"testdata"}, "testdata: is a directory"},
		{"", []string{sampleLog, sampleLog}, "testdata/access.log: it is there twice"},
		{"1", []string{"--limit=60"}, "--limit: 60: want a limit as 60/1m"},
		{"1", []string{"--limit=/a=0/1m"}, "--limit: /a=0/1m: want a limit as 60/1m"},
		{"1", []string{"--limit=1/1s", "--limit=2/1s"}, "--limit: 2/1s: there is another"},
		{"1", []string{"--class=/a=login", "--class=/a=batch"}, "--class: /a=batch: there is another"},
		{"1", []string{"--class==login"}, `--class or --limit: "": want a pattern of http.ServeMux, or the name of a class`},
		{"1", []string{"--class=/a=robot"}, `--class: /a=robot: type of client "robot", want one of interactive, mobile, batch, machine, login`},
		{"1", []string{"--class=GET /{=batch"}, "--class or --limit: GET /{: want a pattern of http.ServeMux: "},
		{"1", []string{"--gap=0s"}, "--gap: want a length of time above zero"},
		{"1", []string{"--gap=-1s"}, "--gap: want a length of time"},
		{"1", []string{"--gap=25h"}, "--gap: 25h0m0s: want 0s to 24h"},
		{"1", []string{"--percentile=0"}, "--percentile: want a number above 0 and up to 100"},
		{"1", []string{"--percentile=101"}, "--percentile: 101: want above 0 and up to 100"},
		{"1", []string{"--percentile=NaN"}, "--percentile: NaN: want above 0 and up to 100"},
		{"1", []string{"--close-to-zero=-1"}, "--close-to-zero: want a share from 0 to 1"},
		{"1", []string{"--close-to-zero=2"}, "--close-to-zero: 2: want a share of up to 1"},
		{"1", []string{"--candidates=-1"}, "--candidates: -1: want 0 to 1000000"},
		{"1", []string{"--candidates=x"}, "--candidates"},
		{"1", []string{"--format=xml"}, "--format must be one of"},
		{"1", []string{"--field=time"}, "--field: time: want it as time=FIELD"},
		{"1", []string{"--field=tyme=x"}, "--field or --by: tyme: want one of [time client"},
		{"1", []string{"--field=time=a", "--field=time=b"}, "--field: time=b: there is another"},
		{"1", []string{"--field=client=a", "--by=b"}, "--by: b: --field names another"},
		{"1", []string{"--by=tenant"}, "stdin: only JSON and CSV have fields to choose"},
		{"1", []string{"--unit=h"}, "--unit: want s, ms, us or ns"},
		{"1", []string{"--zone=Nowhere"}, `--zone: there is no "Nowhere"`},
		{"1", []string{"--json", "--csv"}, "--json"},
		{"1", []string{"--svg=a.png"}, "--svg: a.png: want a name that ends in .svg"},
	} {
		out, status := headway(t, tt.stdin, append([]string{"tune"}, tt.args...)...)
		if status != badRequest || !strings.Contains(out, tt.want) {
			t.Errorf("headway tune %q: status %d, %q, want 2, %q", tt.args, status, out, tt.want)
		}
	}
}

// The figures are in files of both kinds, and what a file holds is what it is
// called.
func TestTuneFiles(t *testing.T) {
	dir := t.TempDir()
	svg, png := filepath.Join(dir, "a.svg"), filepath.Join(dir, "a.png")
	if out, status := headway(t, "", "tune", "--json", "--svg", svg, "--png", png, sampleLog); status != ok {
		t.Fatalf("status %d: %s", status, out)
	}
	for file, want := range map[string]string{svg: "<svg", png: "\x89PNG"} {
		text, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(text, []byte(want)) {
			t.Errorf("%s: %v, %.20q", file, err, text)
		}
	}
}

// Whoever has typed no end yet need not type one to be rid of it.
func TestTuneCancelledWhileItWaits(t *testing.T) {
	r, w := io.Pipe()
	t.Cleanup(func() { _ = w.Close() })
	ctx, cancel := context.WithCancel(t.Context())
	waits := readerFunc(func(p []byte) (int, error) {
		cancel()
		return r.Read(p)
	})
	var out, stderr bytes.Buffer
	if status := run(ctx, []string{"tune"}, waits, &out, &stderr); status != stopped || out.Len() > 0 {
		t.Errorf("status %d, %q, %q; want 130", status, out.String(), stderr.String())
	}
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestTuneCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, stderr bytes.Buffer
	if status := run(ctx, []string{"tune"}, strings.NewReader("1\n"), &out, &stderr); status != stopped || out.Len() > 0 {
		t.Errorf("status %d, %q, %q; want 130", status, out.String(), stderr.String())
	}
}
