package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/headway-go/headway/backoff"
)

func TestBackoff(t *testing.T) {
	out, status := headway(t, "", "backoff", "--initial=500ms", "--max=30", "--attempts=6", "--elapsed=20s", "--retry-after=10s", "--attempt-time=0.25", "--plot")
	if status != ok {
		t.Errorf("status %d: %s", status, out)
	}
	golden(t, "backoff.golden", out)
}

// Without flags it is the zero Policy.
func TestBackoffDefaults(t *testing.T) {
	out, status := headway(t, "", "backoff")
	const want = "4 attempts; 100ms before the first retry, then 2 times as long each, up to 20s; up to 100 % more at random\n"
	if status != ok || !strings.HasPrefix(out, want) || strings.Contains(out, "With a Retry-After") {
		t.Errorf("status %d: %s, want %s", status, out, want)
	}
	if got := describePolicy(backoff.Policy{}) + "\n"; got != want {
		t.Errorf("the zero Policy is %s", got)
	}
	one, _ := headway(t, "", "backoff", "--attempts=1")
	if one != "1 attempt, and no retry\n" {
		t.Errorf("one attempt is %q", one)
	}
}

func TestBackoffJSON(t *testing.T) {
	out, status := headway(t, "", "backoff", "--json", "--jitter=none", "--attempts=3", "--retry-after=1s", "--elapsed=1s")
	var got backoffJSON
	if err := json.Unmarshal([]byte(out), &got); err != nil || status != ok {
		t.Fatalf("status %d, %v: %s", status, err, out)
	}
	if p := got.Policy; p.Initial.String() != "0.1" || p.Max.String() != "20" || p.Multiplier != 2 || p.Jitter != 0 || p.HintJitter != 0 || p.Attempts != 3 || p.Elapsed.String() != "1" {
		t.Errorf("the policy is %+v", p)
	}
	if len(got.Schedules) != 2 || got.Schedules[1].RetryAfter.String() != "1" || got.Schedules[1].Worst.String() != "1" || got.Schedules[1].Retries[1].Reached != "never" {
		t.Errorf("the schedules are %+v", got.Schedules)
	}
	for _, want := range []string{`"retry_after_seconds": null`, `"expected_seconds": null`, `"longest_seconds": 0.1,`} {
		if !strings.Contains(out, want) {
			t.Errorf("there is no %s in %s", want, out)
		}
	}
}

func TestBackoffCSV(t *testing.T) {
	out, _ := headway(t, "", "backoff", "--csv", "--attempts=2", "--retry-after=3")
	const want = "retry_after,retry,shortest,mean,longest,earliest,expected,latest,reached\n" +
		",1,0.1,0.15,0.2,0.1,0.15,0.2,always\n3,1,3,3.15,3.3,3,3.15,3.3,always\n"
	if out != want {
		t.Errorf("%s, want %s", out, want)
	}
}

func TestBackoffFigures(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.svg")
	out, status := headway(t, "", "backoff", "--retry-after=3s", "--svg="+file)
	data, err := os.ReadFile(file)
	if err != nil || status != ok || !strings.Contains(string(data), ">When retries begin, with a Retry-After of 3s<") {
		t.Errorf("status %d, %v, %d bytes: %s", status, err, len(data), out)
	}
}

func TestBackoffErrors(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{"--initial=x", "--initial: want a length of time above zero, as 1m30s, or seconds"},
		{"--max=-1s", "--max: want a length of time"},
		{"--elapsed=NaN", "--elapsed: want a length of time"},
		{"--initial=0", "--initial: want a length of time above zero, as 1m30s, or seconds"},
		{"--max=0s", "--max: want a length of time above zero"},
		{"--initial=5s --max=1s", "--initial: 5s is longer than --max, 1s"},
		{"--multiplier=0", "--multiplier: want a number from 1 up"},
		{"--multiplier=0.5", "--multiplier: want a number from 1 up"},
		{"--multiplier=Inf", "--multiplier: want a number from 1 up"},
		{"--jitter=2", "--jitter: want none, equal, or a number from 0 to 1"},
		{"--jitter=NaN", "--jitter: want none, equal"},
		{"--jitter=full", "--jitter: full jitter, from no wait at all, is not what backoff.Policy does"},
		{"--hint-jitter=-1", "--hint-jitter: want none, equal"},
		{"--attempts=0", "--attempts: want a number from 1 to 1001"},
		{"--attempts=1002", "--attempts: want a number from 1 to 1001"},
		{"--png=a", "--png: a: want a name that ends in .png"},
		{"5", "unexpected argument 5"},
	} {
		out, status := headway(t, "", append([]string{"backoff"}, strings.Fields(tt.args)...)...)
		if status != badRequest || !strings.Contains(out, tt.want) {
			t.Errorf("headway backoff %s: status %d, %q, want 2, %q", tt.args, status, out, tt.want)
		}
	}
}

func TestSpan(t *testing.T) {
	for text, want := range map[string]time.Duration{"0": 0, "1m30s": 90 * time.Second, "90": 90 * time.Second, "0.25": 250 * time.Millisecond} {
		var got span
		if err := got.UnmarshalText([]byte(text)); err != nil || time.Duration(got) != want {
			t.Errorf("%q is %v, %v; want %v", text, time.Duration(got), err, want)
		}
	}
}
