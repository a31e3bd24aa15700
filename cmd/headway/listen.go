package main

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// How long a server waits for others.
const (
	headTimeout = 10 * time.Second // for the head of a request
	idleTimeout = 2 * time.Minute  // for the next one on a connection
	pageTimeout = time.Minute      // for what the page asks, but for uploads, and to send the answer
	endTimeout  = 5 * time.Second  // for the calls that are under way at the end
)

// listen opens an address: host and port, or a port alone. Without a host it is
// 127.0.0.1, so that nobody serves to a whole network by mistake.
func listen(ctx context.Context, addr string) (net.Listener, error) {
	if !strings.Contains(addr, ":") {
		addr = ":" + addr
	}
	host, port, err := net.SplitHostPort(addr)
	if _, bad := strconv.ParseUint(port, 10, 16); err != nil || bad != nil {
		return nil, errors.New("--addr: want a host and a port, as 127.0.0.1:8080, or a port alone")
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(cmp.Or(host, "127.0.0.1"), port))
	if err != nil {
		return nil, &networkError{"serve", unlistenable(err)}
	}
	return l, nil
}

// unlistenable is err with what to do about it.
func unlistenable(err error) error {
	if errors.Is(err, syscall.EADDRINUSE) {
		return errors.New(err.Error() + " (--addr 127.0.0.1:0 takes a port that is free)")
	}
	return err
}

// untilStopped serves until the user has had enough, and lets the calls that
// are under way come to their end. A second Ctrl-C does not wait for them.
func untilStopped(ctx context.Context, l net.Listener, srv *http.Server) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	srv.ReadHeaderTimeout, srv.IdleTimeout = headTimeout, idleTimeout
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(l) }()
	select {
	case err := <-failed:
		return &networkError{"serve", err}
	case <-ctx.Done():
		stop()
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer cancel()
	if srv.Shutdown(ending) != nil {
		_ = srv.Close() // whoever is still there has had his time
	}
	return nil
}

// urlOf is where a browser of this machine finds the server.
func urlOf(l net.Listener) string {
	addr := l.Addr().(*net.TCPAddr)
	host := addr.IP.String()
	if addr.IP.IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, strconv.Itoa(addr.Port)) + "/"
}
