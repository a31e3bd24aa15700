package redisserver

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
)

func start(t *testing.T, args ...string) *Server {
	t.Helper()
	s, err := Start(t.Context(), args...)
	if errors.Is(err, ErrNone) && !slices.Contains(strings.Split(os.Getenv("HEADWAY_REQUIRE"), ","), "redis-server") {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// say sends a command, and returns the first line of the answer.
func say(t *testing.T, s *Server, command string) string {
	t.Helper()
	conn, err := net.Dial("tcp", s.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "%s\r\n", command)
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line)
}

func TestServer(t *testing.T) {
	s := start(t)
	if got := say(t, s, "SET a 1"); got != "+OK" {
		t.Fatalf("SET: %s", got)
	}
	s.Kill()
	if conn, err := net.Dial("tcp", s.Addr); err == nil {
		conn.Close()
		t.Fatal("it listens after Kill")
	}
	if err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := say(t, s, "EXISTS a"); got != ":0" {
		t.Errorf("EXISTS after a restart: %s, want :0", got)
	}
	s.Close()
	if _, err := os.Stat(s.dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("its folder is still there: %v", err)
	}
}

func TestArguments(t *testing.T) {
	if got := say(t, start(t, "--requirepass", "secret"), "GET a"); !strings.HasPrefix(got, "-NOAUTH") {
		t.Errorf("GET without the password: %s", got)
	}
	start(t)
	if _, err := Start(t.Context(), "--no-such-option", "1"); err == nil || !strings.Contains(err.Error(), "does not start") {
		t.Errorf("Start with a bad option: %v", err)
	}
}
