package proxy

import (
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
)

// keep puts back what ReverseProxy takes out of a request for servers that trust
// it. This one speaks for the program that made the request.
func (p *Proxy) keep(pr *httputil.ProxyRequest) {
	pr.Out.URL.RawQuery = pr.In.URL.RawQuery
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"} {
		if v, ok := pr.In.Header[name]; ok {
			pr.Out.Header[name] = v
		}
	}
	if p.Forwarded {
		pr.SetXForwarded()
	}
	pr.Out.Trailer = pr.In.Trailer // of which the values come with the end of the body
}

// localize turns what an answer links to on its own server into links to here, so
// that whoever follows them is still paced.
func localize(resp *http.Response, from *url.URL) {
	host := callOf(resp.Request).host
	if host == "" {
		return // of HTTP/1.0, where nobody says
	}
	origin, local := from.Scheme+"://"+from.Host, "http://"+host
	for _, name := range []string{"Location", "Content-Location"} {
		if to := resp.Header.Get(name); to != "" {
			resp.Header.Set(name, localURL(to, origin, local))
		}
	}
	for i, link := range resp.Header["Link"] {
		resp.Header["Link"][i] = strings.ReplaceAll(link, "<"+origin+"/", "<"+local+"/")
	}
}

// localURL takes one that begins with // as the server means it: its scheme may
// not be that of here.
func localURL(to, origin, local string) string {
	scheme, _, _ := strings.Cut(origin, "://")
	if strings.HasPrefix(to, "//") {
		to = scheme + ":" + to
	}
	if len(to) < len(origin) || !strings.EqualFold(to[:len(origin)], origin) {
		return to
	}
	rest := strings.TrimPrefix(to[len(origin):], ":"+defaultPorts[scheme])
	if rest != "" && !strings.ContainsRune("/?#", rune(rest[0])) {
		return to // its host only begins like that
	}
	return local + rest
}
