package page

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// pages is the log of a client that loads a page of 9 calls each minute.
func pages(n int) string {
	var log strings.Builder
	for i := range n {
		for call := range 9 {
			fmt.Fprintf(&log, `{"time":"2026-11-02T09:%02d:00.%03dZ","ip":"10.0.0.1","path":"/widgets/%d"}`+"\n", i, 4*call, call)
		}
	}
	return log.String()
}

type reportJSON struct {
	Calls, Clients int
	Logs           []struct {
		Name string
		Bad  int `json:"bad_lines"`
	}
	All     classJSON
	Classes []classJSON
	Matrix  []struct{ Type string }
}

type classJSON struct {
	Name, Type string
	Limit      struct {
		Interval float64 `json:"interval_seconds"`
	}
	Advised struct {
		TauOverT   int     `json:"tau_over_t"`
		BackToBack int     `json:"back_to_back"`
		Tolerance  float64 `json:"tolerance_seconds"`
	}
	Candidates []struct {
		TauOverT int `json:"tau_over_t"`
		Rejected int
	}
}

func TestTune(t *testing.T) {
	w := send(t, http.MethodPost, "/api/tune?"+query("name", "calls.jsonl", "candidates", "4, 50", "rules", "(all)=interactive\n/widgets/=machine\n\n/widgets/=120/1m"), pages(30)+"no call\n")
	got := into[reportJSON](t, w, http.StatusOK)
	if got.Calls != 270 || got.Clients != 1 || got.Logs[0].Name != "calls.jsonl" || got.Logs[0].Bad != 1 || len(got.Matrix) != 5 {
		t.Errorf("%+v", got)
	}
	// Nine calls come together: 1.2 times as many, rounded up, are 11.
	if a := got.All.Advised; a.TauOverT != 11 || a.BackToBack != 12 || a.Tolerance != 11 || got.All.Limit.Interval != 1 {
		t.Errorf("advised is %+v", a)
	}
	if c := got.Classes[0]; c.Name != "/widgets/" || c.Type != "machine" || c.Limit.Interval != 0.5 || c.Advised.TauOverT != 9 {
		t.Errorf("of the class is said %+v", c)
	}
	if last := got.All.Candidates[len(got.All.Candidates)-1]; last.TauOverT != 50 || last.Rejected != 0 {
		t.Errorf("the last candidate is %+v, want 50, which was asked for", last)
	}
}

func TestTuneReadsGzip(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	fmt.Fprint(z, pages(2))
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	got := into[reportJSON](t, send(t, http.MethodPost, "/api/tune?"+query("limit", "600/1m", "fields", "path=path, client = ip", "format", "json", "unit", "ms"), packed.String()), http.StatusOK)
	if got.Calls != 18 || got.All.Limit.Interval != 0.1 {
		t.Errorf("%+v", got)
	}
}

func TestTuneErrors(t *testing.T) {
	for _, tt := range []struct {
		q                 []string
		body, field, want string
	}{
		{nil, "", "log", "there are no calls in it"},
		{nil, "nothing that could be read\n", "log", "no format fits the first lines"},
		{[]string{"format", "json"}, "x\n", "log", "none of the 1 lines can be read as a call; line 1: "},
		{nil, "\x1f\x8bno gzip", "log", "unexpected EOF"},
		{nil, "PK\x03\x04", "log", "it is packed by zip"},
		{[]string{"limit", "many"}, "", "limit", `"many": want a limit as 60/1m`},
		{[]string{"limit", "0/1m"}, "", "limit", `"0/1m": want a limit as 60/1m`},
		{[]string{"gap", "48h"}, "", "gap", "48h0m0s: want 0s to 24h"},
		{[]string{"gap", "long"}, "", "gap", `"long" is not a length of time`},
		{[]string{"gap", "0"}, "", "gap", `"0" is not a length of time above zero`},
		{[]string{"percentile", "0"}, "", "percentile", `"0" is not a number from 0.001 to 100`},
		{[]string{"percentile", "101"}, "", "percentile", `"101" is not a number from 0.001 to 100`},
		{[]string{"close", "-1"}, "", "close", `"-1" is not a number from 0 to 100`},
		{[]string{"candidates", "4,x"}, "", "candidates", `"x" is not a whole number`},
		{[]string{"candidates", "-4"}, "", "candidates", "-4: want 0 to 1000000"},
		{[]string{"rules", "POST /login"}, "", "rules", `"POST /login" is not as POST /login=login`},
		{[]string{"rules", "/login=robot"}, "", "rules", `"robot": type of client "robot", want one of`},
		{[]string{"rules", "/login=5/soon"}, "", "rules", `"5/soon": want a limit`},
		{[]string{"rules", "GET /{=login"}, "", "rules", "GET /{: want "},
		{[]string{"format", "xml"}, "", "format", `"xml": format "xml", want one of`},
		{[]string{"unit", "h"}, "", "unit", "1h0m0s: want 1s, 1ms"},
		{[]string{"unit", "x"}, "", "unit", `"x" is no unit`},
		{[]string{"fields", "time"}, "", "fields", `"time" is not as time=FIELD`},
		{[]string{"fields", "when=ts"}, "", "fields", "when: want one of"},
	} {
		got := into[errorsJSON](t, send(t, http.MethodPost, "/api/tune?"+query(tt.q...), tt.body), http.StatusUnprocessableEntity)
		if f := got.Errors[0]; f.Field != tt.field || !strings.Contains(f.Message, tt.want) {
			t.Errorf("%v, %q: %+v, want %s: %s", tt.q, tt.body, f, tt.field, tt.want)
		}
	}
}

// A log that turns out to be too long in the middle is told so.
func TestTuneTooLong(t *testing.T) {
	w := send(t, http.MethodPost, "/api/tune?", strings.Repeat(pages(30), 80))
	if got := into[errorsJSON](t, w, http.StatusRequestEntityTooLarge); got.Errors[0].Field != "log" || !strings.Contains(got.Errors[0].Message, "more than 1 MiB") {
		t.Errorf("%+v", got)
	}
}
