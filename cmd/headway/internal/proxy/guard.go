package proxy

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// A guard looks at the addresses that connections are made to, after names have
// been resolved.
type guard struct {
	own       []netip.AddrPort // where the proxy itself listens
	remote    bool             // other machines can reach it
	upstreams []string         // host:port; whoever started it wants these
	internal  bool             // all may be reached but the proxy itself
}

// metadata is where clouds tell a machine's secrets, besides link-local
// addresses: AWS and Google by IPv6, Azure, Alibaba and Oracle.
var metadata = []netip.Addr{
	netip.MustParseAddr("fd00:ec2::254"),
	netip.MustParseAddr("fd20:ce::254"),
	netip.MustParseAddr("168.63.129.16"),
	netip.MustParseAddr("100.100.100.200"),
	netip.MustParseAddr("192.0.0.192"),
}

// A deniedError is a connection that is not made.
type deniedError struct{ answer *answer }

func (e *deniedError) Error() string { return e.answer.Message }

var defaultPorts = map[string]string{"http": "80", "https": "443"}

func newGuard(c Config) *guard {
	g := &guard{internal: c.AllowInternal}
	for _, u := range c.Upstreams {
		port := u.Port()
		if port == "" {
			port = defaultPorts[u.Scheme]
		}
		g.upstreams = append(g.upstreams, net.JoinHostPort(strings.ToLower(u.Hostname()), port))
	}
	return g
}

// transport is like http.DefaultTransport, but dials where the guard lets it, and
// gives bodies on as they are. It goes through no other proxy: in the environment
// of this one that would often be itself.
func (g *guard) transport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.Proxy = nil
	t.DialContext = g.dial
	t.DisableCompression = true
	t.MaxIdleConns, t.MaxIdleConnsPerHost = 0, 100 // a client that comes with a hundred calls comes again
	return t
}

func (g *guard) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	var denied atomic.Pointer[deniedError]
	d := net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}
	d.ControlContext = func(_ context.Context, _, resolved string, _ syscall.RawConn) error {
		why := g.check(addr, resolved)
		if why == nil {
			return nil
		}
		err := &deniedError{why}
		denied.Store(err)
		return err
	}
	conn, err := d.DialContext(ctx, network, addr)
	if why := denied.Load(); err != nil && why != nil {
		return nil, why // of several addresses, that of another may be in err, and would be tried again
	}
	return conn, err
}

// check says why no connection may be made, or nil.
func (g *guard) check(addr, resolved string) *answer {
	to, err := netip.ParseAddrPort(resolved)
	if err != nil {
		return internalAddress // of a kind that we do not know
	}
	ip := within(to.Addr())
	switch {
	case g.isOwn(ip, to.Port()):
		return loops
	case g.internal || slices.Contains(g.upstreams, strings.ToLower(addr)):
		return nil
	case ip.IsLinkLocalUnicast() || slices.Contains(metadata, ip):
		return internalAddress
	case g.remote && (ip.IsLoopback() || ip.IsUnspecified() || isInterface(ip)):
		return internalAddress
	}
	return nil
}

// nat64 is where a network that speaks IPv6 only has the addresses of IPv4 (RFC 6052).
var nat64 = netip.MustParsePrefix("64:ff9b::/96")

// within is the address without a zone, or that of IPv4 which it stands for.
func within(ip netip.Addr) netip.Addr {
	ip = ip.Unmap().WithZone("")
	if nat64.Contains(ip) {
		bytes := ip.As16()
		return netip.AddrFrom4([4]byte(bytes[12:]))
	}
	return ip
}

// isOwn reports whether the proxy itself would answer there.
func (g *guard) isOwn(ip netip.Addr, port uint16) bool {
	return slices.ContainsFunc(g.own, func(own netip.AddrPort) bool {
		if own.Port() != port {
			return false
		}
		listens := own.Addr().Unmap()
		if listens.IsUnspecified() {
			return ip.IsLoopback() || ip.IsUnspecified() || isInterface(ip)
		}
		return ip == listens || ip.IsUnspecified()
	})
}

// isInterface reports whether an address is one of this machine.
func isInterface(ip netip.Addr) bool {
	addrs, _ := net.InterfaceAddrs() // without them, what is left is loopback
	return slices.ContainsFunc(addrs, func(a net.Addr) bool {
		n, ok := a.(*net.IPNet)
		if !ok {
			return false
		}
		own, ok := netip.AddrFromSlice(n.IP)
		return ok && own.Unmap() == ip
	})
}

// listens takes in where the proxy listens.
func (g *guard) listens(addr net.Addr) {
	tcp, ok := addr.(*net.TCPAddr)
	if !ok {
		return
	}
	g.own = append(g.own, tcp.AddrPort())
	g.remote = g.remote || !tcp.IP.IsLoopback()
}

// named reports whether a Host field names this proxy. A name that is none of
// its own is what a web page would send that made its own name lead here (DNS
// rebinding); an address, or no Host at all, is not.
func (p *Proxy) named(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.ToLower(strings.TrimSuffix(strings.Trim(name, "[]"), "."))
	if name == "" || name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return true
	}
	_, err := netip.ParseAddr(name)
	return err == nil || slices.Contains(p.Names, name)
}
