package fetch

import "testing"

// Until a host has answered, the turn is passed on by an answer; then as soon as
// a call is sent.
func TestTurn(t *testing.T) {
	var of turn
	free := func() bool {
		if !of.mu.TryLock() {
			return false
		}
		of.mu.Unlock()
		return true
	}
	first := of.take()
	first.sent()
	if free() {
		t.Error("a second call before the first answer")
	}
	first.answered()
	if !free() {
		t.Error("no second call after the first answer")
	}
	second := of.take()
	if free() {
		t.Error("two calls wait")
	}
	second.sent()
	if !free() {
		t.Error("no third call once the second is sent")
	}
	third := of.take()
	second.answered() // it has the turn no longer
	second.pass()
	if free() {
		t.Error("the turn of the third was passed on by the second")
	}
	third.pass()
	third.pass()
	if !free() {
		t.Error("the turn was not passed on")
	}
}
