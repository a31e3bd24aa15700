package transport_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/transport"
	"github.com/headway-go/headway/transport/record"
)

// recorder opens a file for a recording. text returns what is in it in the end.
func recorder(t *testing.T) (file *record.File, text func() string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "calls.jsonl")
	file, err := record.Open(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	return file, func() string {
		if err := file.Close(); err != nil {
			t.Error(err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
}

// wantLines checks a recording, whose lines all begin as they must.
func wantLines(t *testing.T, text string, start time.Time, want ...string) {
	t.Helper()
	in := bufio.NewScanner(strings.NewReader(text))
	for i, w := range want {
		if !in.Scan() {
			t.Fatalf("%d lines, want %d", i, len(want))
		}
		at, rest, _ := strings.Cut(w, " ")
		after, err := time.ParseDuration(at)
		if err != nil {
			t.Fatal(err)
		}
		w := `{"time":"` + start.Add(after).UTC().Format(time.RFC3339Nano) + `","key":"api.example.com",` + rest + `}`
		if got := in.Text(); got != w {
			t.Errorf("line %d:\n%s\nwant\n%s", i+1, got, w)
		}
	}
	if in.Scan() {
		t.Errorf("one line more: %s", in.Text())
	}
}

// One line an attempt, and one for each that was not made.
func TestRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file, text := recorder(t)
		tr := &transport.Transport{
			Base:        newScript(answer(200, ""), answer(429, "", "Retry-After", "2"), answer(200, ""), fail(io.ErrUnexpectedEOF), answer(200, "")),
			Record:      file,
			MaxAttempts: 2, MaxWait: 5 * time.Second, Backoff: still, RetryBudget: -1,
			Limits: transport.Limits{
				"api.example.com/":             {{Rate: 1}},
				"POST api.example.com/v1/{id}": nil,
			},
		}
		start := time.Now()
		do(t, tr, get(t, api+"?key=secret"))
		do(t, tr, get(t, api)) // at 1s, and again at 3s
		_, _ = attempt(tr, post(t, "http://api.example.com/v1/77", "x"))
		ctx, cancel := context.WithCancel(throttle.WithCost(t.Context(), 2))
		if _, err := tr.RoundTrip(get(t, api).WithContext(ctx)); err == nil {
			t.Error("a cost of 2 in a burst of 1")
		}
		ctx = throttle.WithPriority(t.Context(), throttle.High)
		cancel()
		do(t, tr, get(t, api).WithContext(ctx))
		var wg sync.WaitGroup
		ctx, cancel = context.WithCancel(t.Context())
		wg.Go(func() { _, _ = attempt(tr, get(t, api).WithContext(ctx)) })
		synctest.Wait()
		time.Sleep(time.Second / 2)
		cancel()
		wg.Wait()
		const class = `"class":"api.example.com/",`
		wantLines(t, text(), start,
			`0s `+class+`"method":"GET","cost":1,"attempt":1,"wait_s":0,"status":200`,
			`1s `+class+`"method":"GET","cost":1,"attempt":1,"wait_s":1,"status":429,"throttled":true`,
			`3s `+class+`"method":"GET","cost":1,"attempt":2,"wait_s":2,"status":200`,
			`3s "class":"POST api.example.com/v1/{id}","method":"POST","cost":1,"attempt":1,"wait_s":0,"status":0,"failed":true`,
			`3s `+class+`"method":"GET","cost":2,"attempt":1,"wait_s":0,"status":0,"refused":"never"`,
			`4s `+class+`"method":"GET","cost":1,"attempt":1,"wait_s":1,"status":200`,
			`4.5s `+class+`"method":"GET","cost":1,"attempt":1,"wait_s":0.5,"status":0,"refused":"context"`,
		)
	})
}

// In shadow mode it says what would have been: a call is sent when it comes.
func TestRecordOfAShadow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file, text := recorder(t)
		tr := &transport.Transport{
			Base: newScript(answer(200, "")), Record: file, Shadow: true, MaxWait: time.Second,
			Limits: transport.Limits{"api.example.com/": {{Rate: 1}}},
		}
		start := time.Now()
		for range 3 {
			do(t, tr, get(t, api))
		}
		const line = `0s "class":"api.example.com/","method":"GET","cost":1,"attempt":1,"wait_s":0,"status":200`
		wantLines(t, text(), start, line, line+`,"would_wait_s":1`, line+`,"would_wait_s":2,"would_refuse":"limit"`)
	})
}

// A call came at its time less its wait, also if it waited in two lines, or in
// vain.
func TestRecordTellsWhenACallCame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file, text := recorder(t)
		base := newScript(func(req *http.Request) (*http.Response, error) {
			name := strings.Trim(req.URL.Path, "/")
			reset := map[string]string{"slow": "100", "fast": "10"}[name]
			return answer(200, "", "X-RateLimit-Resource", name, "X-RateLimit-Remaining", "0", "X-RateLimit-Limit", "9", "X-RateLimit-Reset", reset)(req)
		})
		tr := &transport.Transport{Base: base, Record: file, MaxWait: 250 * time.Second}
		do(t, tr, get(t, "http://api.example.com/fast"))
		came := time.Now()
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() { do(t, tr, get(t, "http://api.example.com/slow")) })
		}
		wg.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(5*time.Second, cancel)
			_, _ = attempt(tr, get(t, "http://api.example.com/fast").WithContext(ctx))
		})
		wg.Wait()
		moved, gaveUp := 0, 0
		for line, err := range record.Lines(strings.NewReader(text())) {
			if err != nil {
				t.Fatal(err)
			}
			if at := line.Time.Add(-line.Wait); !at.Equal(came) {
				t.Errorf("%+v\ncame at %v, want %v", line, at, came)
			}
			if line.Wait > 100*time.Second {
				moved++
			}
			if line.Refused == "context" {
				gaveUp++
			}
		}
		if moved != 1 || gaveUp != 1 {
			t.Errorf("%d calls moved, and %d gave up, want one each", moved, gaveUp)
		}
	})
}
