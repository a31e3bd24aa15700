package main

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway/throttle/throttletest"
	"github.com/headway-go/headway/transport"
)

func TestUpstreamFlag(t *testing.T) {
	for _, tt := range []struct {
		text string
		port int
		url  string
	}{
		{"https://api.test", 0, "https://api.test"},
		{"https://api.test/", 0, "https://api.test"},
		{"http://[::1]:8080", 0, "http://[::1]:8080"},
		{"9000=https://api.test", 9000, "https://api.test"},
	} {
		var u upstream
		if err := u.UnmarshalText([]byte(tt.text)); err != nil || u.port != tt.port || u.url.String() != tt.url {
			t.Errorf("%q: %+v, %v", tt.text, u, err)
		}
	}
	for _, tt := range []struct{ text, want string }{
		{"", "want https:// or http://"},
		{"api.test", "want https:// or http://"},
		{"ftp://api.test", "want https:// or http://"},
		{"https://", "want https:// or http://"},
		{"https://:443", "want https:// or http://"},
		{"https://s3cr3t:s3cr3t@api.test", "no user and password"},
		{"https://s3cr3t s3cr3t", "want https:// or http://"},
		{"https://api.test:0", "want a port from 1 to 65535"},
		{"https://api.test:65536", "want a port from 1 to 65535"},
		{"https://api.test/s3cr3t", "want nothing behind api.test"},
		{"https://api.test?s3cr3t", "want nothing behind api.test"},
		{"https://api.test#s3cr3t", "want nothing behind api.test"},
		{"0=https://api.test", "want a port from 1"},
		{"65536=https://api.test", "want a port from 1"},
		{"s3cr3t=https://api.test", "want a port from 1"},
	} {
		var u upstream
		if err := u.UnmarshalText([]byte(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("%q: %v, want %q", tt.text, err, tt.want)
		}
	}
}

// What is accepted is an origin, and nothing more.
func FuzzUpstreamFlag(f *testing.F) {
	for _, seed := range []string{"https://api.test", "9000=http://[::1]:80/", "=", "https://a@b", "https://a?b", "1=2=https://c"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var u upstream
		if u.UnmarshalText([]byte(text)) != nil {
			return
		}
		if u.url.Hostname() == "" || u.url.String() != u.url.Scheme+"://"+u.url.Host && !strings.Contains(u.url.String(), "%") || u.port < 0 || u.port > 65535 {
			t.Errorf("%q became %q at %d", text, u.url, u.port)
		}
	})
}

func TestProxyPorts(t *testing.T) {
	at := func(ports ...int) *proxyCommand {
		c := &proxyCommand{}
		for _, p := range ports {
			c.Upstream = append(c.Upstream, upstream{port: p})
		}
		return c
	}
	for _, tt := range []struct {
		c     *proxyCommand
		first int
		want  []int
	}{
		{at(), 8420, []int{8420}},
		{at(0, 0), 8420, []int{8420, 8421, 8422}},
		{at(0, 9000, 0), 8420, []int{8420, 8421, 9000, 8422}},
		{at(0, 8421), 8420, []int{8420, 8422, 8421}},
		{at(0, 9000), 0, []int{0, 0, 9000}},
	} {
		if got := tt.c.ports(tt.first); !slices.Equal(got, tt.want) {
			t.Errorf("%+v from %d: %v, want %v", tt.c.Upstream, tt.first, got, tt.want)
		}
	}
}

// Mistakes are told before anything is opened, or as soon as it cannot be.
func TestProxyBadFlags(t *testing.T) {
	taken := throttletest.NewServer(t, throttletest.Config{Rate: 1})
	address := taken.Listener.Addr().String()
	_, port, _ := strings.Cut(address, ":")
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"--listen=8420"}, "--listen: want HOST:PORT"},
		{[]string{"--listen=127.0.0.1:http"}, "--listen: want a port"},
		{[]string{"--listen=127.0.0.1:65536"}, "--listen: want a port"},
		{[]string{"--listen=0.0.0.0:0"}, "--listen: 0.0.0.0 is not loopback"},
		{[]string{"--listen=:0"}, "--listen: :: is not loopback"},
		{[]string{"--listen=:0"}, "--allow-remote"},
		{[]string{"--listen=[::]:0"}, "--allow-remote"},
		{[]string{"--listen=" + address}, "--listen: " + address + ": address already in use"},
		{[]string{"--listen=127.0.0.1:0", "--upstream", port + "=https://api.test"}, "address already in use"},
		{[]string{"--listen=127.0.0.1:65535", "--upstream=https://api.test"}, "--upstream: no port is left"},
		{[]string{"--upstream=api.test"}, "--upstream: want https:// or http://"},
		{[]string{"--limit=api.test=10/s"}, "--limit: "},
		{[]string{"--limit=a.test/x/=1/s", "--limit=a.test/{y}/z=1/s"}, "conflicts"},
		{[]string{"--key-header=a b"}, "--key-header: want the name"},
		{[]string{"--max-wait=0s"}, "--max-wait: want"},
		{[]string{"--max-wait=-1"}, "--max-wait: "},
		{[]string{"--attempts=0"}, "--attempts: want"},
		{[]string{"--concurrency=-1"}, "--concurrency: want"},
		{[]string{"--name=headway:8420"}, "--name: want a host, without a port"},
		{[]string{"--budget=/no/such/folder/x"}, "/no/such/folder/x: no such file"},
	} {
		out, status := headway(t, "", append([]string{"proxy"}, tt.args...)...)
		if status != badRequest || !strings.Contains(out, tt.want) {
			t.Errorf("proxy %q: status %d, %q, want 2, %q", tt.args, status, out, tt.want)
		}
	}
}

// A place is where somebody listens, or so it says.
type place struct {
	net.Listener
	port int
}

func (p place) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: p.port} }

// What the guide shows is what the command says.
func TestProxyGuide(t *testing.T) {
	guide, err := os.ReadFile("../../docs/tools.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(guide), "```\n$ go run ./cmd/headway proxy --upstream ")
	block, _, _ = strings.Cut(block, "```")
	text, want, _ := strings.Cut(block, "\n")
	var u upstream
	if err := u.UnmarshalText([]byte(text)); err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	(&proxyCommand{Upstream: []upstream{u}}).announce(&env{stderr: &got}, []net.Listener{place{port: 8420}, place{port: 8421}})
	if got.String() != want {
		t.Errorf("it says\n%s, the guide has\n%s", &got, want)
	}
}

// Whoever is killed has not lost all of the budgets.
func TestProxySavesBudgets(t *testing.T) {
	file := filepath.Join(t.TempDir(), "budgets.json")
	synctest.Test(t, func(t *testing.T) {
		c := proxyCommand{Budget: budgetFile(file)}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- c.serve(ctx, nil, &transport.Transport{}) }()
		synctest.Wait()
		if _, err := os.Stat(file); err == nil {
			t.Error("written before its time")
		}
		time.Sleep(budgetEvery)
		synctest.Wait()
		if _, err := os.Stat(file); err != nil {
			t.Error(err)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
