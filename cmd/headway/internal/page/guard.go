package page

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// policy allows what is embedded, and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// guard keeps other sites out, which a browser may have open as well: they must
// not have us under a name of theirs (DNS rebinding), send us anything, or show
// us in a frame.
func guard(host string, next http.Handler) http.Handler {
	next = http.NewCrossOriginProtection().Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		if !isOurs(host, r.Host) {
			http.Error(w, "headway serve answers only to its own address and to localhost", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// isOurs reports whether the Host of a request is one of a server that was told
// to listen at host. Every address is, if it listens at all of them: only names
// can be turned to another address.
func isOurs(host, asked string) bool {
	if name, _, err := net.SplitHostPort(asked); err == nil {
		asked = name
	}
	asked = strings.ToLower(strings.Trim(asked, "[]"))
	if asked == "localhost" || asked == strings.ToLower(host) {
		return asked != ""
	}
	at, err := netip.ParseAddr(asked)
	if err != nil {
		return false
	}
	bound, err := netip.ParseAddr(host)
	return at.IsLoopback() || err == nil && bound.IsUnspecified()
}
