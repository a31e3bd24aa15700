package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/headway-go/headway/throttle/throttletest"
)

// One request goes out, and the answer is explained, refused or not.
func TestProbe(t *testing.T) {
	srv := throttletest.NewServer(t, throttletest.Config{Rate: 0.01, Burst: 1})
	out, status := headway(t, "", "probe", srv.URL)
	if status != ok || !strings.Contains(out, srv.URL+": status 200") || !strings.Contains(out, "0.6/min") {
		t.Errorf("first probe: status %d: %s", status, out)
	}
	out, status = headway(t, "", "probe", "--json", srv.URL+"/path?key=s3cr3t#fragment")
	var x explanationJSON
	if err := json.Unmarshal([]byte(out), &x); err != nil || status != ok {
		t.Fatalf("second probe: status %d, %v: %s", status, err, out)
	}
	if text(x.Status) != 429 || x.Source != srv.URL+"/path" || !x.Schedule.Refused || text(x.RetryAfter) < 90 ||
		len(x.Schedule.Limits) != 1 || text(x.Schedule.Limits[0].Rate) != 0.01 {
		t.Errorf("second probe: %s", out)
	}
}

// probed runs a probe at a server that answers with what it was asked.
func probed(t *testing.T, stdin string, args ...string) (out string, asked *http.Request, body string) {
	t.Helper()
	calls := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls++
		data, _ := io.ReadAll(r.Body)
		asked, body = r, string(data)
		for name, values := range r.Header {
			w.Header()["X-Ratelimit-"+name] = values
		}
		w.Header().Set("X-RateLimit-Resource", r.Header.Get("X-Key"))
		w.Header().Set("X-RateLimit-Limit", "10")
	}))
	t.Cleanup(srv.Close)
	out, status := headway(t, stdin, append(append([]string{"probe"}, args...), srv.URL)...)
	if status != ok || calls != 1 {
		t.Fatalf("probe %q: status %d, %d calls: %s", args, status, calls, out)
	}
	return out, asked, body
}

func TestProbeRequest(t *testing.T) {
	file := filepath.Join(t.TempDir(), "data")
	if err := os.WriteFile(file, []byte("from a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args               []string
		method, body, host string
	}{
		{nil, "HEAD", "", ""},
		{[]string{"-X", "GET"}, "GET", "", ""},
		{[]string{"-d", "a,b"}, "POST", "a,b", ""},
		{[]string{"-X", "PUT", "-d", "@" + file}, "PUT", "from a file", ""},
		{[]string{"-d@-"}, "POST", "from stdin", ""},
		{[]string{"-H", "Host: other.test"}, "HEAD", "", "other.test"},
	} {
		_, asked, body := probed(t, "from stdin", tt.args...)
		if asked.Method != tt.method || body != tt.body || tt.host != "" && asked.Host != tt.host {
			t.Errorf("probe %q sent %s to %s with %q", tt.args, asked.Method, asked.Host, body)
		}
	}
	_, asked, _ := probed(t, "", "-H", "A: b, c", "-H", "A:d")
	if got := strings.Join(asked.Header["A"], "|"); got != "b, c|d" {
		t.Errorf("field A: %q, want b, c|d", got)
	}
}

// A value given by -H is not shown, though the server sends it back.
func TestProbeHidesSecrets(t *testing.T) {
	const secret = "0123456789abcdef"
	long := strings.Repeat("x", 250) + secret // cut in the middle where a value is cut
	for _, form := range []string{"--json=false", "--json"} {
		out, asked, _ := probed(t, "", form, "-H", "X-Key: "+secret, "-H", "Authorization: Bearer "+secret, "-H", "X-Long: "+long)
		if asked.Header.Get("X-Key") != secret || asked.Header.Get("Authorization") != "Bearer "+secret {
			t.Errorf("the fields were not sent: %v", asked.Header)
		}
		if strings.Contains(out, secret[:6]) || !strings.Contains(out, hidden) {
			t.Errorf("probe %s: %s", form, out)
		}
	}
}

func TestProbeRedirect(t *testing.T) {
	var got http.Header
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r.Header
		w.Header().Set("RateLimit-Policy", `"target";q=10;w=1`)
	}))
	defer target.Close()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/loop":
			http.Redirect(w, r, "/loop?key=s3cr3t", http.StatusFound)
		default:
			http.Redirect(w, r, target.URL, http.StatusFound)
		}
	}))
	defer srv.Close()

	out, status := headway(t, "", "probe", "-H", "X-Key: s3cr3t", srv.URL)
	if status != ok || got != nil || !strings.Contains(out, "status 302") || !strings.Contains(out, "--follow") {
		t.Errorf("status %d, asked %v: %s", status, got, out)
	}
	out, status = headway(t, "", "probe", "--follow", "-H", "X-Key: s3cr3t", srv.URL)
	if status != ok || !strings.Contains(out, "target ") || !strings.HasPrefix(out, target.URL) {
		t.Errorf("--follow: status %d: %s", status, out)
	}
	if got == nil || got.Get("X-Key") != "" {
		t.Errorf("another host was sent %v", got)
	}
	out, status = headway(t, "", "probe", "--follow", srv.URL+"/loop")
	if status != failed || !strings.HasSuffix(out, ": more than 10 redirects\n") || strings.Contains(out, "s3cr3t") {
		t.Errorf("a loop: status %d: %s", status, out)
	}
}

func TestProbeFails(t *testing.T) {
	silent := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-silent }))
	defer srv.Close()
	defer close(silent)
	gone := httptest.NewServer(nil)
	gone.Close()
	large := filepath.Join(t.TempDir(), "large")
	if err := os.WriteFile(large, make([]byte, maxData+1), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{gone.URL + "/?s3cr3t"}, failed, "connection refused"},
		{[]string{"--timeout=10ms", srv.URL}, failed, "no answer within 10ms"},
		{[]string{"example.com"}, badRequest, "the URL has to begin with http"},
		{[]string{"ftp://example.com/"}, badRequest, "the URL has to begin with http"},
		{[]string{"http://user:s3cr3t@exa mple/"}, badRequest, "the URL has to begin with http"},
		{[]string{"http://user:s3cr3t#@example/"}, badRequest, "the URL has to begin with http"},
		{[]string{"-X", "A B", gone.URL}, badRequest, "invalid method"},
		{[]string{"-H", "s3cr3t", gone.URL}, badRequest, "the 1. -H is no header field"},
		{[]string{"-H", "A: b", "-H", "A: s3cr3t\n", "-H", "A: s3cr3t\x00s3cr3t", gone.URL}, badRequest, "the 3. -H is no header field"},
		{[]string{"-d", "@no/such/file", gone.URL}, badRequest, "no/such/file: no such file"},
		{[]string{"-d", "@" + large, gone.URL}, badRequest, "longer than 16 MiB"},
	} {
		out, status := headway(t, "", append([]string{"probe"}, tt.args...)...)
		if status != tt.status || !strings.Contains(out, tt.want) || strings.Contains(out, "s3cr3t") {
			t.Errorf("probe %q: status %d, %q, want %d, %q", tt.args, status, out, tt.status, tt.want)
		}
	}
}

// A server that sends headers without end is left.
func TestProbeLongHead(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for i := range 2000 {
			w.Header().Set(fmt.Sprint("X-", i), strings.Repeat("x", 1000))
		}
	}))
	defer srv.Close()
	out, status := headway(t, "", "probe", srv.URL)
	if status != failed || !strings.Contains(out, "exceeded") {
		t.Errorf("status %d: %.300s", status, out)
	}
}
