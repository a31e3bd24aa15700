package accesslog

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func readers(t *testing.T, logs ...io.Reader) (all []*Reader) {
	t.Helper()
	for i, log := range logs {
		r, err := NewReader(fmt.Sprint("log.", i), log, Options{Format: Plain})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

// merged returns the instants in the order in which Merge yields them.
func merged(t *testing.T, logs ...string) (at []int64, err error) {
	t.Helper()
	var in []io.Reader
	for _, log := range logs {
		in = append(in, strings.NewReader(log))
	}
	for e, err := range Merge(readers(t, in...)) {
		if err != nil {
			return at, err
		}
		at = append(at, e.At.Unix())
	}
	return at, nil
}

func TestMerge(t *testing.T) {
	for _, tt := range []struct {
		logs []string
		want []int64
	}{
		{nil, nil},
		{[]string{""}, nil},
		{[]string{"5\n6", "3\n4", "", "1\n2"}, []int64{1, 2, 3, 4, 5, 6}}, // rotated
		{[]string{"1\n4\n7", "2\n4\n9", "3\nx\n8"}, []int64{1, 2, 3, 4, 4, 7, 8, 9}},
		{[]string{"3\n1", "2\n5"}, []int64{2, 3, 1, 5}}, // one is not in order itself
	} {
		if got, err := merged(t, tt.logs...); err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%q: %v, %v; want %v", tt.logs, got, err, tt.want)
		}
	}
}

// Logs that are in order give one that is, and nothing is lost.
func TestMergeIsSorted(t *testing.T) {
	for seed := range uint64(50) {
		rnd := rand.New(rand.NewPCG(seed, 0))
		logs := make([]string, rnd.IntN(6))
		var want []int64
		for i := range logs {
			at := rnd.Int64N(50)
			for range rnd.IntN(40) {
				at += rnd.Int64N(5)
				logs[i] += fmt.Sprintln(at)
				want = append(want, at)
			}
		}
		slices.Sort(want)
		if got, err := merged(t, logs...); err != nil || !slices.Equal(got, want) {
			t.Fatalf("seed %d: %v, %v; want %v", seed, got, err, want)
		}
	}
}

// Half of a log is not taken for all of it.
func TestMergeErrors(t *testing.T) {
	long := strings.Repeat("1\n", maxLine)
	in := readers(t, strings.NewReader("0\n1\n2"), io.MultiReader(strings.NewReader(long), iotest.ErrReader(errBroken)))
	var last error
	for _, err := range Merge(in) {
		if last != nil {
			t.Fatal("it goes on after an error")
		}
		last = err
	}
	if want := "accesslog: log.1:65537: broken"; fmt.Sprint(last) != want {
		t.Errorf("%v, want %q", last, want)
	}
	bad := readers(t, io.MultiReader(strings.NewReader(strings.Repeat(" ", maxLine)), iotest.ErrReader(errBroken)))
	for _, err := range Merge(bad) {
		if err == nil {
			t.Error("a log that is broken from the start yields a call")
		}
	}
	for _, err := range Merge(readers(t, strings.NewReader("1\n2"))) {
		if err != nil {
			t.Error(err)
		}
		break // nobody is bound to read on
	}
}
