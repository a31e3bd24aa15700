package main

import (
	"regexp"
	"testing"
)

// Without a host it is this machine alone.
func TestListen(t *testing.T) {
	for _, tt := range []struct{ addr, want string }{
		{"0", `^http://127\.0\.0\.1:\d+/$`},
		{":0", `^http://127\.0\.0\.1:\d+/$`},
		{"127.0.0.1:0", `^http://127\.0\.0\.1:\d+/$`},
		{"0.0.0.0:0", `^http://localhost:\d+/$`},
	} {
		l, err := listen(t.Context(), tt.addr)
		if err != nil {
			t.Fatal(err)
		}
		if got := urlOf(l); !regexp.MustCompile(tt.want).MatchString(got) {
			t.Errorf("listen(%q) is %s, want %s", tt.addr, got, tt.want)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
}
