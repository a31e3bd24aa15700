package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"

	"github.com/headway-go/headway/cmd/headway/internal/limited"
	"github.com/headway-go/headway/cmd/headway/internal/page"
)

type serveCommand struct {
	Addr      string `placeholder:"HOST:PORT" help:"Where to listen, by default 127.0.0.1:8429. A port alone is on 127.0.0.1; port 0 is one that is free."`
	MaxUpload *int64 `placeholder:"MIB" help:"How large a file may be that the page takes, in MiB, by default 1024."`
	Limited   bool   `help:"Serve a rate-limited server instead of the page."`
	limitFlags
}

const (
	defaultAddr      = "127.0.0.1:8429"
	defaultMaxUpload = 1024 // MiB
)

// Help is what kong shows below the help of the command.
func (*serveCommand) Help() string {
	return `The page simulates limits on request times, chooses a burst from a log, and draws backoff schedules, as the commands simulate, tune and backoff do. A link to it brings back what it shows. Nothing that it is given leaves this machine; who can reach the address can use it.

With --limited, every call to the server counts against one limit, whatever its path, and is answered with 200 or refused; the header fields say what is left, in the dialect that you choose.

Ctrl-C ends either, and sums up what --limited admitted. For example, a server that allows 100 calls a minute, 20 at once, and says so as GitHub does:

	headway serve --limited --rate 100/min --burst 20 --dialect github

` + limitedNames()
}

// Validate is called by kong.
func (c *serveCommand) Validate() error {
	if name := c.given(); name != "" && !c.Limited {
		return errors.New(name + ": is for --limited")
	}
	if c.MaxUpload != nil && c.Limited {
		return errors.New("--max-upload: is not for --limited")
	}
	if mib := or(c.MaxUpload, defaultMaxUpload); mib < 1 || mib > 1<<20 {
		return errors.New("--max-upload: want MiB, from 1 to 1048576")
	}
	return nil
}

// Run is called by kong.
func (c *serveCommand) Run(e *env) error {
	if c.Limited {
		return c.serveLimited(e)
	}
	l, err := listen(e.ctx, cmp.Or(c.Addr, defaultAddr))
	if err != nil {
		return err
	}
	host, _, _ := net.SplitHostPort(c.Addr) // a port alone has none
	h := page.Handler(page.Config{Host: host, MaxUpload: or(c.MaxUpload, defaultMaxUpload) << 20})
	fmt.Fprintf(e.live, "%s has the page. Ctrl-C ends it.\n", urlOf(l))
	if !l.Addr().(*net.TCPAddr).IP.IsLoopback() {
		fmt.Fprintln(e.live, "It is open to everybody who can reach this machine.")
	}
	return untilStopped(e.ctx, l, &http.Server{Handler: h, ReadTimeout: pageTimeout, WriteTimeout: pageTimeout})
}

// serveLimited serves a rate-limited server until the user has had enough.
func (c *serveCommand) serveLimited(e *env) error {
	h, err := c.handler()
	if err != nil {
		return err
	}
	if c.Log {
		h.Observe = func(c limited.Call) { writeCall(e.live, c) }
	}
	l, err := listen(e.ctx, cmp.Or(c.Addr, defaultAddr))
	if err != nil {
		return err
	}
	introduce(e.live, h, urlOf(l))
	counting, stop := context.WithCancel(e.ctx)
	var shown sync.WaitGroup
	if isTerminal(e.stderr) && !c.Log {
		shown.Go(func() { showCount(counting, e.stderr, h) })
	}
	err = untilStopped(e.ctx, l, &http.Server{Handler: h})
	stop()
	shown.Wait()
	writeSummary(e.stdout, h.Summary())
	return err
}

// introduce tells what is served, and how to try it.
func introduce(w io.Writer, h *limited.Handler, url string) {
	policy := h.Model.Policy()
	fmt.Fprintf(w, "%s admits %s in %s, %d at once.\n", url, countOf(policy.Rate.Count), length(policy.Rate.Per), policy.Burst)
	fmt.Fprintf(w, "It publishes that as %s, and Retry-After as %s. Ctrl-C ends it. Try\n", h.Dialect.Name, h.RetryAfter.Name)
	fmt.Fprintf(w, "  curl -i %[1]s\n  headway probe %[1]s\n", url)
}
