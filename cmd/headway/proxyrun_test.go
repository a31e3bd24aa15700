package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/headway-go/headway/throttle/throttletest"
)

// asHeadway is set where the test binary is to be the command.
const asHeadway = "HEADWAY_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asHeadway) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// A proxyProcess is a proxy as a user has it.
type proxyProcess struct {
	*exec.Cmd
	forward, upstream string // base URLs
	log               *bufio.Reader
}

// startProxy starts one with any free ports.
func startProxy(t *testing.T, args ...string) *proxyProcess {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &proxyProcess{Cmd: exec.CommandContext(t.Context(), self, append([]string{"proxy", "--listen=127.0.0.1:0"}, args...)...)}
	p.Env = append(os.Environ(), asHeadway+"=1")
	pipe, err := p.StderrPipe()
	if err == nil {
		err = p.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Process.Kill() })
	p.log = bufio.NewReader(pipe)
	p.forward, _, _ = strings.Cut(p.line(t), " ")
	if slices.Contains(args, "--upstream") {
		p.upstream, _, _ = strings.Cut(p.line(t), " ")
	}
	return p
}

func (p *proxyProcess) line(t *testing.T) string {
	t.Helper()
	line, err := p.log.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return line
}

// end waits for the process, and returns the rest of its log and its status.
func (p *proxyProcess) end(t *testing.T) (log string, status int) {
	t.Helper()
	rest, err := io.ReadAll(p.log)
	if err != nil {
		t.Error(err)
	}
	_ = p.Wait()
	return string(rest), p.ProcessState.ExitCode()
}

// program runs a program of others with an environment. If it is not there, the
// test is skipped, but not where HEADWAY_REQUIRE lists it.
func program(t *testing.T, environ []string, name string, args ...string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		if slices.Contains(strings.Split(os.Getenv("HEADWAY_REQUIRE"), ","), name) {
			t.Fatalf("there is no %s", name)
		}
		t.Skipf("there is no %s", name)
	}
	cmd := exec.CommandContext(t.Context(), path, args...)
	for _, v := range os.Environ() {
		if !strings.HasSuffix(strings.ToLower(strings.SplitN(v, "=", 2)[0]), "_proxy") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, environ...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("%s %q: %v: %s", name, args, err, stderr.String())
	}
	return string(out)
}

// What programs in Python and Node do: a hundred calls at once, and then how many
// were answered with which status.
const (
	inPython = `
import collections, sys, threading, urllib.error, urllib.request
seen = collections.Counter()
def get(n):
    try:
        with urllib.request.urlopen(sys.argv[1] + "/%d" % n) as answer:
            answer.read()
            seen[answer.status] += 1
    except urllib.error.HTTPError as error:
        seen[error.code] += 1
threads = [threading.Thread(target=get, args=(n,)) for n in range(100)]
[t.start() for t in threads]
[t.join() for t in threads]
print(dict(seen))
`
	inNode = `
const one = async n => { const r = await fetch(process.argv[1] + "/" + n); await r.text(); return r.status }
Promise.all([...Array(100).keys()].map(one)).then(all => {
	const seen = {}
	for (const status of all) seen[status] = (seen[status] || 0) + 1
	console.log(JSON.stringify(seen))
})
`
)

// Programs of others, a hundred calls at once, both ways: all are answered, and
// what the server publishes is kept. In virtual time none is refused; here the
// machine has other things to do, so that a few may be, of the twenty that would be.
func TestProxyPacesPrograms(t *testing.T) {
	curl := func(t *testing.T, environ []string, base string) string {
		out := program(t, environ, "curl", "-sS", "--parallel", "--parallel-immediate", "--parallel-max", "100",
			"-o", os.DevNull, "-w", "%{http_code}\n", base+"/[1-100]")
		return fmt.Sprintf("200:%d", strings.Count(out, "200\n"))
	}
	script := func(name, flag, text string) func(*testing.T, []string, string) string {
		return func(t *testing.T, environ []string, base string) string {
			return strings.NewReplacer(" ", "", `"`, "", "{", "", "}", "", "\n", "").Replace(program(t, environ, name, flag, text, base))
		}
	}
	python, node := script("python3", "-c", inPython), script("node", "-e", inNode)
	for _, tt := range []struct {
		name string
		run  func(t *testing.T, environ []string, base string) string
		way  string
	}{
		{"curl", curl, "forward"},
		{"curl", curl, "upstream"},
		{"python3", python, "forward"},
		{"python3", python, "upstream"},
		{"node", node, "upstream"}, // of itself it takes no proxy
	} {
		t.Run(tt.name+"/"+tt.way, func(t *testing.T) {
			srv := throttletest.NewServer(t, throttletest.Config{Rate: 20, Burst: 80})
			p := startProxy(t, "--upstream", srv.URL)
			base, environ := p.upstream, []string(nil)
			if tt.way == "forward" {
				base, environ = srv.URL, []string{"http_proxy=" + p.forward}
			}
			if got := tt.run(t, environ, base); got != "200:100" {
				t.Errorf("answered %s, want 200:100", got)
			}
			refused := srv.Refused()
			t.Logf("%d were refused on the way, over %d connections", refused, srv.Connections())
			if admitted := len(srv.Arrivals()) - refused; admitted != 100 || refused > 5 {
				t.Errorf("%d admitted, %d refused; want 100, none", admitted, refused)
			}
		})
	}
}

// Programs that open a tunnel are told what to do in its place.
func TestProxyTunnel(t *testing.T) {
	p := startProxy(t)
	out := program(t, []string{"https_proxy=" + p.forward}, "python3", "-c", `
import urllib.request
try:
    urllib.request.urlopen("https://api.test/")
except OSError as error:
    print(error)
`)
	if !strings.Contains(out, "--upstream https://api.test") {
		t.Errorf("python3 says %q", out)
	}
	if line := p.line(t); !strings.Contains(line, "--upstream https://api.test ") {
		t.Errorf("the log says %q", line)
	}
}

// On a signal the calls under way end, and what is left of the budgets is kept.
func TestProxySignals(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no such signals")
	}
	began, finish := make(chan struct{}), make(chan struct{})
	srv := throttletest.NewServer(t, throttletest.Config{Rate: 0.01, Burst: 5, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(began)
		<-finish
		fmt.Fprint(w, "done")
	})})
	file := filepath.Join(t.TempDir(), "budgets.json")
	for i, sig := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		p := startProxy(t, "--upstream", srv.URL, "--budget", file)
		answer := make(chan string, 1)
		go func() {
			resp, err := http.Get(p.upstream)
			if err != nil {
				answer <- err.Error()
				return
			}
			defer resp.Body.Close()
			text, _ := io.ReadAll(resp.Body)
			answer <- string(text)
		}()
		<-began
		if err := p.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		if line := p.line(t); !strings.Contains(line, "calls under way have 30s to end") {
			t.Errorf("%v: %q", sig, line)
		}
		close(finish)
		if got := <-answer; got != "done" {
			t.Errorf("%v: the call under way ended with %q", sig, got)
		}
		if log, status := p.end(t); status != ok || log != "" {
			t.Errorf("%v: status %d, %q", sig, status, log)
		}
		began, finish = make(chan struct{}), make(chan struct{})
		saved, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(saved), fmt.Sprintf(`"tokens": %d`, 4-i)) {
			t.Errorf("%v: %v, %s", sig, err, saved)
		}
	}
}

func TestProxySecondSignal(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no such signals")
	}
	began := make(chan struct{})
	srv := throttletest.NewServer(t, throttletest.Config{Rate: 1, Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(began)
		<-r.Context().Done()
	})})
	p := startProxy(t, "--upstream", srv.URL)
	go func() {
		if resp, err := http.Get(p.upstream); err == nil {
			resp.Body.Close()
		}
	}()
	<-began
	_ = p.Process.Signal(os.Interrupt)
	p.line(t)
	_ = p.Process.Signal(os.Interrupt)
	if _, status := p.end(t); status == ok {
		t.Error("it ended well")
	}
}

// What is cut off when --grace is over is an interruption.
func TestProxyGrace(t *testing.T) {
	began := make(chan struct{})
	srv := throttletest.NewServer(t, throttletest.Config{Rate: 1, Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(began)
		<-r.Context().Done()
	})})
	ctx, cancel := context.WithCancel(t.Context())
	in, out := io.Pipe()
	status := make(chan int, 1)
	go func() {
		status <- run(ctx, []string{"proxy", "--listen=127.0.0.1:0", "--grace=1ms", "--upstream", srv.URL}, strings.NewReader(""), io.Discard, out)
		_ = out.Close()
	}()
	log := bufio.NewReader(in)
	_, _ = log.ReadString('\n')
	line, _ := log.ReadString('\n')
	base, _, _ := strings.Cut(line, " ")
	go func() {
		if resp, err := http.Get(base); err == nil {
			resp.Body.Close()
		}
	}()
	<-began
	cancel()
	rest, _ := io.ReadAll(log)
	if got := <-status; got != stopped || !strings.Contains(string(rest), "1 calls under way were cut off") {
		t.Errorf("status %d: %s", got, rest)
	}
}

// It says where it is, and for whom; --allow-remote is taken at its word.
func TestProxyAnnounces(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	in, out := io.Pipe()
	go func() {
		run(ctx, []string{"proxy", "--listen=0.0.0.0:0", "--allow-remote", "--upstream=https://api.test"}, strings.NewReader(""), io.Discard, out)
		_ = out.Close()
	}()
	log := bufio.NewReader(in)
	for _, want := range []string{
		`^http://127\.0\.0\.1:(\d+) is the proxy for http:// URLs, and shows what waits at http://127\.0\.0\.1:\d+/\n$`,
		`^http://127\.0\.0\.1:(\d+) is https://api\.test\n$`,
	} {
		line, _ := log.ReadString('\n')
		found := regexp.MustCompile(want).FindStringSubmatch(line)
		if found == nil {
			t.Fatalf("%q, want %s", line, want)
		}
		if n, _ := strconv.Atoi(found[1]); n == 0 {
			t.Errorf("%q names no port", line)
		}
	}
	cancel()
	if rest, _ := io.ReadAll(log); !strings.HasPrefix(string(rest), "stopping: ") || strings.Count(string(rest), "\n") != 1 {
		t.Errorf("at the end: %q", rest)
	}
}
