package transport

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"
)

// KeyByHost is the host of the request's URL in lower case, with its port
// unless that is the default of the scheme: what a zero [Transport] counts
// together.
func KeyByHost(req *http.Request) string {
	host := lower(req.URL.Host)
	switch req.URL.Scheme {
	case "https":
		host = strings.TrimSuffix(host, ":443")
	case "http":
		host = strings.TrimSuffix(host, ":80")
	}
	return undotted(host)
}

// undotted is the host without the dot that says that nothing is to be added to
// its name.
func undotted(host string) string {
	if name, port, ok := strings.Cut(host, ".:"); ok {
		return name + ":" + port
	}
	return strings.TrimSuffix(host, ".")
}

// hostname is the host that limits and overrides are looked up for.
func hostname(u *url.URL) string { return undotted(lower(u.Hostname())) }

// KeyByHostAndHeader returns a Key for servers that count by credential: calls
// to one host that differ in one of the named header fields, for instance
// Authorization, have budgets of their own. The values appear in the key as a
// hash only.
func KeyByHostAndHeader(names ...string) func(*http.Request) string {
	canonical := make([]string, len(names))
	for i, name := range names {
		canonical[i] = textproto.CanonicalMIMEHeaderKey(name)
	}
	return func(req *http.Request) string {
		h, found := sha256.New(), false
		for i, name := range canonical {
			for _, v := range req.Header[name] {
				found = true
				// What tells the fields apart must not be able to stand in one.
				h.Write([]byte{byte(i), 0})
				h.Write([]byte(v))
				h.Write([]byte{'\n'})
			}
		}
		if !found {
			return KeyByHost(req)
		}
		return KeyByHost(req) + "#" + hex.EncodeToString(h.Sum(nil)[:8])
	}
}

// lower is strings.ToLower, without the work in the usual case.
func lower(s string) string {
	for i := range len(s) {
		if c := s[i]; 'A' <= c && c <= 'Z' || c >= 0x80 {
			return strings.ToLower(s)
		}
	}
	return s
}
