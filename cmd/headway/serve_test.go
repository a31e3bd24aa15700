package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A serving is a server that a command line has started.
type serving struct {
	url    string
	cancel context.CancelFunc
	lines  *bufio.Reader // of stdout
	stderr *bytes.Buffer
	status chan int
}

// serve starts a server on a free port, and waits until it tells its URL.
func serve(t *testing.T, args ...string) *serving {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	out, stdout, err := os.Pipe() // which holds a few lines that nobody reads yet
	if err != nil {
		t.Fatal(err)
	}
	s := &serving{cancel: cancel, lines: bufio.NewReader(out), stderr: new(bytes.Buffer), status: make(chan int, 1)}
	go func() {
		s.status <- run(ctx, append([]string{"serve", "--addr=0"}, args...), strings.NewReader(""), stdout, s.stderr)
		_ = stdout.Close() // that ends what is read of it
	}()
	t.Cleanup(func() {
		cancel()
		_, _ = io.Copy(io.Discard, s.lines) // until it has ended
		_ = out.Close()
	})
	line, err := s.lines.ReadString('\n')
	s.url = regexp.MustCompile(`http://127\.0\.0\.1:\d+/`).FindString(line)
	if s.url == "" {
		t.Fatalf("headway serve %q: %q, %v, %q", args, line, err, s.stderr)
	}
	return s
}

// stop ends the server as Ctrl-C does, and returns what is left of its output.
func (s *serving) stop(t *testing.T) string {
	t.Helper()
	s.cancel()
	rest, err := io.ReadAll(s.lines)
	if status := <-s.status; status != ok || err != nil || s.stderr.Len() > 0 {
		t.Errorf("it ended with status %d, %v, %q", status, err, s.stderr)
	}
	return string(rest)
}

func get(t *testing.T, url string) *http.Response {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp
}

func TestServeLimited(t *testing.T) {
	s := serve(t, "--limited", "--rate=1/h", "--burst=2", "--dialect=github", "--retry-after=date", "--status=403", "--log")
	probed, status := headway(t, "", "probe", s.url+"probe")
	if want := "X-Ratelimit-Used: 1"; status != ok || !strings.Contains(probed, want) {
		t.Errorf("probe: status %d, want %q in\n%s", status, want, probed)
	}
	get(t, s.url+"a%1bb%0ac")
	refused := get(t, s.url)
	if _, err := http.ParseTime(refused.Header.Get("Retry-After")); err != nil || refused.StatusCode != 403 {
		t.Errorf("the third call: status %d, %v", refused.StatusCode, err)
	}
	out := s.stop(t)
	for _, want := range []string{
		"as github, and Retry-After as date.",
		"  curl -i " + s.url + "\n",
		"  headway probe " + s.url + "\n",
		"  200  HEAD /probe  1 left\n",
		"  200  GET /a·b·c  0 left\n",
		"  403  GET /  again in ",
		"\n3 calls in ",
		": 2 admitted, 1 refused (33.3 %).\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("want %q in\n%s", want, out)
		}
	}
}

func TestIntroduce(t *testing.T) {
	for _, tt := range []struct{ model, rate, want string }{
		{"gcra", "7/min", "http://h/ admits 7 calls in 1m, 10 at once.\n"},
		{"fixed-window", "7/min", "http://h/ admits 7 calls in 1m, 7 at once.\n"},
		{"ticks", "1/h", "http://h/ admits 1 call in 1h, 10 at once.\n"},
	} {
		h, err := (&limitFlags{Model: tt.model, Rate: tt.rate}).handler()
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if introduce(&out, h, "http://h/"); !strings.HasPrefix(out.String(), tt.want) {
			t.Errorf("%s of %s is introduced by %q, want %q", tt.model, tt.rate, out.String(), tt.want)
		}
	}
}

// Who knocks on and on is never let in, if refused calls count.
func TestServeLimitedCountsRefused(t *testing.T) {
	f := limitFlags{Rate: "1/h", Burst: new(int64(1)), CountRefused: true}
	h, err := f.handler()
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []time.Duration{0, time.Hour, time.Hour} {
		if v := h.Model.Arrive(time.Duration(i)*30*time.Minute, 1); v.RetryAt-time.Duration(i)*30*time.Minute != want {
			t.Errorf("call %d: again in %v, want %v", i+1, v.RetryAt-time.Duration(i)*30*time.Minute, want)
		}
	}
}

func TestServeLimitedUnused(t *testing.T) {
	out := serve(t, "--limited").stop(t)
	if want := "No call came.\n"; !strings.HasSuffix(out, want) {
		t.Errorf("it ends %q, want %q", out, want)
	}
}

// The page is there for those who ask for it by our own name, until Ctrl-C.
func TestServePage(t *testing.T) {
	s := serve(t, "--max-upload=1")
	resp, err := http.Get(s.url)
	if err != nil {
		t.Fatal(err)
	}
	page, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil || resp.StatusCode != http.StatusOK || !strings.Contains(string(page), "<title>Headway</title>") {
		t.Errorf("status %d, %v, %.100s", resp.StatusCode, err, page)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Host = "evil.example"
	if resp, err = http.DefaultClient.Do(req); err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusMisdirectedRequest {
		t.Errorf("by a foreign name: status %d, want 421", resp.StatusCode)
	}
	resp, err = http.Post(s.url+"api/simulate?bucket=1&refill=1", "text/plain", strings.NewReader(strings.Repeat("0\n", 1<<20)))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("2 MiB: status %d, want 413", resp.StatusCode)
	}
	if out := s.stop(t); out != "" {
		t.Errorf("at its end it says %q", out)
	}
}

// A call that is under way is answered before the server ends.
func TestServeEndsGracefully(t *testing.T) {
	s := serve(t, "--limited", "--latency=100ms", "--log")
	answered := make(chan int)
	go func() {
		resp, err := http.Get(s.url)
		if err != nil {
			t.Error(err)
			close(answered)
			return
		}
		resp.Body.Close()
		answered <- resp.StatusCode
	}()
	for { // the call is under way once it is logged
		line, err := s.lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(line, "  200  GET /") {
			break
		}
	}
	s.cancel()
	if got := <-answered; got != http.StatusOK {
		t.Errorf("status %d, want 200", got)
	}
	s.stop(t)
}

func TestSummary(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, err := (&limitFlags{Rate: "2/s", Burst: new(int64(3))}).handler()
		if err != nil {
			t.Fatal(err)
		}
		for range 9 {
			h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
			time.Sleep(250 * time.Millisecond)
		}
		var out bytes.Buffer
		writeSummary(&out, h.Summary())
		want := "9 calls in 2s: 7 admitted, 2 refused (22.2 %).\n3.5 admitted a second on average, at most 4 within a second.\n"
		if got := out.String(); got != want {
			t.Errorf("it says %q, want %q", got, want)
		}
	})
}

// The count is written anew when it changes, and cleared at the end.
func TestShowCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, err := new(limitFlags).handler()
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var out bytes.Buffer
		var shown sync.WaitGroup
		shown.Go(func() { showCount(ctx, &out, h) })
		time.Sleep(time.Second)
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil))
		time.Sleep(time.Second)
		cancel()
		shown.Wait()
		if got, want := out.String(), "\r0 calls, 0 refused\r1 call, 0 refused\r"+strings.Repeat(" ", 60)+"\r"; got != want {
			t.Errorf("it shows %q, want %q", got, want)
		}
	})
}

func TestServeErrors(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }() // nobody used it
	for _, tt := range []struct {
		args, want string
		status     int
	}{
		{"--rate=5", "--rate: is for --limited", badRequest},
		{"--count-refused", "--count-refused: is for --limited", badRequest},
		{"--log", "--log: is for --limited", badRequest},
		{"--max-upload=-1", "--max-upload", badRequest},
		{"--max-upload=0", "--max-upload: want MiB, from 1", badRequest},
		{"--burst=0", "--burst: is for --limited", badRequest},
		{"--max-upload=2000000", "--max-upload: want MiB", badRequest},
		{"--limited --max-upload=1", "--max-upload: is not for --limited", badRequest},
		{"--limited --rate=fast", "--rate: want calls in a time", badRequest},
		{"--limited --rate=0", "--rate: want from 1e-9", badRequest},
		{"--limited --rate=1e9/1ns", "--rate: count 1000000000 is too much", badRequest},
		{"--limited --rate=1/3h --window=1h", "--window: 1h0m0s has no whole number", badRequest},
		{"--limited --window=-1h", "--window: want a length of time", badRequest},
		{"--limited --window=0", "--window: want a length of time above zero", badRequest},
		{"--limited --burst=-1", "--burst", badRequest},
		{"--limited --burst=0", "--burst: size 0 is too much or too little: want 1", badRequest},
		{"--limited --model=fixed-window --burst=0", "--burst: a fixed-window has none", badRequest},
		{"--limited --status=0", "--status: want 400 to 599", badRequest},
		{"--limited --burst=9223372036854775807", "--burst: size 9223372036854775807 is too much", badRequest},
		{"--limited --model=sliding-log --burst=3", "--burst: a sliding-log has none but its count, 10 in 1s", badRequest},
		{"--limited --model=sliding-log --rate=1e9", "--rate: count 1000000000 is too much", badRequest},
		{"--limited --model=bucket", `--model: there is no "bucket": want token-bucket, gcra,`, badRequest},
		{"--limited --dialect=gthub", `--dialect: there is no "gthub": want ietf,`, badRequest},
		{"--limited --retry-after=never", `--retry-after: there is no "never": want seconds,`, badRequest},
		{"--limited --status=200", "--status: want 400 to 599", badRequest},
		{"--limited --latency=-1s", "--latency: want from 0 to an hour", badRequest},
		{"--limited --jitter=2h", "--jitter: want from 0 to an hour", badRequest},
		{"--limited --addr=1.2.3.4", "--addr: want a host and a port", badRequest},
		{"--limited --addr=localhost:http", "--addr: want a host and a port", badRequest},
		{"--limited --addr=99999", "--addr: want a host and a port", badRequest},
		{"--limited --addr=" + taken.Addr().String(), "address already in use (--addr 127.0.0.1:0 takes", failed},
	} {
		out, status := headway(t, "", append([]string{"serve"}, strings.Fields(tt.args)...)...)
		if status != tt.status || !strings.Contains(out, tt.want) {
			t.Errorf("headway serve %s: status %d, %q, want %d, %q", tt.args, status, out, tt.status, tt.want)
		}
	}
}
