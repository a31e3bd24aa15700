package transport

import (
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"github.com/headway-go/headway/headers"
)

// retryable reports whether the call may be sent again after its n-th attempt.
func (e *engine) retryable(req *http.Request, n int, last result) bool {
	if n >= e.maxAttempts || !replayable(req) || req.Context().Err() != nil {
		return false
	}
	if last.isLast() || last.refused && asksForEver(last.resp.Header) {
		return false
	}
	if last.refused && last.resp.StatusCode < 500 {
		return true // it did not act, whatever the method
	}
	if !idempotent(req) {
		return false
	}
	if last.err != nil {
		return broken(last.err)
	}
	status := last.resp.StatusCode
	return last.refused || status >= 500 && status != http.StatusNotImplemented
}

// replayable reports whether the body can be had again.
func replayable(req *http.Request) bool {
	return req.Body == nil || req.Body == http.NoBody || req.GetBody != nil
}

// idempotent is net/http's own rule: RFC 9110, 9.2.2, and the header fields by
// which a client may say so.
func idempotent(req *http.Request) bool {
	switch req.Method {
	case "", http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace,
		http.MethodPut, http.MethodDelete:
		return true
	}
	return len(req.Header["Idempotency-Key"]) > 0 || len(req.Header["X-Idempotency-Key"]) > 0
}

// broken reports whether err is that of a connection that broke or could not be
// made, which may go better the next time. Certificates, unknown hosts and
// requests that make no sense will not.
func broken(err error) bool {
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		return dns.IsTemporary || dns.IsTimeout
	}
	for _, target := range []error{
		io.EOF, io.ErrUnexpectedEOF, net.ErrClosed,
		syscall.ECONNRESET, syscall.ECONNREFUSED, syscall.ECONNABORTED, syscall.EPIPE,
	} {
		if errors.Is(err, target) {
			return true
		}
	}
	if _, ok := errors.AsType[streamError](err); ok {
		return true
	}
	op, ok := errors.AsType[*net.OpError](err)
	return ok && (op.Op == "read" || op.Op == "write" || op.Op == "dial")
}

// A streamError is the end of an HTTP/2 stream by RST_STREAM. That of net/http
// has no name outside, but lets errors.As copy it to a struct of this form.
type streamError struct {
	StreamID uint32
	Code     uint32
	Cause    error
}

func (e streamError) Error() string { return "stream error" }

// asksForEver reports whether Retry-After is a number of seconds beyond all
// reason: some servers so tell a client that is shut out. It is no delay to wait
// for, nor one to fall back from to a shorter one.
func asksForEver(h http.Header) bool {
	for _, v := range h["Retry-After"] {
		v = strings.Trim(v, " \t")
		digits := strings.Trim(v, "0123456789") == "" && v != ""
		if digits && !headers.RetryAfter(h, time.Now()).OK {
			return true
		}
	}
	return false
}
