// Package redisserver runs a redis-server for tests and examples: on a free
// loopback port, in a folder of its own, with nothing kept on disk.
package redisserver

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// A Server is a redis-server that runs, or ran.
type Server struct {
	Addr string // host:port

	program string
	args    []string
	dir     string
	cmd     *exec.Cmd
	ended   chan struct{}
}

// ErrNone says that there is no redis-server in PATH.
var ErrNone = errors.New("redis-server is not in PATH")

// Start runs a server, and returns when it takes connections. The arguments
// are added to its own: "--requirepass", "secret". It ends with ctx, or with
// Close, which has to be called in any case.
func Start(ctx context.Context, args ...string) (*Server, error) {
	program, err := exec.LookPath("redis-server")
	if err != nil {
		return nil, ErrNone
	}
	dir, err := os.MkdirTemp("", "redisserver")
	if err != nil {
		return nil, err
	}
	s := &Server{program: program, args: args, dir: dir}
	for range 3 { // another may take the port before it does
		if s.Addr, err = freeAddr(ctx); err != nil {
			break
		}
		if err = s.Run(ctx); err == nil {
			return s, nil
		}
	}
	_ = os.RemoveAll(dir) // the other error tells more
	return nil, err
}

// Run starts the server again, on its port, with nothing in memory.
func (s *Server) Run(ctx context.Context) error {
	host, port, err := net.SplitHostPort(s.Addr)
	if err != nil {
		return err
	}
	own := []string{"--bind", host, "--port", port, "--dir", s.dir, "--save", "", "--appendonly", "no", "--daemonize", "no"}
	cmd := exec.CommandContext(ctx, s.program, append(own, s.args...)...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		return err
	}
	said, ready := waitReady(out)
	s.cmd, s.ended = cmd, make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, out) // or it would stop at a full pipe
		_ = cmd.Wait()                  // how it ends does not matter
		close(s.ended)
	}()
	if !ready {
		s.Kill()
		return fmt.Errorf("redis-server does not start: %s", said)
	}
	return nil
}

// waitReady reads the log until the server takes connections. It reports false if
// it ends before that, and returns the last that it said.
func waitReady(log io.Reader) (last string, ready bool) {
	r := bufio.NewReader(log)
	for {
		line, err := r.ReadString('\n')
		if line = strings.TrimSpace(line); line != "" {
			last = line
		}
		if strings.Contains(line, "Ready to accept connections") {
			return last, true
		}
		if err != nil {
			return last, false
		}
	}
}

// Kill ends the server at once, as a crash does. What it had is gone.
func (s *Server) Kill() {
	_ = s.cmd.Process.Kill() // it may have ended
	<-s.ended
}

// Close ends the server, and removes its folder.
func (s *Server) Close() {
	s.Kill()
	_ = os.RemoveAll(s.dir)
}

// freeAddr is a loopback address that nobody listens on.
func freeAddr(ctx context.Context) (string, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer func() { _ = l.Close() }() // it was only asked for a port
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(l.Addr().(*net.TCPAddr).Port)), nil
}
