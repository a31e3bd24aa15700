package redisstore

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/headway-go/headway/internal/redisserver"
	"github.com/redis/go-redis/v9/logging"
)

// startRedis runs a redis-server until the test ends. If there is none it skips
// the test, unless HEADWAY_REQUIRE names it.
func startRedis(t testing.TB, args ...string) *redisserver.Server {
	t.Helper()
	// The context of the test ends before its cleanup does, and a question may still be
	// under way then.
	s, err := redisserver.Start(context.WithoutCancel(t.Context()), args...)
	if errors.Is(err, redisserver.ErrNone) {
		if slices.Contains(strings.Split(os.Getenv("HEADWAY_REQUIRE"), ","), "redis-server") {
			t.Fatal(err, ", and HEADWAY_REQUIRE says that it must be")
		}
		t.Skip(err, ": nothing is tested against it")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// open returns a Store for the server at addr, that tells the test of its modes. It
// has more patience than usual: this machine may have something else to do.
func open(t testing.TB, addr string) (*Store, <-chan Event) {
	t.Helper()
	s, err := Open("redis://" + addr)
	if err != nil {
		t.Fatal(err)
	}
	s.Timeout = time.Second
	return watch(t, s)
}

func watch(t testing.TB, s *Store) (*Store, <-chan Event) {
	events := make(chan Event, 100)
	s.Observe = func(e Event) { events <- e }
	t.Cleanup(func() { _ = s.Client.Close() })
	return s, events
}

// next waits for an event of the given mode.
func next(t testing.TB, events <-chan Event, want Mode) Event {
	t.Helper()
	select {
	case e := <-events:
		if e.Mode != want {
			t.Fatalf("event %+v, want %s", e, want)
		}
		return e
	case <-time.After(20 * time.Second):
		t.Fatalf("no event, want %s", want)
		return Event{}
	}
}

// TestMain keeps the client from writing to stderr about servers that are down.
func TestMain(m *testing.M) {
	logging.Disable()
	os.Exit(m.Run())
}

// A proxy is a TCP proxy that can delay what comes back, or swallow all.
type proxy struct {
	listener net.Listener

	mu      sync.Mutex
	changed *sync.Cond
	target  string
	delay   time.Duration
	hole    bool
	conns   []net.Conn
}

func startProxy(t testing.TB, target string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: l, target: target}
	p.changed = sync.NewCond(&p.mu)
	var wg sync.WaitGroup
	wg.Go(func() { p.accept(&wg) })
	t.Cleanup(func() {
		p.set(func() { p.hole = false })
		_ = l.Close()
		p.drop()
		wg.Wait()
	})
	return p
}

func (p *proxy) addr() string { return p.listener.Addr().String() }

// set changes what the proxy does.
func (p *proxy) set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
	p.changed.Broadcast()
}

// drop closes all connections.
func (p *proxy) drop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.conns {
		c.Close()
	}
	p.conns = nil
}

func (p *proxy) accept(wg *sync.WaitGroup) {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		var target string
		p.set(func() { target = p.target })
		server, err := net.Dial("tcp", target)
		if err != nil {
			client.Close()
			continue
		}
		p.set(func() { p.conns = append(p.conns, client, server) })
		wg.Go(func() { p.pass(server, client, false) })
		wg.Go(func() { p.pass(client, server, true) })
	}
}

func (p *proxy) pass(to, from net.Conn, back bool) {
	defer to.Close()
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			time.Sleep(p.wait(back))
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				from.Close()
			}
			return
		}
	}
}

// wait blocks while the proxy swallows all, and returns the delay.
func (p *proxy) wait(back bool) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.hole {
		p.changed.Wait()
	}
	if back {
		return p.delay
	}
	return 0
}
