package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/redis/go-redis/v9/logging"
)

// The processes of the fleet are this program again.
func TestMain(m *testing.M) {
	logging.Disable()
	if url := os.Getenv(serverVar); url != "" {
		os.Exit(work(context.Background(), url, os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// An output may be written to by several processes.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

func needRedis(t *testing.T) {
	t.Helper()
	if os.Getenv("REDIS_URL") != "" {
		return
	}
	_, err := exec.LookPath("redis-server")
	if errors.Is(err, exec.ErrNotFound) && !slices.Contains(strings.Split(os.Getenv("HEADWAY_REQUIRE"), ","), "redis-server") {
		t.Skip("redis-server is not in PATH, and REDIS_URL is not set")
	}
	if err != nil {
		t.Fatal(err)
	}
}

// The burst is larger than what any processor makes of a bad moment.
func TestJSON(t *testing.T) {
	needRedis(t)
	var stdout, stderr output
	args := strings.Fields("-json -n 1500 -processes 3 -rate 1000 -burst 500")
	if got := run(t.Context(), args, &stdout, &stderr); got != 0 {
		t.Fatalf("exit status %d, want 0; stderr: %s", got, stderr.String())
	}
	rep := decode(t, stdout.String())
	if rep.Refused != 0 || rep.Lost != 0 {
		t.Errorf("refused %d, lost %d, want none", rep.Refused, rep.Lost)
	}
	if rep.Used <= 0 || rep.Used > 1 || rep.Jain <= 1.0/3 || rep.Jain > 1 {
		t.Errorf("utilisation %v, jain %v", rep.Used, rep.Jain)
	}
	if rep.Ops <= 0 || rep.Ops > 0.5 {
		t.Errorf("%v operations a call, want a small part of one", rep.Ops)
	}
	var sum int64
	for _, p := range rep.Parts {
		sum += p.Calls
	}
	if len(rep.Parts) != 3 || sum != 1500 {
		t.Errorf("processes %+v, want 3 with 1500 calls together", rep.Parts)
	}
}

// decode wants exactly one object, with exactly the fields that there are.
func decode(t *testing.T, stdout string) report {
	t.Helper()
	for _, name := range []string{"refused", "utilisation", "jain", "redis_ops_per_call", "lost"} {
		if !strings.Contains(stdout, `"`+name+`":`) {
			t.Errorf("no %s in %s", name, stdout)
		}
	}
	var rep report
	dec := json.NewDecoder(strings.NewReader(stdout))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&rep); err != nil {
		t.Fatal(err)
	}
	if dec.More() {
		t.Errorf("more than one object: %s", stdout)
	}
	return rep
}

// No call is lost when a process is killed, and Redis is gone for a second.
func TestChaos(t *testing.T) {
	needRedis(t)
	var stdout, stderr output
	if got := run(t.Context(), strings.Fields("-chaos -n 3000 -processes 3 -rate 1000 -burst 500"), &stdout, &stderr); got != 0 {
		t.Fatalf("exit status %d, want 0; stderr: %s", got, stderr.String())
	}
	for _, want := range []string{"3000 calls from 3 processes", "\n3 ", "killed\n", "lost: 0 "} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("no %q in:\n%s", want, stdout.String())
		}
	}
	if os.Getenv("REDIS_URL") == "" && !strings.Contains(stderr.String(), "slots are alone now: redisstore: ") {
		t.Errorf("stderr: %s, want that Redis was away", stderr.String())
	}
}

func TestNoRedis(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("REDIS_URL", "")
	var stdout, stderr bytes.Buffer
	if got := run(t.Context(), nil, &stdout, &stderr); got != 1 {
		t.Errorf("exit status %d, want 1", got)
	}
	if want := "install it (apt-get install redis-server), or set REDIS_URL"; !strings.Contains(stderr.String(), want) || stdout.Len() > 0 {
		t.Errorf("stdout %q, stderr %q, want %q on stderr", &stdout, &stderr, want)
	}
}

func TestWrongRedisURL(t *testing.T) {
	for url, want := range map[string]int{
		"http://:hunter2@localhost:6379": 2,
		"redis://:hunter2@127.0.0.1:1":   1, // nobody there
	} {
		t.Setenv("REDIS_URL", url)
		var stdout, stderr bytes.Buffer
		if got := run(t.Context(), nil, &stdout, &stderr); got != want {
			t.Errorf("%s: exit status %d, want %d", url, got, want)
		}
		if said := stderr.String(); !strings.HasPrefix(said, "fleet: REDIS_URL: redisstore: ") || strings.Contains(said, "hunter2") || strings.Count(said, "\n") != 1 {
			t.Errorf("%s: stderr %q", url, said)
		}
	}
}

func TestInterrupt(t *testing.T) {
	needRedis(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr bytes.Buffer
	if got := run(ctx, []string{"-json"}, &stdout, &stderr); got != 130 {
		t.Errorf("exit status %d, want 130", got)
	}
	if stdout.Len() > 0 || stderr.String() != "fleet: interrupted\n" {
		t.Errorf("stdout %q, stderr %q", &stdout, &stderr)
	}
}

func TestFlags(t *testing.T) {
	for _, tt := range []struct {
		args string
		want string // on stderr
	}{
		{"-n 0", "-n is 0, want 1 to 1000000"},
		{"-n many", `invalid value "many" for flag -n`},
		{"-processes 0", "-processes is 0, want 1 to 50"},
		{"-processes 51", "-processes is 51, want 1 to 50"},
		{"-rate 0", "-rate is 0, want 1 to 5000"},
		{"-rate NaN", "-rate is NaN, want 1 to 5000"},
		{"-burst 0", "-burst is 0, want 1 to 100000"},
		{"-chaos -processes 1", "-chaos kills a process"},
		{"-nosuch", "flag provided but not defined: -nosuch"},
		{"extra", `"extra" is not a flag`},
	} {
		var stdout, stderr bytes.Buffer
		if got := run(t.Context(), strings.Fields(tt.args), &stdout, &stderr); got != 2 {
			t.Errorf("run(%q) = %d, want 2", tt.args, got)
		}
		if !strings.Contains(stderr.String(), tt.want) || stdout.Len() > 0 {
			t.Errorf("run(%q): stdout %q, stderr %q, want %q on stderr", tt.args, &stdout, &stderr, tt.want)
		}
	}
}

func TestJain(t *testing.T) {
	for _, tt := range []struct {
		calls []int64
		want  float64
	}{
		{[]int64{5, 5, 5, 5}, 1},
		{[]int64{7, 0, 0, 0}, 0.25},
		{[]int64{1, 2}, 0.9},
		{nil, 0},
	} {
		var parts []part
		for _, n := range tt.calls {
			parts = append(parts, part{Calls: n})
		}
		if got := jain(append(parts, part{Calls: 99, Killed: true})); got != tt.want {
			t.Errorf("jain(%v) = %v, want %v", tt.calls, got, tt.want)
		}
	}
}
