package redisstore

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A URL that is wrong is told at once, and not with its password.
func TestOpenWrongURL(t *testing.T) {
	for _, u := range []string{
		"", "localhost:6379", "http://:hunter2@localhost", "redis://:hunter2@local host:6379", "redis://:hunter2@localhost/x",
		"redis://:hunter2%zz@localhost", "redis://user:hunter2@localhost:port", "redis://:hunter2@localhost?nosuch=1", "unix://",
	} {
		s, err := Open(u)
		if !errors.Is(err, ErrURL) || s != nil {
			t.Errorf("Open(%q) = %v, %v, want ErrURL", u, s, err)
			continue
		}
		if text := err.Error(); !strings.HasPrefix(text, "redisstore: not a Redis URL") || strings.Contains(text, "hunter2") {
			t.Errorf("Open(%q): %s", u, text)
		}
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	server := startRedis(t, "--requirepass", "secret", "--user", "reader", "on", ">hunter2", "~*", "+@read", "+info", "+ping")
	none := func() string { // nobody listens there
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = l.Close() }()
		return l.Addr().String()
	}()
	for _, tt := range []struct {
		name, url string
		want      error
	}{
		{"all is well", "redis://:secret@" + server.Addr, nil},
		{"no password", "redis://" + server.Addr, ErrAuth},
		{"a wrong password", "redis://:hunter2@" + server.Addr, ErrAuth},
		{"a user that there is not", "redis://nobody:hunter2@" + server.Addr, ErrAuth},
		{"a user who may not write", "redis://reader:hunter2@" + server.Addr, ErrAuth},
		{"nobody there", "redis://:hunter2@" + none, ErrUnavailable},
		{"too old", "redis://" + fakeRedis(t, "redis_version:4.0.14\r\n"), ErrTooOld},
		{"of an age that it does not tell", "redis://" + fakeRedis(t, ""), ErrTooOld}, // it knows no EVALSHA
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := Open(tt.url)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = s.Client.Close() }()
			err = s.Check(t.Context())
			if !errors.Is(err, tt.want) {
				t.Errorf("Check: %v, want %v", err, tt.want)
			}
			if err != nil && (strings.Contains(err.Error(), "hunter2") || !strings.HasPrefix(err.Error(), "redisstore: ")) {
				t.Errorf("Check: %q", err)
			}
		})
	}
}

// What is wrong with Redis is no reason for a call to fail.
func TestAloneBecauseOf(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		url  string
		want error
	}{
		{"redis://:hunter2@" + startRedis(t, "--requirepass", "secret").Addr, ErrAuth},
		{"redis://" + fakeRedis(t, ""), ErrTooOld},
	} {
		s, err := Open(tt.url)
		if err != nil {
			t.Fatal(err)
		}
		s, events := watch(t, s)
		if !goes(t, budget(t, s, "k")) {
			t.Errorf("%s: a call does not go", tt.url)
		}
		if e := next(t, events, Alone); !errors.Is(e.Err, tt.want) {
			t.Errorf("alone because of %v, want %v", e.Err, tt.want)
		}
	}
}

// fakeRedis is a server that knows PING and INFO only. It returns its address.
func fakeRedis(t *testing.T, info string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go serveFake(conn, info)
		}
	}()
	return l.Addr().String()
}

func serveFake(conn net.Conn, info string) {
	defer conn.Close()
	r := bufio.NewReader(conn)
	for {
		command, err := readCommand(r)
		if err != nil {
			return
		}
		switch strings.ToLower(command) {
		case "ping":
			fmt.Fprint(conn, "+PONG\r\n")
		case "info":
			fmt.Fprintf(conn, "$%d\r\n%s\r\n", len(info), info)
		default:
			fmt.Fprintf(conn, "-ERR unknown command '%s'\r\n", command)
		}
	}
}

// readCommand reads an array of strings, and returns the first of them.
func readCommand(r *bufio.Reader) (first string, err error) {
	number := func() (n int) {
		var line string
		if line, err = r.ReadString('\n'); err == nil {
			n, err = strconv.Atoi(strings.TrimSpace(line[1:]))
		}
		return n
	}
	n := number()
	for i := 0; i < n && err == nil; i++ {
		text := make([]byte, number()+2)
		if err != nil {
			break
		}
		for read := 0; read < len(text) && err == nil; {
			var k int
			k, err = r.Read(text[read:])
			read += k
		}
		if i == 0 {
			first = string(text[:len(text)-2])
		}
	}
	return first, err
}

func TestTooOld(t *testing.T) {
	for info, want := range map[string]bool{
		"# Server\r\nredis_version:4.0.14\r\nredis_mode:standalone\r\n": true,
		"# Server\r\nredis_version:5.0.0\r\n":                           false,
		"redis_version:7.2.4\r\nserver_name:valkey\r\n":                 false,
		"redis_version:255.255.255\r\n":                                 false,
		"redis_version:unstable\r\n":                                    false,
		"":                                                              false,
	} {
		if got := tooOld(info); got != want {
			t.Errorf("tooOld(%q) = %t", info, got)
		}
	}
}

func TestCheckEndsWithItsContext(t *testing.T) {
	t.Parallel()
	p := startProxy(t, startRedis(t).Addr)
	p.set(func() { p.hole = true })
	s, _ := open(t, p.addr())
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := s.Check(ctx); !errors.Is(err, ErrUnavailable) {
		t.Errorf("Check of a black hole: %v, want ErrUnavailable", err)
	}
}
