package fetch

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/textproto"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/headway-go/headway/throttle"
)

// A cause is why there is no answer. It is the same for what went wrong in the
// same way, and holds nothing that a server wrote.
func cause(err error) string {
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		if dns.IsNotFound {
			return "no such host"
		}
		return "the host's address could not be found out"
	}
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return errno.Error()
	}
	if bad, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return "certificate: " + bad.Err.Error()
	}
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return errSilent.Error()
	}
	for _, known := range []error{errSilent, errTooLong, ErrRedirects} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return "the connection was closed before the end of the answer"
	}
	return plain(Bare(err))
}

var (
	// ErrRedirects is for a URL that leads on and on.
	ErrRedirects = errors.New("more than 10 redirects")

	errSilent = errors.New("no answer within the --timeout, or silence for as long in the middle of one")
)

// Bare is the error without its URLs, which may hold a secret.
func Bare(err error) error {
	for {
		ue, ok := errors.AsType[*url.Error](err)
		if !ok {
			return err
		}
		err = ue.Err
	}
}

// streamID tells errors of HTTP/2 apart that are the same.
var streamID = regexp.MustCompile(`ID [0-9]+`)

// plain is the text of an error without what the server wrote, which net/http
// puts in quotation marks.
func plain(err error) string {
	if _, ok := errors.AsType[textproto.ProtocolError](err); ok {
		return "the header of the answer makes no sense"
	}
	text, _, _ := strings.Cut(err.Error(), `"`)
	return streamID.ReplaceAllString(strings.TrimRight(text, " :"), "ID …")
}

// statusCause is the cause of an answer that is none of those hoped for.
func statusCause(status int) string {
	return strings.TrimSpace("status " + strconv.Itoa(status) + " " + http.StatusText(status))
}

// unsent is why a call was not sent, and would not be if it were tried at once,
// if that is what the error says.
func unsent(err error) (string, bool) {
	if wait, ok := errors.AsType[*throttle.WaitError](err); ok {
		return "not sent: the " + string(wait.Cause) + " of " + wait.Key + " asks for a wait that is longer than --max-wait, until " + wait.At.UTC().Format(time.RFC3339), true
	}
	if never, ok := errors.AsType[*throttle.NeverError](err); ok {
		return never.Error(), true
	}
	return "", false
}
