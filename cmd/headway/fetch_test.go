package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/throttle/throttletest"
)

// fetched runs headway fetch. It may write to both of stdout and stderr.
func fetched(t *testing.T, stdin string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	var out, errs bytes.Buffer
	status = run(t.Context(), append([]string{"fetch"}, args...), strings.NewReader(stdin), &out, &errs)
	return out.String(), errs.String(), status
}

// summed runs headway fetch, and returns its summary.
func summed(t *testing.T, stdin string, args ...string) (s fetchSummary, status int) {
	t.Helper()
	out, errs, status := fetched(t, stdin, append(args, "--json")...)
	if err := json.Unmarshal([]byte(out), &s); err != nil {
		t.Fatalf("headway fetch %q: status %d, %v: %s%s", args, status, err, out, errs)
	}
	return s, status
}

// plentiful is a server that has room for all calls of a test.
func plentiful(t *testing.T, h http.HandlerFunc) *throttletest.Server {
	t.Helper()
	return throttletest.NewServer(t, throttletest.Config{Rate: 1e6, Burst: 10_000, Handler: h})
}

// sayPath answers with the path.
func sayPath(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.URL.Path) }

func TestFetch(t *testing.T) {
	srv := plentiful(t, sayPath)
	dir := filepath.Join(t.TempDir(), "out")
	s, status := summed(t, "", "--out", dir, srv.URL+"/items/{1..20}")
	if status != ok || s.Listed != 20 || s.Fetched != 20 || s.Sent != 20 || srv.Admitted() != 20 || s.Bytes != 9*8+11*9 {
		t.Errorf("status %d, %+v", status, s)
	}
	host := strings.ReplaceAll(strings.TrimPrefix(srv.URL, "http://"), ":", "+")
	for _, n := range []string{"1", "20"} {
		if got, err := os.ReadFile(filepath.Join(dir, "http="+host+"_items_"+n)); err != nil || string(got) != "/items/"+n {
			t.Errorf("%q, %v", got, err)
		}
	}

	// What is there is not asked for again.
	list := strings.Repeat(srv.URL+"/items/1\n"+srv.URL+"/items/21\n", 2)
	s, status = summed(t, list, "--out", dir)
	if status != ok || s.Listed != 4 || s.Fetched != 1 || s.Here != 1 || s.Repeated != 2 || srv.Admitted() != 21 {
		t.Errorf("status %d, %+v", status, s)
	}
}

func TestFetchText(t *testing.T) {
	srv := plentiful(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/no") {
			w.WriteHeader(http.StatusNotFound)
		}
	})
	dir := t.TempDir()
	out, errs, status := fetched(t, "", "--out", dir, srv.URL+"/items/{1..3}", srv.URL+"/no/{1..5}?key=s3cr3t")
	for _, want := range []string{
		"3 of 8 URLs fetched in ", "  5 failed\n", "  8 requests sent, 0 refused by servers, 0 sent again; the longest wait for a limit was ",
		"Failed\n  5: status 404 Not Found\n    " + srv.URL + "/no/",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("want %q in\n%s", want, out)
		}
	}
	if status != failed || errs != "headway: 5 of 8 URLs failed; the same command goes on\n" || strings.Contains(out, "s3cr3t") {
		t.Errorf("status %d: %s%s", status, out, errs)
	}
	out, errs, status = fetched(t, "", "--out", dir)
	if status != ok || out != "" && !strings.HasPrefix(out, "0 of 0 URLs fetched in ") || errs != "" {
		t.Errorf("an empty list: status %d: %s%s", status, out, errs)
	}
}

func TestFetchLines(t *testing.T) {
	srv := plentiful(t, sayPath)
	file := filepath.Join(t.TempDir(), "out.jsonl")
	for run, want := range []int64{10, 1} {
		s, status := summed(t, "", "--jsonl", file, fmt.Sprintf("%s/{1..%d}", srv.URL, 10+run))
		if status != ok || s.Fetched != want {
			t.Errorf("run %d: status %d, %+v", run, status, s)
		}
	}
	data, err := os.ReadFile(file)
	if n := bytes.Count(data, []byte(`"status":200,"type":"text/plain; charset=utf-8","body":"/`)); n != 11 || err != nil {
		t.Errorf("%d lines, %v: %s", n, err, data)
	}

	out, errs, status := fetched(t, "", "--jsonl", "-", srv.URL+"/1")
	want := fmt.Sprintf(`{"url":"%s/1","status":200,"type":"text/plain; charset=utf-8","body":"/1"}`+"\n", srv.URL)
	if status != ok || out != want || !strings.HasPrefix(errs, "1 of 1 URL fetched") {
		t.Errorf("status %d: %q, %q", status, out, errs)
	}
}

// What makes no sense is named before anything is sent or written.
func TestFetchBadInput(t *testing.T) {
	srv := plentiful(t, sayPath)
	dir := t.TempDir()
	write := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	list := write("list.txt", srv.URL+"/1\n\nftp://s3cr3t/\nhttp://user:s3cr3t@a/\n")
	notes, long := write("notes.txt", "mine"), write("long.txt", "A: "+strings.Repeat("x", 70_000))
	good, out := srv.URL+"/1", filepath.Join(dir, "out")
	linked := filepath.Join(t.TempDir(), "linked")
	if err := os.Symlink(dir, linked); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args []string
		want string
	}{
		{nil, "--out FOLDER or --jsonl FILE has to say where the answers go"},
		{[]string{"--out", out, "--jsonl", "-", good}, "--out and --jsonl can't be used together"},
		{[]string{"--out", out, "-i", list}, list + ":3: no URL that begins with http:// or https:// (and 1 more)"},
		{[]string{"--out", out, good, "s3cr3t"}, "fetch: URL 2: no URL that begins with http:// or https://"},
		{[]string{"--out", out, list}, "; -i reads a list"},
		{[]string{"--out", out, srv.URL + "/{id}"}, "fetch: URL 1: {id} is no range as {1..500}"},
		{[]string{"--out", out, srv.URL + "/{1..100000001}"}, "it stands for 100000001 URLs, more than 100000000"},
		{[]string{"--out", out, srv.URL + "/{0..999999999999999999}{1..999}"}, "far more than"},
		{[]string{"--out", out, "-i", filepath.Join(dir, "none")}, "no such file"},
		{[]string{"--out", out, "-i", dir}, "is a directory"},
		{[]string{"--out", notes, good}, notes + ": not a directory"},
		{[]string{"--jsonl", notes, good}, notes + ":1: no line of headway fetch; nothing was changed"},
		{[]string{"--jsonl", dir, good}, "is a directory"},
		{[]string{"--jsonl", notes, "--failed", dir + "/./notes.txt", good}, "--failed: want another file than that of --jsonl"},
		{[]string{"--jsonl", notes, "--failed", linked + "/notes.txt", good}, "--failed: want another file than that of --jsonl"},
		{[]string{"--jsonl", dir + "/new", "--budget", dir + "/new", good}, "--budget: want another file than that of --jsonl"},
		{[]string{"--out", out, "--budget", dir + "/new", "--failed", dir + "/new", good}, "--budget: want another file than that of --failed"},
		{[]string{"--out", out, "-H", "s3cr3t", good}, "fetch: the 1. -H is no header field"},
		{[]string{"--out", out, "-H", "A: ${HEADWAY_TEST_UNSET}", good}, "the 1. -H: ${HEADWAY_TEST_UNSET} is not set in the environment"},
		{[]string{"--out", out, "-H", "@" + notes, good}, notes + ":1: no header field"},
		{[]string{"--out", out, "-H", "@" + long, good}, long + ": a line is longer than 64 KiB"},
		{[]string{"--out", out, "-H", "@" + dir, good}, dir + ": is a directory"},
		{[]string{"--out", out, "--limit", "api.test=1/s", good}, "--limit: "},
		{[]string{"--out", out, "--limit", "/a/{b}=1/s", "--limit", "/{a}/b=1/s", good}, `fetch: transport: Limits["/{a}/b"]`},
		{[]string{"--out", out, "--budget", notes, good}, notes + ":1: "},
		{[]string{"--out", out, "--failed", filepath.Join(dir, "no", "such"), good}, "no such file"},
		{[]string{"--out", out, "-c", "0", good}, "--concurrency: want a number from 1 to 1000"},
		{[]string{"--out", out, "--attempts=0", good}, "--attempts: want a number above zero"},
		{[]string{"--out", out, "--max-wait=0", good}, "--max-wait: want a length of time"},
		{[]string{"--out", out, "--timeout=x", good}, "--timeout: want a length of time"},
	} {
		stdout, stderr, status := fetched(t, "", tt.args...)
		if status != badRequest || stdout != "" || !strings.Contains(stderr, tt.want) || strings.Count(stderr, "\n") != 1 || strings.Contains(stderr, "s3cr3t") {
			t.Errorf("headway fetch %q: status %d, %q%q; want 2, %q", tt.args, status, stdout, stderr, tt.want)
		}
	}
	if n := len(srv.Arrivals()); n > 0 {
		t.Errorf("%d calls were made", n)
	}
	if text, _ := os.ReadFile(notes); string(text) != "mine" {
		t.Errorf("%s was changed: %q", notes, text)
	}
}

// The values of -H reach the server that was asked, and nobody else.
func TestFetchHeader(t *testing.T) {
	t.Setenv("HEADWAY_TEST_TOKEN", "s3cr3t-of-env")
	file := filepath.Join(t.TempDir(), "fields")
	if err := os.WriteFile(file, []byte("# mine\nX-File: s3cr3t ${HOME}\n\nHost: other.test\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var asked, led atomic.Pointer[http.Request]
	other := plentiful(t, func(_ http.ResponseWriter, r *http.Request) { led.Store(r) })
	srv := plentiful(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Store(r)
		http.Redirect(w, r, other.URL+"/", http.StatusFound)
	})
	args := []string{"-H", "Authorization: Bearer ${HEADWAY_TEST_TOKEN}", "-H", "@" + file, "-H", "User-Agent: mine"}
	out, errs, status := fetched(t, "", append(args, "--jsonl", "-", srv.URL+"/?key=s3cr3t")...)
	if status != ok || strings.Count(out+errs, "s3cr3t") != 1 { // in the URL of the line
		t.Errorf("status %d: %s%s", status, out, errs)
	}
	a, l := asked.Load(), led.Load()
	if a.Header.Get("Authorization") != "Bearer s3cr3t-of-env" || a.Header.Get("X-File") != "s3cr3t ${HOME}" || a.Host != "other.test" || a.Header.Get("User-Agent") != "mine" {
		t.Errorf("the server was sent %v", a.Header)
	}
	if l == nil || l.Header.Get("Authorization")+l.Header.Get("X-File")+l.Header.Get("Referer") != "" {
		t.Errorf("the other one was sent %v", l.Header)
	}
	s, status := summed(t, "", "--no-follow", "--out", t.TempDir(), srv.URL)
	if status != failed || len(s.Causes) != 1 || s.Causes[0].Text != "status 302 Found" {
		t.Errorf("--no-follow: status %d, %+v", status, s)
	}
}

// A path of n leads on n times. Ten redirects are followed, and no more.
func TestFetchRedirects(t *testing.T) {
	srv := plentiful(t, func(w http.ResponseWriter, r *http.Request) {
		if n, _ := strconv.Atoi(r.URL.Path[1:]); n > 0 {
			http.Redirect(w, r, "/"+strconv.Itoa(n-1), http.StatusFound)
		}
	})
	s, status := summed(t, "", "--out", t.TempDir(), srv.URL+"/10")
	if status != ok || s.Fetched != 1 || s.Sent != 11 {
		t.Errorf("10 redirects: status %d, %+v", status, s)
	}
	s, status = summed(t, "", "--out", t.TempDir(), srv.URL+"/11")
	if status != failed || len(s.Causes) != 1 || s.Causes[0].Text != "more than 10 redirects" || s.Sent != 11 {
		t.Errorf("11 redirects: status %d, %+v", status, s)
	}
}

// A limit by hand holds, and with a budget file in the next run too. A list of
// what failed may take the place of the list that was read.
func TestFetchLimit(t *testing.T) {
	srv := throttletest.NewServer(t, throttletest.Config{Rate: 1e6, Burst: 1000, Dialect: throttletest.Nothing})
	dir := t.TempDir()
	list, budget := filepath.Join(dir, "list.txt"), filepath.Join(dir, "budget.json")
	var urls strings.Builder
	for i := range 10 {
		fmt.Fprintf(&urls, "%s/%d?key=a\n", srv.URL, i)
	}
	if err := os.WriteFile(list, []byte(urls.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for run, want := range []int64{3, 0} {
		s, status := summed(t, "", "--out", dir, "-i", list, "--failed", list, "--budget", budget, "--max-wait=1s", "--limit", "127.0.0.1/=1/h burst 3")
		if status != failed || s.Fetched != want || s.Failed != 7 || s.Sent != want || !strings.Contains(s.Causes[0].Text, "longer than --max-wait") {
			t.Errorf("run %d: status %d, %+v", run, status, s)
		}
		text, err := os.ReadFile(list)
		if err != nil || strings.Count(string(text), "?key=a\n") != 7 || strings.Count(string(text), "# not sent: the limit") != 1 {
			t.Errorf("run %d: the list is %s", run, text)
		}
	}
	s, status := summed(t, "", "--out", dir, "-i", list, "--failed", list)
	if text, err := os.ReadFile(list); status != ok || s.Fetched != 7 || err != nil || len(text) > 0 {
		t.Errorf("without the limit: status %d, %+v, left %q", status, s, text)
	}
}

// A folder that is gone ends it at once; what is left is listed.
func TestFetchStoreFails(t *testing.T) {
	dir := t.TempDir()
	out, list := filepath.Join(dir, "out"), filepath.Join(dir, "left.txt")
	srv := plentiful(t, func(http.ResponseWriter, *http.Request) { _ = os.RemoveAll(out) })
	stdout, stderr, status := fetched(t, "", "--out", out, "--failed", list, srv.URL+"/{1..50}")
	text, _ := os.ReadFile(list)
	if status != failed || !strings.HasPrefix(stdout, "0 of 50 URLs fetched") || strings.Count(string(text), "http") != 50 ||
		!strings.HasPrefix(stderr, "headway: "+out+": no such file or directory; "+list+" lists what is left") {
		t.Errorf("status %d: %s%s%s", status, stdout, stderr, text)
	}
}

// unwritable is a stdout whose disk is full.
type unwritable struct{}

func (unwritable) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// Calls were made: that is not the status of input that makes no sense.
func TestFetchStdoutFails(t *testing.T) {
	srv := plentiful(t, sayPath)
	var errs bytes.Buffer
	status := run(t.Context(), []string{"fetch", "--out", t.TempDir(), srv.URL}, strings.NewReader(""), unwritable{}, &errs)
	if status != failed || !strings.Contains(errs.String(), syscall.ENOSPC.Error()) {
		t.Errorf("status %d, %q", status, errs.String())
	}
}

func TestFetchHelp(t *testing.T) {
	out, errs, status := fetched(t, "", "--help")
	if status != ok || errs != "" {
		t.Errorf("status %d: %s", status, errs)
	}
	golden(t, "fetch.golden", out)
}

func TestGlance(t *testing.T) {
	waiting := throttle.State{Waiting: 1, NextSlot: time.Second}
	cooling := throttle.State{Waiting: 1, CoolingLeft: 90 * time.Second}
	for _, tt := range []struct {
		budgets         []throttle.State
		refused, failed int64
		want            string
	}{
		{nil, 0, 0, "0 refused"},
		{[]throttle.State{{NextSlot: time.Hour}}, 1, 2, "1 refused, 2 failed"},
		{[]throttle.State{cooling, waiting}, 0, 0, "0 refused, 2 waiting"},
		{[]throttle.State{cooling}, 0, 0, "0 refused, next within 1m30s"},
	} {
		if got := glance(tt.budgets, tt.refused, tt.failed); got != tt.want {
			t.Errorf("glance(%+v) = %q, want %q", tt.budgets, got, tt.want)
		}
	}
}
