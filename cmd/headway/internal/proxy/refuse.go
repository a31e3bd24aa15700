package proxy

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/headway-go/headway/throttle"
)

// An answer is what the proxy says itself, in the place of a server: as JSON to
// clients that take it, as a line of text to others. A Proxy-Status field (RFC
// 9209) tells it from what a server says.
type answer struct {
	Status  int            `json:"-"`
	Error   string         `json:"error"` // a type of RFC 9209
	Message string         `json:"message"`
	Key     string         `json:"key,omitempty"`
	Cause   throttle.Cause `json:"cause,omitempty"`
	Wait    float64        `json:"wait_seconds,omitempty"`

	after time.Duration // for Retry-After; 0 for none
}

// What is always answered in the same way.
var (
	badTarget       = &answer{Status: http.StatusBadRequest, Error: "http_request_error", Message: "the URL needs http:// or https://, and a host"}
	brokenBody      = &answer{Status: http.StatusBadRequest, Error: "http_request_error", Message: "the body of the request broke off"}
	foreignHost     = &answer{Status: http.StatusMisdirectedRequest, Error: "http_request_denied", Message: "the Host of the request is none of this proxy's; --name adds one"}
	internalAddress = &answer{Status: http.StatusForbidden, Error: "destination_ip_prohibited", Message: "an internal address; --allow-internal lets calls go there"}
	loops           = &answer{Status: http.StatusLoopDetected, Error: "proxy_loop_detected", Message: "the call would come back to this proxy"}
	stopping        = &answer{Status: http.StatusServiceUnavailable, Error: "proxy_internal_response", Message: errStopping.Error(), after: time.Second}
)

// answerTo is what a client is told when there is no answer of a server.
func answerTo(err error) *answer {
	if errors.Is(err, errStopping) {
		return stopping
	}
	if wait, ok := errors.AsType[*throttle.WaitError](err); ok {
		return held(wait)
	}
	if denied, ok := errors.AsType[*deniedError](err); ok {
		return denied.answer
	}
	return failure(err)
}

// held is for a call that would have had to wait too long. Where a limit of the
// server is the reason, it is refused as the server would have refused it.
func held(err *throttle.WaitError) *answer {
	a := &answer{
		Status: http.StatusTooManyRequests,
		Error:  "http_request_denied",
		Key:    err.Key,
		Cause:  err.Cause,
		Wait:   err.Wait.Seconds(),
		after:  max(err.Wait, 1),
	}
	if err.Cause == throttle.CauseConcurrency || err.Cause == throttle.CauseQueue {
		a.Status, a.Error = http.StatusServiceUnavailable, "connection_limit_reached"
	}
	a.Message = fmt.Sprintf("%s: not sent: wait of %v for the %s: %v", err.Key, err.Wait.Round(time.Millisecond), err.Cause, err.Err)
	return a
}

// failure is for a call that the network failed. It says no more of err than what
// cannot hold anything of the call.
func failure(err error) *answer {
	a := &answer{Status: http.StatusBadGateway, Error: "http_protocol_error", Message: "no valid answer came"}
	timeout, isTimeout := errors.AsType[net.Error](err)
	op, isOp := errors.AsType[*net.OpError](err)
	dns, isDNS := errors.AsType[*net.DNSError](err)
	switch {
	case isDNS:
		a.Error, a.Message = "dns_error", "no address: "+dns.Err
	case isTimeout && timeout.Timeout():
		a.Status, a.Error, a.Message = http.StatusGatewayTimeout, "connection_timeout", "no answer in time"
	case isCertificate(err):
		a.Error, a.Message = "tls_certificate_error", err.Error()
	case isOp && op.Op == "dial":
		a.Error, a.Message = "destination_unavailable", "no connection: "+innermost(op).Error()
	case isOp:
		a.Error, a.Message = "connection_terminated", "the connection broke: "+innermost(op).Error()
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		a.Error, a.Message = "connection_terminated", "the connection ended before the answer"
	}
	return a
}

func isCertificate(err error) bool {
	_, ok := errors.AsType[*tls.CertificateVerificationError](err)
	return ok
}

func innermost(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}

// write sends the answer. A wait becomes whole seconds, at least one.
func (a *answer) write(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Proxy-Status", "headway; error="+a.Error)
	if a.after > 0 {
		h.Set("Retry-After", strconv.FormatFloat(math.Ceil(a.after.Seconds()), 'f', -1, 64))
	}
	body := []byte("headway: " + a.Message + "\n")
	h.Set("Content-Type", "text/plain; charset=utf-8")
	if strings.Contains(r.Header.Get("Accept"), "json") {
		body, _ = json.Marshal(a) // plain fields
		h.Set("Content-Type", "application/json")
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(a.Status)
	_, _ = w.Write(body)
}

// fail is the ErrorHandler of a ReverseProxy.
func (p *Proxy) fail(w http.ResponseWriter, r *http.Request, err error) {
	c := callOf(r)
	if c.client.Err() != nil {
		panic(http.ErrAbortHandler) // there is nobody to tell
	}
	c.settle(w.Header())
	a := answerTo(err)
	if a.Key == "" && a != stopping { // what waits is told of by observe
		p.notices.say(keyOf(p.Transport, r), a.Message)
	}
	a.write(w, r)
}

// refuseConnect says what to do in place of a tunnel. Most clients show nobody the
// body of this answer, and some the reason: so that says it too.
func (p *Proxy) refuseConnect(w http.ResponseWriter, r *http.Request) {
	message := "https cannot be paced in a tunnel: start headway proxy with --upstream https://" + tunnelTo(r) +
		" and use the base URL that it prints in the place of https://" + tunnelTo(r)
	p.notices.say(tunnelTo(r), message)
	a := &answer{Status: http.StatusNotImplemented, Error: "http_request_denied", Message: message}
	conn, buf, err := http.NewResponseController(w).Hijack()
	if err != nil {
		a.write(w, r)
		return
	}
	defer conn.Close()
	body := "headway: " + message + "\n"
	fmt.Fprintf(buf, "HTTP/1.1 501 Use headway proxy --upstream https://%s\r\nProxy-Status: headway; error=%s\r\n"+
		"Content-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", tunnelTo(r), a.Error, len(body), body)
	_ = buf.Flush()
}

// tunnelTo is the host that a CONNECT names, or an example if it is none that can
// be shown.
func tunnelTo(r *http.Request) string {
	host := strings.TrimSuffix(r.URL.Host, ":443")
	odd := func(c rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-:[]_", c)
	}
	if host == "" || strings.ContainsFunc(host, odd) {
		return "api.example.com"
	}
	return host
}
