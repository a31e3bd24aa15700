package proxy

import (
	"net/http"
	"strings"
	"testing"
)

func TestLocalURL(t *testing.T) {
	const origin, local = "https://api.test", "http://127.0.0.1:8421"
	for to, want := range map[string]string{
		"https://api.test/x?y#z":     "http://127.0.0.1:8421/x?y#z",
		"HTTPS://API.test/x":         "http://127.0.0.1:8421/x",
		"https://api.test":           "http://127.0.0.1:8421",
		"https://api.test?x":         "http://127.0.0.1:8421?x",
		"https://api.test.evil/x":    "https://api.test.evil/x",
		"https://api.test:8443/x":    "https://api.test:8443/x",
		"https://api.test@evil.test": "https://api.test@evil.test",
		"https://api.test:443/x":     "http://127.0.0.1:8421/x",
		"https://api.test:4430/x":    "https://api.test:4430/x",
		"https://api.test:80/x":      "https://api.test:80/x",
		"//api.test/x":               "http://127.0.0.1:8421/x",
		"//other.test/x":             "https://other.test/x",
		"http://api.test/x":          "http://api.test/x",
		"/x":                         "/x",
		"":                           "",
	} {
		if got := localURL(to, origin, local); got != want {
			t.Errorf("localURL(%q) = %q, want %q", to, got, want)
		}
	}
}

func FuzzLocalURL(f *testing.F) {
	f.Add("https://api.test/x")
	f.Add("https://api.tést/x")
	f.Add("//api.test:443/x")
	f.Fuzz(func(t *testing.T, to string) {
		const origin, local = "https://api.test", "http://127.0.0.1:8421"
		got := localURL(to, origin, local)
		if strings.HasPrefix(to, "//") {
			to = "https:" + to
		}
		gone := len(to) - len(origin) - (len(got) - len(local))
		if got != to && (!strings.HasPrefix(got, local) || gone != 0 && gone != len(":443")) {
			t.Errorf("localURL(%q) = %q", to, got)
		}
	})
}

// Who follows the links of an upstream stays with the proxy; a forward proxy
// changes none.
func TestLinks(t *testing.T) {
	both(t, Config{}, func(w http.ResponseWriter, r *http.Request) {
		self := "http://" + r.Host
		w.Header().Set("Location", self+"/next")
		w.Header().Set("Link", "<"+self+"/2>; rel=next, <https://other.test/3>; rel=last")
		w.WriteHeader(http.StatusFound)
	}, func(t *testing.T, w way) {
		resp, err := w.client.Get(w.base)
		body(t, resp, err)
		if got := resp.Header.Get("Location"); got != w.base+"/next" {
			t.Errorf("Location %q, want %q", got, w.base+"/next")
		}
		if got, want := resp.Header.Get("Link"), "<"+w.base+"/2>; rel=next, <https://other.test/3>; rel=last"; got != want {
			t.Errorf("Link %q, want %q", got, want)
		}
	})
}
