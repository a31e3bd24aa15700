// Package proxy is an HTTP proxy that sends what programs give it when their
// servers will take it: through a transport.Transport, so that programs in any
// language are paced.
//
// A [Proxy] is a forward proxy for http:// URLs, and has a port of its own for
// each upstream, whose paths it does not change. It gives bodies, trailers,
// informational answers and switches of protocol on as they come. What it cannot
// send it refuses itself, and says when to come again.
//
// It is for programs of this machine: it refuses requests that a web page may
// have led here, calls to itself and to the addresses where clouds keep their
// metadata, and shows no path, query, header or body to anybody.
package proxy
