package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/headway-go/headway/throttle/throttletest"
)

// Fourteen calls are four more than the burst: enough for the plain client to
// be refused, and for ours not to be.
func TestJSON(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if got := run(t.Context(), []string{"-json", "-n", "14", "-workers", "4"}, &stdout, &stderr); got != 0 {
		t.Fatalf("exit status %d, want 0; stderr: %s", got, &stderr)
	}
	rep := decode(t, &stdout)
	if rep.Plain.Refused == 0 {
		t.Error("plain.refused = 0, want some")
	}
	if got := rep.Headway.Refused; got != 0 {
		t.Errorf("headway.refused = %d, want 0", got)
	}
	for name, f := range map[string]figures{"plain": rep.Plain, "headway": rep.Headway.figures} {
		if f.Failed != 0 {
			t.Errorf("%s.failed = %d, want 0", name, f.Failed)
		}
		if got := f.Sent - f.Refused; got != 14 {
			t.Errorf("%s: %d requests were admitted, want 14", name, got)
		}
		if f.Seconds < 0.2 {
			t.Errorf("%s.seconds = %v, less than the limit allows", name, f.Seconds)
		}
	}
	if b := rep.Headway.Bound; b == nil || *b != 0.2 {
		t.Errorf("headway.bound_seconds = %v, want 0.2", b)
	}
	if stderr.Len() > 0 {
		t.Errorf("stderr: %q, want nothing", &stderr)
	}
}

// decode wants exactly one object, with exactly the fields that there are.
func decode(t *testing.T, stdout *bytes.Buffer) report {
	t.Helper()
	fields := map[string]map[string]any{}
	if err := json.Unmarshal(stdout.Bytes(), &fields); err != nil {
		t.Fatalf("stdout %q: %v", stdout, err)
	}
	if plain, headway := len(fields["plain"]), len(fields["headway"]); plain != 4 || headway != 5 || len(fields) != 2 {
		t.Errorf("stdout %q: want 4 figures for plain and 5 for headway", stdout)
	}
	var rep report
	dec := json.NewDecoder(stdout)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&rep); err != nil {
		t.Fatal(err)
	}
	return rep
}

func TestTable(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if got := run(t.Context(), []string{"-n", "3", "-workers", "9"}, &stdout, &stderr); got != 0 {
		t.Fatalf("exit status %d, want 0; stderr: %s", got, &stderr)
	}
	for _, want := range []string{"3 calls from 9 workers", "\nplain ", "\nheadway ", "\nbound: 0.00 s"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("no %q in:\n%s", want, &stdout)
		}
	}
}

// Refusals of a server that is not ours are counted by their status.
func TestOtherServer(t *testing.T) {
	h, err := throttletest.NewHandler(throttletest.Config{Rate: 1e9, Burst: 10})
	if err != nil {
		t.Fatal(err)
	}
	h.Script(throttletest.Answer{}, throttletest.Answer{})
	srv := httptest.NewServer(h)
	defer srv.Close()
	var stdout, stderr bytes.Buffer
	if got := run(t.Context(), []string{"-json", "-n", "3", "-url", srv.URL}, &stdout, &stderr); got != 0 {
		t.Fatalf("exit status %d, want 0; stderr: %s", got, &stderr)
	}
	rep := decode(t, &stdout)
	if p := rep.Plain; p.Sent != 5 || p.Refused != 2 || p.Failed != 0 {
		t.Errorf("plain = %+v, want 5 sent, 2 refused, 0 failed", p)
	}
	if rep.Headway.Bound != nil {
		t.Errorf("headway.bound_seconds = %v, want null", *rep.Headway.Bound)
	}
}

func TestFailures(t *testing.T) {
	srv := httptest.NewServer(http.NotFoundHandler())
	defer srv.Close()
	var stdout, stderr bytes.Buffer
	if got := run(t.Context(), []string{"-n", "2", "-url", srv.URL}, &stdout, &stderr); got != 1 {
		t.Errorf("exit status %d, want 1", got)
	}
	if want := "404 Not Found"; !strings.Contains(stderr.String(), want) {
		t.Errorf("stderr %q, want %q in it", &stderr, want)
	}
	if want := "bound: unknown"; !strings.Contains(stdout.String(), want) {
		t.Errorf("stdout %q, want %q in it", &stdout, want)
	}
}

func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr bytes.Buffer
	if got := run(ctx, []string{"-json"}, &stdout, &stderr); got != 130 {
		t.Errorf("exit status %d, want 130", got)
	}
	if stdout.Len() > 0 || stderr.String() != "quickstart: interrupted\n" {
		t.Errorf("stdout %q, stderr %q", &stdout, &stderr)
	}
}

func TestFlags(t *testing.T) {
	for _, tt := range []struct {
		args string
		want string // on stderr
	}{
		{"-n 0", "-n is 0, want 1 to 1000000"},
		{"-n 1000001", "-n is 1000001, want 1 to 1000000"},
		{"-n many", `invalid value "many" for flag -n`},
		{"-workers 0", "-workers is 0, want 1 to 1000"},
		{"-workers 1001", "-workers is 1001, want 1 to 1000"},
		{"-url ftp://example.com/", `-url is "ftp://example.com/", want http://host/path`},
		{"-url example.com", `-url is "example.com", want http://host/path`},
		{"-url http://", `-url is "http://", want http://host/path`},
		{"-url http://%zz/", "-url: parse"},
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
