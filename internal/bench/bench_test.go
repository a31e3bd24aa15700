package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/headway-go/headway/internal/redisserver"
)

// quick measures next to nothing, to see that all can be measured.
var quick = options{rounds: 1, slice: time.Microsecond, long: 20 * time.Millisecond, shrink: 2000}

// Every row runs, has one of ours, and says what it is.
func TestRows(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range rows() {
		t.Run(r.name, func(t *testing.T) {
			if seen[r.name] || r.about == "" || r.unit == "" || !strings.Contains(r.name, "/") {
				t.Errorf("the row is named twice, or says too little: %+v", r)
			}
			seen[r.name] = true
			res, err := r.run(&bench{ctx: t.Context(), shrink: quick.shrink, long: quick.long}, quick)
			if errors.Is(err, redisserver.ErrNone) && !slices.Contains(strings.Split(os.Getenv("HEADWAY_REQUIRE"), ","), "redis-server") {
				t.Skip(err, ": nothing is measured with it")
			}
			if err != nil {
				t.Fatal(err)
			}
			if res.index(ours) < 0 {
				t.Error("there is none of ours")
			}
			for _, f := range res.Contenders {
				if f.Median == 0 {
					t.Errorf("%s took no time", f.Name)
				}
			}
		})
	}
}

func TestJSON(t *testing.T) {
	status, stdout, stderr := execute(t, "-json", "-rounds", "2", "-time", "10µs", "-run", "^decision/(allow|denied)$")
	if status != 0 {
		t.Fatalf("status %d: %s", status, stderr)
	}
	var rep report
	if err := json.Unmarshal([]byte(stdout), &rep); err != nil {
		t.Fatalf("%v: %s", err, stdout)
	}
	if len(rep.Rows) != 2 || rep.Rows[0].Rounds != 2 || rep.Rows[0].Contenders[1].ToPeer == 0 {
		t.Errorf("got %s", stdout)
	}
	if rep.Machine.CPU == "" || rep.Machine.Cores == 0 || rep.Date == "" {
		t.Errorf("the machine is unknown: %+v", rep)
	}
}

func TestTable(t *testing.T) {
	status, stdout, stderr := execute(t, "-rounds", "1", "-time", "10µs", "-run", "^decision/denied$")
	if status != 0 {
		t.Fatalf("status %d: %s", status, stderr)
	}
	for _, want := range []string{"decision/denied, ns", "× best peer", "headway", "aim: at most 1.3 × the floor", "of 1 rows that have one"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
}

func TestBadFlags(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{"-run (", "-run"},
		{"-run nothing", `no row matches "nothing"`},
		{"-rounds 0", "-rounds is 0"},
		{"-rounds x", "-rounds"},
		{"-time 1ns", "-time is 1ns"},
		{"-long -1s", "-long is -1s"},
		{"-nope", "-nope"},
		{"more", `"more" is not a flag`},
		{"-write -run decision", "leave out -run"},
	} {
		status, stdout, stderr := execute(t, strings.Fields(tt.args)...)
		if status != 2 || stdout != "" || !strings.Contains(stderr, tt.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("bench %s: status %d, stdout %q, stderr %q; want 2 and one line with %q", tt.args, status, stdout, stderr, tt.want)
		}
	}
}

// Without redis-server the rest is measured.
func TestWithoutRedis(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	status, stdout, stderr := execute(t, "-rounds", "1", "-time", "10µs", "-run", "^(decision/denied|redis/call)$")
	if status != 0 || !strings.Contains(stderr, "left out: redis/call") || !strings.Contains(stdout, "decision/denied") {
		t.Errorf("status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
}

func TestHelpAndList(t *testing.T) {
	if status, _, stderr := execute(t, "-help"); status != 0 || !strings.Contains(stderr, "-rounds") {
		t.Errorf("-help: status %d, %q", status, stderr)
	}
	status, stdout, _ := execute(t, "-list", "-run", "^keys/")
	if status != 0 || !strings.Contains(stdout, "keys/eviction") || strings.Contains(stdout, "decision/") {
		t.Errorf("-list: status %d, %q", status, stdout)
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr bytes.Buffer
	if status := run(ctx, []string{"-run", "decision"}, &stdout, &stderr); status != 130 || stdout.Len() > 0 {
		t.Errorf("status %d, stdout %q, stderr %q; want 130", status, &stdout, &stderr)
	}
}

// execute runs the program with the arguments.
func execute(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	status = run(t.Context(), args, &out, &errs)
	return status, out.String(), errs.String()
}
