package page

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// theBurst is the example of the description that the simulator began with.
const theBurst = "0\n0.1\n0.2\n0.3\n0.4\n0.5\n1.5\n2.0\n2.1\n2.2\n5.0"

type simulatedJSON struct {
	Requests int
	From, To float64
	Models   []struct {
		Allowed, Refused int
		AverageRate      float64 `json:"average_rate"`
		LargestBurst     float64 `json:"largest_burst"`
		Curve            struct {
			Tokens, Allowed, Refused struct {
				Time   []float64 `json:"time_seconds"`
				Tokens []float64
			}
		}
	}
	Rows []struct {
		Number  int
		Time    float64 `json:"time_seconds"`
		Results []struct {
			Allowed bool
			Before  float64  `json:"tokens_before"`
			Left    float64  `json:"tokens_left"`
			Retry   *float64 `json:"retry_at_seconds"`
		}
	}
}

func simulateAll(t *testing.T, q, body string) simulatedJSON {
	t.Helper()
	return into[simulatedJSON](t, send(t, http.MethodPost, "/api/simulate?"+q, body), http.StatusOK)
}

func TestTheBurst(t *testing.T) {
	got := simulateAll(t, query("bucket", "5", "refill", "1"), theBurst)
	m := got.Models[0]
	if got.Requests != 11 || m.Allowed != 8 || m.Refused != 3 || m.AverageRate != 1.6 || m.LargestBurst != 5 || len(got.Rows) != 11 {
		t.Errorf("%+v, want 8 of 11 allowed, 1.6/s on average, 5 at most", m)
	}
	sixth := got.Rows[5].Results[0]
	if got.Rows[5].Time != 0.5 || sixth.Allowed || sixth.Before != 0.5 || sixth.Left != 0.5 || sixth.Retry == nil || *sixth.Retry != 1 {
		t.Errorf("the request at 0.5 is %+v, want it refused until 1.0", got.Rows[5])
	}
	if seventh := got.Rows[6].Results[0]; !seventh.Allowed || seventh.Before != 1.5 || seventh.Left != 0.5 || seventh.Retry != nil {
		t.Errorf("the request at 1.5 is %+v", got.Rows[6])
	}
	if len(m.Curve.Allowed.Time) != 8 || len(m.Curve.Refused.Time) != 3 || m.Curve.Tokens.Tokens[0] != 5 {
		t.Errorf("the curve is %+v", m.Curve)
	}
}

// Models stand side by side.
func TestSideBySide(t *testing.T) {
	got := simulateAll(t, query("bucket", "5", "refill", "1", "m", "token-bucket,bucket=2", "m", "gcra", "m", "fixed-window,limit=1,window=10s"),
		"0\n0.1\n0.2\n0.3")
	var allowed []int
	for _, m := range got.Models {
		allowed = append(allowed, m.Allowed)
	}
	if !slices.Equal(allowed, []int{2, 4, 1}) || len(got.Rows[0].Results) != 3 {
		t.Errorf("allowed %v, want 2, 4, 1", allowed)
	}
}

func TestPages(t *testing.T) {
	var body strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&body, "%d\n", i/2) // every other is refused
	}
	for _, tt := range []struct {
		q             []string
		first, number int
	}{
		{nil, 1, 1000},
		{[]string{"rows", "100"}, 1, 100},
		{[]string{"row", "951", "rows", "100"}, 951, 50},
		{[]string{"row", "2000", "rows", "100"}, 0, 0},
		{[]string{"row", "501", "rows", "100", "find", ""}, 502, 100},
		{[]string{"row", "1001", "find", ""}, 0, 0},
	} {
		got := simulateAll(t, query(append([]string{"bucket", "1", "refill", "1"}, tt.q...)...), body.String())
		if len(got.Rows) != tt.number || tt.number > 0 && got.Rows[0].Number != tt.first {
			t.Errorf("%v: %d rows, want %d from %d", tt.q, len(got.Rows), tt.number, tt.first)
		}
		if got.Requests != 1000 || got.Models[0].Refused != 500 {
			t.Errorf("%v: %d requests, %d refused", tt.q, got.Requests, got.Models[0].Refused)
		}
		for i, r := range got.Rows {
			if r.Number != got.Rows[0].Number+i || r.Time != float64((r.Number-1)/2) {
				t.Fatalf("%v: row %d is %+v", tt.q, i, r)
			}
		}
	}
}

// A part of the run is seen closer; the figures are of all of it.
func TestZoom(t *testing.T) {
	got := simulateAll(t, query("bucket", "5", "refill", "1", "from", "1", "to", "2.05"), theBurst)
	c := got.Models[0].Curve
	if got.From != 1 || got.To != 2.05 || !slices.Equal(c.Allowed.Time, []float64{1.5, 2}) || len(c.Refused.Time) != 0 || got.Models[0].Allowed != 8 {
		t.Errorf("from %v to %v: %+v", got.From, got.To, c)
	}
	if all := simulateAll(t, query("bucket", "5", "refill", "1"), theBurst); all.From != 0 || all.To != 5 {
		t.Errorf("all is from %v to %v, want 0 to 5", all.From, all.To)
	}
}

// However much there is, the answer is short.
func TestAnswerIsShort(t *testing.T) {
	var body strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&body, "%.2f\n", float64(i)/100)
	}
	w := send(t, http.MethodPost, "/api/simulate?"+query("bucket", "5", "refill", "1", "rows", "100"), body.String())
	if got := into[simulatedJSON](t, w, http.StatusOK); got.Requests != 100_000 || w.Body.Len() > 200_000 {
		t.Errorf("%d requests in %d bytes", got.Requests, w.Body.Len())
	}
}

func TestSimulateErrors(t *testing.T) {
	for _, tt := range []struct {
		q    []string
		body string
		want string // field, model, entry and message of each
	}{
		{[]string{"bucket", "x", "refill", "1"}, "0", `bucket - 0 "x" is not a number`},
		{[]string{"bucket", "x", "refill", "y", "m", "gcra,tau=z"}, "0", `bucket - 0 "x" is not a number; refill - 0 "y" is not a number; tau 0 0 "z" is not a number`},
		{[]string{"refill", "1"}, "0", `bucket - 0 is missing: want how many tokens it holds`},
		{[]string{"refill", "1", "m", "token-bucket", "m", "leaky-bucket"}, "0", `bucket - 0 is missing: want how many tokens it holds`},
		{[]string{"bucket", "5", "refill", "1", "m", "token-bucket", "m", "leaky-bucket,bucket=-1"}, "0", `bucket 1 0 "-1" is not positive`},
		{[]string{"bucket", "5", "refill", "1", "m", "bucket"}, "0", `model 0 0 there is no "bucket"`},
		{[]string{"bucket", "5", "refill", "1", "start", "6"}, "0", `start - 0 6 is not from 0 to 5, which is all it holds`},
		{[]string{"bucket", "5", "refill", "1", "window", "soon"}, "0", `window - 0 "soon" is not a length of time`},
		{[]string{"bucket", "5", "refill", "1", "window", "0"}, "0", `window - 0 "0" is not a length of time above zero`},
		{[]string{"bucket", "5", "refill", "1"}, "", `requests - 0 There is no request`},
		{[]string{"bucket", "5", "refill", "1"}, "0\nabc", `requests - 2 request 2: the time "abc" is not a number`},
		{[]string{"bucket", "5", "refill", "1"}, "1\n\n# no\n0.5", `requests - 2 request 2: the time "0.5" goes backward`},
		{[]string{"bucket", "5", "refill", "1"}, "1:0", `requests - 1 request 1: the cost "0" is not positive`},
		{[]string{"bucket", "5", "refill", "1"}, "-1", `requests - 1 request 1: the time "-1" is negative`},
		{[]string{"bucket", "5", "refill", "1"}, "NaN", `requests - 1 request 1: the time "NaN" is not a finite number`},
		{[]string{"bucket", "5", "refill", "1"}, "1:6", `requests - 1 request 1: the cost 6 is above the 5`},
		{slices.Concat([]string{"bucket", "5", "refill", "1"}, slices.Repeat([]string{"m", "gcra"}, 33)), "0", `models - 0 there are 33 models: want at most 32`},
	} {
		got := into[errorsJSON](t, send(t, http.MethodPost, "/api/simulate?"+query(tt.q...), tt.body), http.StatusUnprocessableEntity)
		var texts []string
		for _, f := range got.Errors {
			model := "-"
			if f.Model != nil {
				model = fmt.Sprint(*f.Model)
			}
			texts = append(texts, fmt.Sprintf("%s %s %d %s", f.Field, model, f.Entry, f.Message))
		}
		if text := strings.Join(texts, "; "); !strings.HasPrefix(text, tt.want) {
			t.Errorf("%v, %q: %s\nwant %s", tt.q, tt.body, text, tt.want)
		}
	}
}

// Whatever is asked for, the answer is JSON: a run, or what is wrong.
func FuzzSimulate(f *testing.F) {
	f.Add("bucket=5&refill=1", theBurst)
	f.Add("bucket=5&refill=1&m=gcra,t=1s,tau=4s&m=ticks,tick=1&from=1&to=2&row=3&rows=5&find=", "0:2\n1\n1:3")
	f.Add("bucket=1e12&refill=1e9&start=0&window=1h&m=sliding-counter,limit=3,servers=3", "0\n1e9")
	f.Fuzz(func(t *testing.T, q, body string) {
		if _, err := url.ParseQuery(q); err != nil {
			return
		}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/simulate", strings.NewReader(body))
		r.Host, r.URL.RawQuery = "localhost", q
		w := httptest.NewRecorder()
		handler().ServeHTTP(w, r)
		if w.Code == http.StatusOK {
			if got := into[simulatedJSON](t, w, http.StatusOK); got.Requests == 0 || len(got.Models) == 0 || got.To < got.From {
				t.Errorf("%s: %+v", q, got)
			}
			return
		}
		if got := into[errorsJSON](t, w, http.StatusUnprocessableEntity); len(got.Errors) == 0 || got.Errors[0].Message == "" {
			t.Errorf("%s: no error, but status %d", q, w.Code)
		}
	})
}
