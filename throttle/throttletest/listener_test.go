package throttletest

import (
	"context"
	"errors"
	"net"
	"testing"
	"testing/synctest"
	"time"
)

// Dialling waits for somebody to accept, but not past its context.
func TestDialEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := newListener().dial(ctx, "tcp", "x:80"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("dial: %v, want context.DeadlineExceeded", err)
		}
	})
}

func TestListenerCloses(t *testing.T) {
	l := newListener()
	for range 2 {
		if err := l.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}
	if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Accept after Close: %v, want net.ErrClosed", err)
	}
	if l.Addr().Network() != "memory" || l.Addr().String() != "memory" {
		t.Errorf("Addr = %s %s, want memory", l.Addr().Network(), l.Addr())
	}
}
