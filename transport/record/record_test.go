package record_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/headway-go/headway/transport/record"
)

func TestLineAsJSON(t *testing.T) {
	zone := time.FixedZone("", 3600)
	for _, tt := range []struct {
		line record.Line
		want string
	}{
		{
			record.Line{Time: time.Date(2026, 11, 30, 13, 0, 0, 1, zone), Key: "h", Class: "GET h/v1/", Method: "GET", Cost: 1, Attempt: 1, Wait: 1500 * time.Millisecond, Status: 200},
			`{"time":"2026-11-30T12:00:00.000000001Z","key":"h","class":"GET h/v1/","method":"GET","cost":1,"attempt":1,"wait_s":1.5,"status":200}`,
		},
		{
			record.Line{Time: time.Unix(0, 0), Key: "h", Method: "GET", Cost: 3, Attempt: 2, Refused: "limit", WouldWait: 1},
			`{"time":"1970-01-01T00:00:00Z","key":"h","class":"","method":"GET","cost":3,"attempt":2,"wait_s":0,"status":0,"refused":"limit","would_wait_s":1e-9}`,
		},
		{
			record.Line{Time: time.Unix(0, 0), Key: "\"\n\xff", Method: "GET", Cost: 1, Attempt: 1, Status: 429, Throttled: true, Failed: true, WouldRefuse: "queue", Dropped: 7},
			`{"time":"1970-01-01T00:00:00Z","key":"\"\n\ufffd","class":"","method":"GET","cost":1,"attempt":1,"wait_s":0,"status":429,"throttled":true,"failed":true,"would_refuse":"queue","dropped":7}`,
		},
	} {
		got, err := json.Marshal(tt.line)
		if err != nil || string(got) != tt.want {
			t.Errorf("Marshal(%+v) = %s, %v; want %s", tt.line, got, err, tt.want)
		}
	}
}

func TestLines(t *testing.T) {
	const good = `{"time":"2026-11-30T12:00:00Z","key":"h","cost":2,"wait_s":0.1,"status":200}`
	for _, tt := range []struct {
		name, text, want string
	}{
		{"empty", "", ""},
		{"no last line end", good, "2026-11-30T12:00:00Z h 2 100ms"},
		{"empty lines", "\n\n" + good + "\r\n \n", "2026-11-30T12:00:00Z h 2 100ms"},
		{"torn", good + "\n" + good[:40], "2026-11-30T12:00:00Z h 2 100ms; record: line 2: unexpected end of JSON input"},
		{"torn within", good[:40] + "\n" + good, "record: line 1: unexpected end of JSON input; 2026-11-30T12:00:00Z h 2 100ms"},
		{"zeroes", strings.Repeat("\x00", 100) + "\n" + good, "record: line 1: invalid character '\\x00' looking for beginning of value; 2026-11-30T12:00:00Z h 2 100ms"},
		{"too long", strings.Repeat("x", 3*record.MaxLine) + "\n" + good, "record: line 1: too long; 2026-11-30T12:00:00Z h 2 100ms"},
		{"fields of tomorrow", `{"time":"2026-11-30T12:00:00Z","key":"h","more":[1]}`, "2026-11-30T12:00:00Z h 1 0s"},
		{"no time", `{"key":"h"}`, "record: line 1: no time"},
		{"no object", `[]`, "record: line 1: json: cannot unmarshal array into Go value of type record.wire"},
		{"no cost", `{"time":"2026-11-30T12:00:00Z","cost":0}`, "record: line 1: cost is below 1"},
		{"no attempt", `{"time":"2026-11-30T12:00:00Z","attempt":-1}`, "record: line 1: attempt is below 1"},
		{"a wait below zero", `{"time":"2026-11-30T12:00:00Z","wait_s":-1}`, "record: line 1: a wait is negative"},
		{"a wait for ever", `{"time":"2026-11-30T12:00:00Z","wait_s":1e300}`, "2026-11-30T12:00:00Z  1 " + time.Duration(math.MaxInt64).String()},
	} {
		var got []string
		for l, err := range record.Lines(strings.NewReader(tt.text)) {
			if err != nil {
				got = append(got, err.Error())
				continue
			}
			got = append(got, fmt.Sprint(l.Time.Format(time.RFC3339), " ", l.Key, " ", l.Cost, " ", l.Wait))
		}
		if got := strings.Join(got, "; "); got != tt.want {
			t.Errorf("%s: %s; want %s", tt.name, got, tt.want)
		}
	}
}

// What goes wrong with the reader is the end; who has seen enough may stop.
func TestLinesEnd(t *testing.T) {
	broken := errors.New("broken")
	n := 0
	for _, err := range record.Lines(io.MultiReader(strings.NewReader("{}\n{}\n"), iotest.ErrReader(broken))) {
		if n++; n == 3 && (!errors.Is(err, broken) || errors.As(err, new(*record.LineError))) {
			t.Errorf("error %v", err)
		}
	}
	if n != 3 {
		t.Errorf("%d came, want two lines and the error", n)
	}
	for _, err := range record.Lines(strings.NewReader("{}\n{}\n")) {
		if err == nil {
			t.Error("an empty object is a line")
		}
		break
	}
}

// Whatever stands there, a line makes sense or is an error; and what was read is
// read again from what is written of it.
func FuzzLines(f *testing.F) {
	f.Add("")
	f.Add(`{"time":"2026-11-30T12:00:00.123456789Z","key":"h","class":"GET h/v1/","method":"GET","cost":1,"attempt":1,"wait_s":0.123456789,"status":200}`)
	f.Add(`{"time":"2026-11-30T12:00:00+01:00","refused":"limit","would_wait_s":1e9,"dropped":3}` + "\n{\n")
	f.Fuzz(func(t *testing.T, text string) {
		for l, err := range record.Lines(strings.NewReader(text)) {
			if err != nil {
				continue
			}
			if l.Time.IsZero() || l.Cost < 1 || l.Attempt < 1 || l.Wait < 0 || l.WouldWait < 0 {
				t.Fatalf("line %+v", l)
			}
			written, err := json.Marshal(l)
			if err != nil {
				t.Fatal(err)
			}
			var again record.Line
			if err := json.Unmarshal(written, &again); err != nil {
				t.Fatalf("%s: %v", written, err)
			}
			if !again.Time.Equal(l.Time) || max(l.Wait, l.WouldWait) < 24*time.Hour && (again.Wait != l.Wait || again.WouldWait != l.WouldWait) {
				t.Errorf("%+v was written as %s", l, written)
			}
			again.Time, again.Wait, again.WouldWait = l.Time, l.Wait, l.WouldWait
			if again != l {
				t.Errorf("%+v was written as %s", l, written)
			}
		}
	})
}
