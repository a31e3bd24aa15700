package realservers

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/time/rate"
)

// An nginxLimit is one way to set limit_req. It publishes nothing.
type nginxLimit struct {
	perSecond, burst int
	delay            bool // hold calls back until they are due, rather than let them through
}

func (l nginxLimit) mode() string {
	if l.delay {
		return "delay"
	}
	return "nodelay"
}

// zone is its name, and that of its location.
func (l nginxLimit) zone() string { return l.mode() + strconv.Itoa(l.perSecond) }

// server is this limit at the nginx of that URL. The key of its zone is the
// path, so that each path has a limit of its own.
func (l nginxLimit) server(url string) server {
	// One call goes beside the burst. If the burst is held back, the last of n
	// answers comes n-1 intervals after the first.
	atOnce, free := l.burst+1, l.burst+1
	if l.delay {
		free = 1
	}
	var opened atomic.Int64
	return server{
		name:   fmt.Sprintf("nginx %s %d a second, burst %d", l.mode(), l.perSecond, l.burst),
		rate:   rate.Limit(l.perSecond),
		burst:  atOnce,
		atOnce: atOnce,
		ideal:  bucket(l.perSecond, free),
		open: func(*testing.T) string {
			return fmt.Sprintf("%s/%s/%d", url, l.zone(), opened.Add(1))
		},
	}
}

// One process does everything, so that to end it is to end all. It keeps what
// it writes in the folder that it is started in.
const nginxConfig = `
daemon off;
master_process off;
pid nginx.pid;
error_log stderr error;
events { worker_connections 1024; }
http {
	access_log off;
	client_body_temp_path body;
	proxy_temp_path proxy;
	fastcgi_temp_path fastcgi;
	uwsgi_temp_path uwsgi;
	scgi_temp_path scgi;
	keepalive_requests 100000;
	limit_req_status 429;
	limit_req_log_level info;
%s
	server {
		listen 127.0.0.1:%d backlog=511;
%s
	}
	# What the limits are for. A "return" beside limit_req would come before it.
	server {
		listen 127.0.0.1:%d backlog=511;
		location / { return 200 "ok\n"; }
	}
}
`

func config(limits []nginxLimit, front, back int) string {
	var zones, locations strings.Builder
	for _, l := range limits {
		mode := " nodelay"
		if l.delay {
			mode = ""
		}
		fmt.Fprintf(&zones, "\tlimit_req_zone $uri zone=%s:1m rate=%dr/s;\n", l.zone(), l.perSecond)
		fmt.Fprintf(&locations, "\t\tlocation /%[1]s/ { limit_req zone=%[1]s burst=%[2]d%[3]s; proxy_pass http://127.0.0.1:%[4]d; }\n",
			l.zone(), l.burst, mode, back)
	}
	return fmt.Sprintf(nginxConfig, zones.String(), front, locations.String(), back)
}

// startNginx runs nginx until the test ends, and returns its URL. If there is
// none it skips the test, unless HEADWAY_REQUIRE names it.
func startNginx(t *testing.T, limits []nginxLimit) string {
	t.Helper()
	program, err := exec.LookPath("nginx")
	if err != nil {
		const none = "nginx is not in PATH: nothing is tested against it"
		if required("nginx") {
			t.Fatal(none + ", and HEADWAY_REQUIRE says that it must be")
		}
		t.Skip(none)
	}
	said := ""
	for range 3 { // another may take a port before nginx does
		var url string
		if url, said = tryNginx(t, program, limits); url != "" {
			return url
		}
	}
	t.Fatalf("nginx does not start: %s", said)
	return ""
}

// required reports whether the environment says that the tests for this program
// must run.
func required(program string) bool {
	return slices.Contains(strings.Split(os.Getenv("HEADWAY_REQUIRE"), ","), program)
}

// tryNginx starts nginx in a folder of its own. If it ends at once, there is no
// URL, but what it said.
func tryNginx(t *testing.T, program string, limits []nginxLimit) (url, said string) {
	t.Helper()
	dir, front, back := t.TempDir(), freePort(t), freePort(t)
	file := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(file, []byte(config(limits, front, back)), 0o600); err != nil {
		t.Fatal(err)
	}
	var output bytes.Buffer
	cmd := exec.Command(program, "-p", dir, "-c", file, "-e", "stderr")
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // how it ends does not matter, but what it said
		close(ended)
	}()
	addr := net.JoinHostPort("127.0.0.1", strconv.Itoa(front))
	if !listens(addr, ended) {
		stop(cmd, ended)
		return "", output.String()
	}
	t.Cleanup(func() { stop(cmd, ended) })
	return "http://" + addr, ""
}

// stop ends the process, kindly at first.
func stop(cmd *exec.Cmd, ended <-chan struct{}) {
	_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended
	select {
	case <-ended:
	case <-time.After(5 * time.Second):
		_ = cmd.Process.Kill()
		<-ended
	}
}

// listens waits until somebody listens there. It reports false if the process
// ends, or does not come so far.
func listens(addr string, ended <-chan struct{}) bool {
	for range 500 {
		conn, err := net.Dial("tcp", addr)
		if err == nil {
			conn.Close()
		}
		select {
		case <-ended:
			return false // if there is a listener, it is another
		case <-time.After(10 * time.Millisecond):
		}
		if err == nil {
			return true
		}
	}
	return false
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }() // it was only asked for a port
	return l.Addr().(*net.TCPAddr).Port
}

func TestRequired(t *testing.T) {
	t.Setenv("HEADWAY_REQUIRE", "redis,nginx")
	if !required("nginx") || !required("redis") || required("ngin") || required("") {
		t.Error("HEADWAY_REQUIRE is a list of names, with commas")
	}
}
