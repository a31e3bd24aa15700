package sim

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/headway-go/headway/throttle/simulate"
)

func readAll(text string) (list []Request, err error) {
	for r, err := range Read(strings.NewReader(text)) {
		if err != nil {
			return list, err
		}
		list = append(list, r)
	}
	return list, nil
}

func TestRead(t *testing.T) {
	const text = "\ufeff# a trace\n0\r\n\n  0.5 : 2.5  # dear\n+0.5\n1e1\n1732982400.123456789:3\n1732982400.12345678949"
	want := []Request{
		{0, One, 1, 2},
		{500 * time.Millisecond, 2500, 2, 4},
		{500 * time.Millisecond, One, 3, 5},
		{10 * time.Second, One, 4, 6},
		{1732982400123456789, 3 * One, 5, 7},
		{1732982400123456789, One, 6, 8},
	}
	got, err := readAll(text)
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %v, %v\nwant %v", got, err, want)
	}
}

func TestReadErrors(t *testing.T) {
	for _, tt := range []struct{ text, field, problem string }{
		{"abc", "time", `"abc" is not a number`},
		{"0,5", "time", `"0,5" is not a number`},
		{":2", "time", `"" is not a number`},
		{"0x1p-2", "time", `"0x1p-2" is not a number`},
		{"1_000", "time", `"1_000" is not a number`},
		{"NaN", "time", `"NaN" is not a finite number`},
		{"-Inf", "time", `"-Inf" is not a finite number`},
		{"+infinity", "time", `"+infinity" is not a finite number`},
		{"1e999", "time", `"1e999" is too large`},
		{"99999999999999999999", "time", `"99999999999999999999" is too large`},
		{"5000000000", "time", `"5000000000" is too large: want at most 4611686018.427387904`},
		{"-1", "time", `"-1" is negative`},
		{"-0.0000000001", "time", `"-0.0000000001" is negative`},
		{"0.9", "time", `"0.9" goes backward: the one before is 1`},
		{"1:0", "cost", `"0" is not positive`},
		{"1:-2", "cost", `"-2" is not positive`},
		{"1:", "cost", `"" is not a number`},
		{"1:x", "cost", `"x" is not a number`},
		{"1:2:3", "cost", `"2:3" is not a number`},
		{"1:NaN", "cost", `"NaN" is not a finite number`},
		{"1:0.0001", "cost", `"0.0001" has more than three decimals`},
		{"1:1e-9", "cost", `"1e-9" has more than three decimals`},
		{strings.Repeat("9", 100), "time", `"` + strings.Repeat("9", 40) + `"… is too large`},
		{strings.Repeat("9", 1<<17), "time", "is not a number: the line is longer than 64 KiB"},
	} {
		got, err := readAll("1\n# comment\n" + tt.text + "\n7")
		want := EntryError{Number: 2, Line: 3, Field: tt.field, Problem: tt.problem}
		if wrong, ok := errors.AsType[*EntryError](err); !ok || *wrong != want || len(got) != 1 {
			t.Errorf("%.60q: %v after %d, want %v after 1", tt.text, err, len(got), &want)
		}
	}
}

// Minus zero is zero; and a reader stops when nobody wants more.
func TestReadOddities(t *testing.T) {
	if got, err := readAll("-0\n-0.0:1"); err != nil || len(got) != 2 || got[1].At != 0 {
		t.Errorf("minus zero becomes %v, %v", got, err)
	}
	for r, err := range List("1,2,abc") {
		if err != nil {
			t.Error(err)
		}
		if r.Number == 2 {
			break
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{"", "0\n0.1:2.5\n", "1e3", "-1", "NaN:NaN", "1:\n", "\ufeff7 # x", "9.9999999999"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var last Request
		for r, err := range Read(strings.NewReader(text)) {
			if wrong, ok := errors.AsType[*EntryError](err); ok {
				if wrong.Number != last.Number+1 || wrong.Line <= last.Line {
					t.Fatalf("%q: %v, after %+v", text, err, last)
				}
				return
			}
			if err != nil || r.At < last.At || r.At > simulate.Horizon || r.Cost < 1 || r.Number != last.Number+1 || r.Line <= last.Line {
				t.Fatalf("%q: %+v, %v, after %+v", text, r, err, last)
			}
			last = r
		}
	})
}
