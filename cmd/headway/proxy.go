package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log"
	"math"
	"net"
	"net/url"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/headway-go/headway/cmd/headway/internal/proxy"
	"github.com/headway-go/headway/transport"
)

type proxyCommand struct {
	Listen        string       `default:"127.0.0.1:8420" help:"Where the forward proxy and its pages are. Upstreams have the ports from the next on."`
	Upstream      []upstream   `sep:"none" placeholder:"[PORT=]URL" help:"A server that has a local base URL, for https. May be repeated."`
	Limit         []handLimit  `sep:"none" placeholder:"PATTERN=RATE" help:"A limit that no server publishes, as 'api.test/=10/s burst 5'. May be repeated."`
	KeyHeader     []headerName `sep:"none" placeholder:"NAME" help:"Calls that differ in this header field, for instance Authorization, are counted apart. May be repeated."`
	MaxWait       span         `default:"1m" help:"The longest that a call waits. One that would have to wait longer is refused at once."`
	Attempts      int          `default:"4" help:"How often a call may be sent: 1 is never again."`
	Concurrency   int          `placeholder:"N" help:"How many calls of a key may be under way at once. By default there is no such cap."`
	Budget        budgetFile   `placeholder:"FILE" help:"Begin with what is left of the budgets by this file, and write it every few seconds and at the end."`
	Grace         span         `default:"30s" help:"How long calls under way may take to end after Ctrl-C or SIGTERM."`
	Forwarded     bool         `help:"Tell servers for whom a call is made, by X-Forwarded-For, -Host and -Proto."`
	AllowRemote   bool         `help:"Listen at an address that is not loopback: whoever reaches it can send through it, and see the pages."`
	AllowInternal bool         `help:"Let calls go to link-local addresses, where clouds keep their secrets, and with --allow-remote to this machine."`
	Name          []string     `sep:"none" placeholder:"HOST" help:"A name under which other machines call the proxy. May be repeated."`
}

// Help is what kong shows below the help of the command.
func (*proxyCommand) Help() string {
	return `Programs in any language are paced if they send their calls through here. Those to http:// URLs need http_proxy in their environment; those to https:// need an upstream, and its base URL in the place of the server's. The pages are at / (what waits, and why), /status.json and /metrics (Prometheus).

For example:

	headway proxy --upstream https://api.github.com

	curl http://127.0.0.1:8421/users/octocat

	http_proxy=http://127.0.0.1:8420 curl http://example.com/

A call that would have to wait too long is answered with 429, one beyond the queue or the cap with 503, both with Retry-After. What the server says goes to the program as it is, but that links to an upstream lead here.

` + limitHelp
}

// An upstream is one --upstream; port 0 is the next.
type upstream struct {
	port int
	url  *url.URL
}

// UnmarshalText is called by kong. The text may hold a secret, so that no error
// shows it.
func (u *upstream) UnmarshalText(text []byte) error {
	to := string(text)
	if port, rest, found := strings.Cut(to, "="); found && !strings.Contains(port, "/") {
		if u.port, to = parsePort(port), rest; u.port == 0 {
			return errors.New("want a port from 1 to 65535 before the =")
		}
	}
	parsed, err := url.Parse(to)
	switch {
	case err != nil || parsed.Hostname() == "" || parsed.Scheme != "http" && parsed.Scheme != "https":
		return errors.New("want https:// or http://, and a host")
	case parsed.User != nil:
		return errors.New("want no user and password: a program sends those itself")
	case parsed.Port() != "" && parsePort(parsed.Port()) == 0:
		return errors.New("want a port from 1 to 65535 behind the host")
	case strings.Trim(parsed.Path, "/") != "" || parsed.RawQuery != "" || parsed.Fragment != "":
		return fmt.Errorf("want nothing behind %s: a program adds the path to the base URL", parsed.Host)
	}
	u.url = &url.URL{Scheme: parsed.Scheme, Host: parsed.Host}
	return nil
}

// parsePort returns 0 if the text is no port that can be called.
func parsePort(text string) int {
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return 0
	}
	return int(n)
}

// A headerName is one --key-header.
type headerName string

// UnmarshalText is called by kong.
func (h *headerName) UnmarshalText(text []byte) error {
	if !isToken(string(text)) {
		return errors.New("want the name of a header field, as Authorization")
	}
	*h = headerName(text)
	return nil
}

// Validate is called by kong.
func (c *proxyCommand) Validate() error {
	switch {
	case c.MaxWait <= 0:
		return errors.New("--max-wait: want a length of time above zero, as 1m")
	case c.Attempts < 1:
		return errors.New("--attempts: want a number from 1 on")
	case c.Concurrency < 0:
		return errors.New("--concurrency: want a number from 0 on")
	case slices.ContainsFunc(c.Name, func(name string) bool { return name == "" || strings.ContainsAny(name, ":/ ") }):
		return errors.New("--name: want a host, without a port")
	}
	return nil
}

// Run is called by kong.
func (c *proxyCommand) Run(e *env) error {
	t := c.transport()
	p := proxy.New(c.config(e, t))
	if err := t.Validate(); err != nil {
		return err
	}
	if err := c.Budget.restore(e, t); err != nil {
		return err
	}
	listeners, err := c.listen(e.ctx)
	if err != nil {
		return err
	}
	ctx, restore := signal.NotifyContext(e.ctx, os.Interrupt, syscall.SIGTERM)
	defer restore()
	down := p.Start(listeners)
	c.announce(e, listeners)
	err = c.serve(ctx, down, t)
	restore() // a second signal ends the process at once
	fmt.Fprintf(e.stderr, "stopping: calls under way have %v to end; Ctrl-C again cuts them off\n", time.Duration(c.Grace))
	saved := c.Budget.save(t) // now as well as at the end: whoever stops us may not wait so long
	return cmp.Or(err, c.shutdown(e, p), c.Budget.save(t), saved)
}

// serve returns when the proxy is to stop. Meanwhile it saves the budgets: whoever
// is killed cannot do that at the end.
func (c *proxyCommand) serve(ctx context.Context, down <-chan error, t *transport.Transport) error {
	save := time.NewTicker(budgetEvery)
	defer save.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-down:
			return &networkError{"proxy", err}
		case <-save.C:
			_ = c.Budget.save(t) // the last time is what counts
		}
	}
}

func (c *proxyCommand) transport() *transport.Transport {
	t := &transport.Transport{
		Limits:        byHand(c.Limit),
		MaxWait:       time.Duration(c.MaxWait),
		MaxAttempts:   c.Attempts,
		MaxConcurrent: c.Concurrency,
	}
	if len(c.KeyHeader) > 0 {
		var names []string
		for _, name := range c.KeyHeader {
			names = append(names, string(name))
		}
		t.Key = transport.KeyByHostAndHeader(names...)
	}
	return t
}

func (c *proxyCommand) config(e *env, t *transport.Transport) proxy.Config {
	config := proxy.Config{
		Transport:     t,
		AllowInternal: c.AllowInternal,
		Forwarded:     c.Forwarded,
		Log:           log.New(e.stderr, "", log.LstdFlags),
	}
	for _, u := range c.Upstream {
		config.Upstreams = append(config.Upstreams, u.url)
	}
	for _, name := range c.Name {
		config.Names = append(config.Names, strings.ToLower(name))
	}
	return config
}

// listen opens the ports: that of the forward proxy, and one for each upstream.
func (c *proxyCommand) listen(ctx context.Context) (listeners []net.Listener, err error) {
	defer func() {
		if err != nil {
			for _, l := range listeners {
				_ = l.Close() // there is another error to tell
			}
		}
	}()
	host, port, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return nil, errors.New("--listen: want HOST:PORT, as 127.0.0.1:8420")
	}
	next, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return nil, errors.New("--listen: want a port from 0 to 65535")
	}
	for _, at := range c.ports(int(next)) {
		if at > math.MaxUint16 {
			return listeners, errors.New("--upstream: no port is left above that of --listen")
		}
		var config net.ListenConfig
		l, err := config.Listen(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(at)))
		if err != nil {
			return listeners, listenError(err)
		}
		listeners = append(listeners, l)
		if addr, ok := l.Addr().(*net.TCPAddr); ok && !addr.IP.IsLoopback() && !c.AllowRemote {
			return listeners, fmt.Errorf("--listen: %s is not loopback: whoever reaches it could send through it; --allow-remote says that this is meant", shorten(cmp.Or(host, addr.IP.String()), 40))
		}
	}
	return listeners, nil
}

// ports are those to listen at. Upstreams without one of their own have those
// that follow the first; port 0 is any.
func (c *proxyCommand) ports(first int) []int {
	ports := []int{first}
	var given []int
	for _, u := range c.Upstream {
		given = append(given, u.port)
	}
	next := first
	for _, u := range c.Upstream {
		at := u.port
		if at == 0 && first != 0 {
			for next++; slices.Contains(given, next); next++ {
			}
			at = next
		}
		ports = append(ports, at)
	}
	return ports
}

func listenError(err error) error {
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Addr != nil {
		cause := op.Err
		for inner := cause; inner != nil; inner = errors.Unwrap(inner) {
			cause = inner
		}
		return fmt.Errorf("--listen: %s: %w", op.Addr, cause)
	}
	return fmt.Errorf("--listen: %w", err)
}

// announce says where the proxy is.
func (c *proxyCommand) announce(e *env, listeners []net.Listener) {
	for i, l := range listeners {
		base := proxy.BaseURL(l.Addr())
		if i == 0 {
			fmt.Fprintf(e.stderr, "%s is the proxy for http:// URLs, and shows what waits at %s/\n", base, base)
			continue
		}
		fmt.Fprintf(e.stderr, "%s is %s\n", base, c.Upstream[i-1].url)
	}
}

// shutdown waits for calls under way.
func (c *proxyCommand) shutdown(e *env, p *proxy.Proxy) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(e.ctx), time.Duration(c.Grace))
	defer cancel()
	err := p.Shutdown(ctx)
	if cut, ok := errors.AsType[*proxy.CutError](err); ok {
		return fmt.Errorf("%w: %w", errInterrupted, cut)
	}
	return err
}
