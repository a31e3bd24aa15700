package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

// headway runs a command line. What it writes to both of stdout and stderr is a
// mistake.
func headway(t *testing.T, stdin string, args ...string) (out string, status int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status = run(t.Context(), args, strings.NewReader(stdin), &stdout, &stderr)
	if (status == ok) != (stderr.Len() == 0) || status != ok && stdout.Len() > 0 {
		t.Errorf("headway %q: status %d, stdout %q, stderr %q", args, status, stdout.String(), stderr.String())
	}
	if n := strings.Count(stderr.String(), "\n"); n > 1 {
		t.Errorf("headway %q: an error of %d lines: %q", args, n, stderr.String())
	}
	return stdout.String() + stderr.String(), status
}

// golden compares with a file of testdata.
func golden(t *testing.T, file, got string) {
	t.Helper()
	path := filepath.Join("testdata", file)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (-update writes it):\n%s", path, got)
	}
}

func TestHelp(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want string
	}{
		{nil, "curl -sI https://api.github.com/ | headway explain"},
		{[]string{"--help"}, "Send one request"},
		{[]string{"--help"}, "and calls as fast as it allows"},
		{[]string{"help"}, "Send one request"},
		{[]string{"help", "simulate"}, "Usage: headway simulate"},
		{[]string{"explain", "--help"}, "curl -sI https://api.github.com/ | headway explain"},
		{[]string{"probe", "-h"}, "Usage: headway probe"}, // though its URL is missing
		{[]string{"probe", "--help"}, `headway probe -H "Authorization: Bearer $TOKEN" https://api.github.com/user`},
	} {
		out, status := headway(t, "", tt.args...)
		if status != ok || !strings.Contains(out, tt.want) {
			t.Errorf("headway %q: status %d, want %q in\n%s", tt.args, status, tt.want, out)
		}
	}
}

func TestBadFlags(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{"nothing", "unexpected argument nothing"},
		{"explain --foo", "unknown flag --foo"},
		{"explain a b", "unexpected argument b"},
		{"explain --now=yesterday", "--now: want an instant"},
		{"explain --window=-1h", "--window: want a length of time"},
		{"explain --window=x", "--window: expected duration"},
		{"explain --reset-unit=h", "--reset-unit: want ms or s"},
		{"explain --burst=-1", "--burst: want a number that is not negative"},
		{"explain --burst=NaN", "--burst: want a number that is not negative"},
		{"explain --burst=Inf", "--burst: want a number that is not negative"},
		{"explain --status=42", "--status: want a number of three digits"},
		{"probe", `expected "<url>"`},
		{"probe --timeout=0s http://localhost/", "--timeout: want a length of time"},
		{"probe --burst=NaN http://localhost/", "--burst: want a number"},
	} {
		out, status := headway(t, "A: b\n", strings.Fields(tt.args)...)
		if status != badRequest || !strings.Contains(out, tt.want) {
			t.Errorf("headway %s: status %d, %q, want 2, %q", tt.args, status, out, tt.want)
		}
	}
}

// What the README shows of a command that only computes is what it writes.
func TestReadme(t *testing.T) {
	t.Chdir("../..")
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, found := strings.Cut(string(readme), "```\n$ go run ./cmd/headway simulate ")
	if !found {
		t.Fatal("nothing is shown of simulate")
	}
	block, _, _ = strings.Cut(block, "```")
	args, want, _ := strings.Cut(block, "\n")
	if got, status := headway(t, "", append([]string{"simulate"}, strings.Fields(args)...)...); status != ok || got != want {
		t.Errorf("headway simulate %s: status %d\n%s, the README has\n%s", args, status, got, want)
	}
}
