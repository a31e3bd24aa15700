package main

import (
	"bytes"
	"strings"
	"testing"
)

// A recording of four calls, of which the third stands before the second, one was
// sent twice, and one had waited a second for its slot.
const recording = `{"time":"2026-11-30T12:00:00Z","key":"a.test","class":"","method":"GET","cost":1,"attempt":1,"wait_s":0,"status":200}
{"time":"2026-11-30T12:00:00.2Z","key":"a.test","class":"","method":"GET","cost":1,"attempt":1,"wait_s":0,"status":200}
{"time":"2026-11-30T12:00:00.1Z","key":"a.test","class":"","method":"GET","cost":1,"attempt":1,"wait_s":0,"status":429}
{"time":"2026-11-30T12:00:01.1Z","key":"a.test","class":"","method":"GET","cost":1,"attempt":2,"wait_s":1,"status":200}
{"time":"2026-11-30T12:00:01.5Z","key":"a.test","class":"","method":"GET","cost":2,"attempt":1,"wait_s":1,"status":200}
`

// What was recorded is played again: first attempts only, when they were made,
// in order, at their cost.
func TestSimulateARecording(t *testing.T) {
	want, _ := headway(t, "", "simulate", "--bucket=4", "--refill=1", "--at=0,0.1,0.2,0.5:2")
	for _, args := range []string{"simulate --bucket=4 --refill=1", "simulate --bucket=4 --refill=1 --client=a.test"} {
		if got, status := headway(t, recording, strings.Fields(args)...); status != ok || got != want {
			t.Errorf("headway %s: status %d\n%s, want\n%s", args, status, got, want)
		}
	}
}

func TestSimulateOneOfSeveral(t *testing.T) {
	two := recording + strings.ReplaceAll(recording, "a.test", "b.test")
	out, status := headway(t, two, "simulate", "--bucket=4", "--refill=1")
	if want := `headway: stdin: there are calls of "a.test" and of "b.test": choose one with --client`; status != badRequest || !strings.Contains(out, want) {
		t.Errorf("status %d, %q; want %q", status, out, want)
	}
	if out, status = headway(t, two, "simulate", "--bucket=4", "--refill=1", "--client=b.test"); status != ok || !strings.HasPrefix(out, "3 of 4 requests allowed") {
		t.Errorf("status %d: %s", status, out)
	}
	out, status = headway(t, two, "simulate", "--bucket=4", "--refill=1", "--client=c.test")
	if want := `there are no calls of "c.test"`; status != badRequest || !strings.Contains(out, want) {
		t.Errorf("status %d, %q; want %q", status, out, want)
	}
}

// What the recorder could not write is told.
func TestSimulateWhatIsMissing(t *testing.T) {
	var stdout, stderr bytes.Buffer
	lossy := strings.Replace(recording, `"wait_s":0`, `"wait_s":0,"dropped":7`, 1)
	status := run(t.Context(), []string{"simulate", "--bucket=4", "--refill=1"}, strings.NewReader(lossy), &stdout, &stderr)
	if want := "lines missing where the log was written: 7\n"; status != ok || stderr.String() != want {
		t.Errorf("status %d, said %q, want %q", status, &stderr, want)
	}
}

// What is wrong with a call is said of its line, whichever call it is by then.
func TestSimulateNamesTheLine(t *testing.T) {
	other := strings.ReplaceAll(recording, "a.test", "b.test")
	out, status := headway(t, other+recording, "simulate", "--bucket=1", "--refill=1", "--client=a.test")
	if want := "headway: stdin:10: request 4: cost 2 is above the 1 "; status != badRequest || !strings.HasPrefix(out, want) {
		t.Errorf("status %d, %q; want %q", status, out, want)
	}
}

// A recording that ends in the middle of a line is played up to there, and the
// line is named.
func TestSimulateATornRecording(t *testing.T) {
	var stdout, stderr bytes.Buffer
	status := run(t.Context(), []string{"simulate", "--bucket=4", "--refill=1"}, strings.NewReader(recording+`{"time":"2026`), &stdout, &stderr)
	if status != ok || !strings.HasPrefix(stdout.String(), "3 of 4 requests allowed") {
		t.Errorf("status %d: %s", status, &stdout)
	}
	if want := "cannot be read: 1; the first is stdin:6,"; !strings.Contains(stderr.String(), want) {
		t.Errorf("said %q, want %q", &stderr, want)
	}
}
