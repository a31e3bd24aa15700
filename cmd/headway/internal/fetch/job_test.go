package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/throttle/throttletest"
	"github.com/headway-go/headway/transport"
)

// A memory is a store in memory. It fails if it is told to, and calls full when it
// has so many answers.
type memory struct {
	fail   error
	enough int
	full   func()

	mu  sync.Mutex
	got map[string]string
}

func (m *memory) Save(a *Answer) (int64, error) {
	data, err := io.ReadAll(a.Body)
	if err != nil {
		return 0, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail != nil {
		return 0, m.fail
	}
	if m.got == nil {
		m.got = map[string]string{}
	}
	m.got[a.URL.String()] = string(data)
	if len(m.got) == m.enough {
		m.full()
	}
	return int64(len(data)), nil
}

// newJob fetches the URLs with the Transport, which gets a Base.
func newJob(t *testing.T, tr *transport.Transport, store Store, urls ...string) *Job {
	t.Helper()
	p := newPlan(t, urls...)
	if err := p.Begin(); err != nil {
		t.Fatal(err)
	}
	under := http.DefaultTransport.(*http.Transport).Clone()
	t.Cleanup(under.CloseIdleConnections)
	tr.Base = &Base{Under: under}
	return &Job{
		Plan: p, Store: store, Concurrency: 4, Timeout: time.Minute,
		Client: &http.Client{
			Transport:     tr,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		Request: &http.Request{Method: http.MethodGet, Header: http.Header{"X-Key": {"value"}}},
	}
}

// numbered are n URLs at a server.
func numbered(server string, n int) (urls []string) {
	for i := range n {
		urls = append(urls, fmt.Sprintf("%s/%d", server, i))
	}
	return urls
}

// A server with a limit is asked for all, once, and refuses nothing.
func TestJob(t *testing.T) {
	srv := throttletest.NewServer(t, throttletest.Config{Rate: 500, Burst: 50})
	m := &memory{}
	j := newJob(t, &transport.Transport{}, m, numbered(srv.URL, 100)...)
	if err := j.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := j.Tally(); len(m.got) != 100 || got.Fetched != 100 || got.Failed != 0 || got.Bytes != 300 || srv.Admitted() != 100 {
		t.Errorf("%d kept, %+v, %d admitted", len(m.got), got, srv.Admitted())
	}
}

// No more calls are under way than allowed, and no fewer if there is no limit.
func TestJobConcurrency(t *testing.T) {
	var calls, now atomic.Int64
	full := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if calls.Add(1) == 1 {
			return
		}
		switch n := now.Add(1); {
		case n == 4:
			close(full)
		case n > 4:
			t.Errorf("%d calls at once", n)
		}
		<-full
		if r.Header.Get("X-Key") != "value" {
			t.Error("the header field is not sent")
		}
		now.Add(-1)
	}))
	defer srv.Close()
	j := newJob(t, &transport.Transport{}, &memory{}, numbered(srv.URL, 5)...)
	if err := j.Run(t.Context()); err != nil || calls.Load() != 5 {
		t.Errorf("%d calls: %v", calls.Load(), err)
	}
}

// One host that lets nobody go holds up no other, wherever it stands in the list.
func TestJobHosts(t *testing.T) {
	slow := throttletest.NewServer(t, throttletest.Config{Rate: 1e-6, Burst: 1})
	quick := throttletest.NewServer(t, throttletest.Config{Rate: 1e6, Burst: 1000})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	m := &memory{enough: 51, full: cancel}
	j := newJob(t, &transport.Transport{MaxWait: -1}, m, append(numbered(slow.URL, 50), numbered(quick.URL, 50)...)...)
	if err := j.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if slow.Admitted() != 1 || quick.Admitted() != 50 || len(m.got) != 51 {
		t.Errorf("%d and %d admitted, %d kept", slow.Admitted(), quick.Admitted(), len(m.got))
	}
}

// The answers of a server that does all kinds of things, and what they are called.
func TestJobCauses(t *testing.T) {
	gone := httptest.NewServer(nil)
	gone.Close()
	srv := httptest.NewServer(http.HandlerFunc(awkward))
	defer srv.Close()
	tls := httptest.NewUnstartedServer(nil)
	tls.Config.ErrorLog = log.New(io.Discard, "", 0) // of the handshake that fails
	tls.StartTLS()
	defer tls.Close()
	for _, tt := range []struct{ url, want string }{
		{srv.URL + "/ok", ""},
		{srv.URL + "/204", ""},
		{srv.URL + "/404", "status 404 Not Found"},
		{srv.URL + "/599", "status 599"},
		{srv.URL + "/302", "status 302 Found"},
		{srv.URL + "/short", "the connection was closed before the end of the answer"},
		{srv.URL + "/chunk", "the connection was closed before the end of the answer"},
		{srv.URL + "/large", errTooLong.Error()},
		{srv.URL + "/silent", errSilent.Error()},
		{srv.URL + "/garbage", "net/http: HTTP/1.x transport connection broken: malformed HTTP response"},
		{srv.URL + "/header", "the header of the answer makes no sense"},
		{gone.URL, "connection refused"},
		{tls.URL, "certificate: x509: certificate signed by unknown authority"},
		{strings.Replace(srv.URL, "http:", "https:", 1), "http: server gave HTTP response to HTTPS client"},
	} {
		m := &memory{}
		j := newJob(t, &transport.Transport{MaxAttempts: 1}, m, tt.url)
		j.MaxBody, j.Timeout = 1000, time.Minute
		if strings.HasSuffix(tt.url, "/silent") {
			j.Timeout = time.Millisecond
		}
		if err := j.Run(t.Context()); err != nil {
			t.Errorf("%s: %v", tt.url, err)
		}
		got := j.Tally()
		if tt.want == "" && got.Fetched != 1 || tt.want != "" && (len(got.Causes) != 1 || got.Causes[0].Text != tt.want || len(m.got) > 0) {
			t.Errorf("%s: %+v, want %q", tt.url, got, tt.want)
		}
	}
}

// awkward answers as the path says.
func awkward(w http.ResponseWriter, r *http.Request) {
	var status int
	switch r.URL.Path {
	case "/ok":
	case "/short":
		w.Header().Set("Content-Length", "100")
		fmt.Fprint(w, "short")
	case "/chunk":
		fmt.Fprint(w, "chunk")
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	case "/large":
		fmt.Fprint(w, strings.Repeat("x", 1001))
	case "/silent":
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	case "/garbage":
		raw(w, "s3cr3t\r\n\r\n")
	case "/header":
		raw(w, "HTTP/1.1 200 OK\r\ns3cr3t\r\n\r\n")
	default:
		_, _ = fmt.Sscanf(r.URL.Path, "/%d", &status)
		w.WriteHeader(status)
	}
}

// raw writes what is no HTTP.
func raw(w http.ResponseWriter, text string) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		_, _ = io.WriteString(conn, text)
		_ = conn.Close()
	}
}

// What was not fetched is listed, with the causes, and those that were kept for
// their status are listed too.
func TestJobRest(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(awkward))
	defer srv.Close()
	dir := t.TempDir()
	folder := openFolder(t, filepath.Join(dir, "out"))
	name := filepath.Join(dir, "rest.txt")
	list, err := NewRest(name)
	if err != nil {
		t.Fatal(err)
	}
	j := newJob(t, &transport.Transport{MaxAttempts: 1}, folder, srv.URL+"/404", srv.URL+"/ok", srv.URL+"/404?a=b", srv.URL+"/410")
	j.Rest, j.KeepErrors, j.Concurrency = list, true, 1
	if err := errors.Join(j.Run(t.Context()), list.End()); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("# status 404 Not Found\n%s/404\n%[1]s/404?a=b\n# status 410 Gone\n%[1]s/410\n", srv.URL)
	if got, err := os.ReadFile(name); err != nil || string(got) != want {
		t.Errorf("%s, %v; want\n%s", got, err, want)
	}
	kept, _ := filepath.Glob(filepath.Join(dir, "out", "errors", "*"))
	if got := j.Tally(); len(kept) != 3 || got.Failed != 3 || got.Fetched != 1 || len(got.Causes[0].Examples) != 2 {
		t.Errorf("%d kept, %+v", len(kept), got)
	}
}

// A store that cannot keep an answer ends all: asking on would use up a limit for
// nothing. What was not kept is listed.
func TestJobStoreFails(t *testing.T) {
	srv := throttletest.NewServer(t, throttletest.Config{Rate: 1e6, Burst: 1000})
	name := filepath.Join(t.TempDir(), "rest.txt")
	list, err := NewRest(name)
	if err != nil {
		t.Fatal(err)
	}
	j := newJob(t, &transport.Transport{}, &memory{fail: errDisk}, numbered(srv.URL, 100)...)
	j.Rest = list
	if err := j.Run(t.Context()); !errors.Is(err, errDisk) {
		t.Error(err)
	}
	if err := list.End(); err != nil {
		t.Error(err)
	}
	text, _ := os.ReadFile(name)
	if n := strings.Count(string(text), "http"); n != 100 || srv.Admitted() > 5 {
		t.Errorf("%d are listed, want 100; %d calls were made", n, srv.Admitted())
	}
}

// A host that asks for a wait beyond all bounds is asked for no more.
func TestJobGivesUpWaiting(t *testing.T) {
	srv := throttletest.NewServer(t, throttletest.Config{Rate: 1e-6, Burst: 3})
	j := newJob(t, &transport.Transport{MaxWait: time.Second}, &memory{}, numbered(srv.URL, 100)...)
	if err := j.Run(t.Context()); err != nil {
		t.Error(err)
	}
	got := j.Tally()
	if got.Fetched < 1 || got.Fetched+got.Failed != 100 || len(got.Causes) != 1 || !strings.HasPrefix(got.Causes[0].Text, "not sent: the limit of 127.0.0.1:") {
		t.Errorf("%+v", got)
	}
	if n := len(srv.Arrivals()); n > 4 {
		t.Errorf("%d calls were made", n)
	}
}

// A host without an answer to many calls in a row is given up, and earlier if it
// never gave one.
func TestJobGivesUpBroken(t *testing.T) {
	for answers, most := range map[int64]int64{0: maxSilent, 1: maxBroken} {
		var calls atomic.Int64
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if calls.Add(1) > answers {
				raw(w, "")
			}
		}))
		j := newJob(t, &transport.Transport{MaxAttempts: 1}, &memory{}, numbered(srv.URL, 1000)...)
		if err := j.Run(t.Context()); err != nil {
			t.Error(err)
		}
		srv.Close()
		got, want := j.Tally(), fmt.Sprintf("not tried after %d calls to 127.0.0.1:", most)
		if got.Fetched != answers || got.Fetched+got.Failed != 1000 || !slices.ContainsFunc(got.Causes, func(c Cause) bool { return strings.HasPrefix(c.Text, want) }) {
			t.Errorf("%d answers: %+v", answers, got)
		}
		if n := calls.Load(); n < most || n > 2*most+answers {
			t.Errorf("%d answers: %d calls were made", answers, n)
		}
	}
}

// When all is to stop, an answer that is on its way is kept, and a call that waits
// is not made.
func TestJobStops(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("RateLimit-Policy", `"p";q=1;w=60;burst=1`)
		cancel(enough)
		fmt.Fprint(w, "whole")
	}))
	defer srv.Close()
	m := &memory{}
	j := newJob(t, &transport.Transport{}, m, numbered(srv.URL, 10)...)
	if err := j.Run(ctx); !errors.Is(err, enough) {
		t.Error(err)
	}
	if got := j.Tally(); got.Fetched != 1 || got.Failed != 0 || m.got[srv.URL+"/0"] != "whole" {
		t.Errorf("%+v, kept %q", got, m.got)
	}
}

// There may be as many causes as URLs; only some of them are remembered.
func TestTally(t *testing.T) {
	var all tally
	u := parsed(t, "https://api.test/?key=s3cr3t")
	for i := range 200 {
		all.failed(u, fmt.Sprint("cause ", i/2))
	}
	got := all.now()
	if len(got.Causes) != maxCauses+1 || got.Causes[0].Text != otherCauses || got.Causes[0].Count != 100 || got.Failed != 200 {
		t.Errorf("%d causes, the first %+v", len(got.Causes), got.Causes[0])
	}
	if e := got.Causes[0].Examples; len(e) != maxExamples || e[0] != "https://api.test/?…" {
		t.Errorf("examples %q", e)
	}
}

// What a server writes is in no cause.
func TestCause(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want string
	}{
		{&net.DNSError{Err: "no such host", Name: "s3cr3t", IsNotFound: true}, "no such host"},
		{&net.DNSError{Err: "server misbehaving", Name: "s3cr3t"}, "the host's address could not be found out"},
		{errors.New("stream error: stream ID 7; INTERNAL_ERROR"), "stream error: stream ID …; INTERNAL_ERROR"},
		{errors.New(`bad thing: "s3cr3t"`), "bad thing"},
		{fmt.Errorf("a: %w", ErrRedirects), "more than 10 redirects"},
	} {
		if got := cause(tt.err); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.err, got, tt.want)
		}
	}
	text, ok := unsent(fmt.Errorf("a: %w", &throttle.NeverError{Key: "b", Cost: 2, Limit: throttle.Limit{Burst: 1}}))
	if !ok || text != "throttle: b: never sent: cost 2 is above the burst of 1" {
		t.Errorf("%q, %t", text, ok)
	}
}
