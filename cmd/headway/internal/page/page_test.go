package page

import (
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
)

const maxUpload = 1 << 20

func handler() http.Handler { return Handler(Config{MaxUpload: maxUpload}) }

// send sends a request as the page does.
func send(t *testing.T, method, target, body string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, target, strings.NewReader(body))
	r.Host = "localhost:8429"
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	w := httptest.NewRecorder()
	handler().ServeHTTP(w, r)
	return w
}

// into decodes an answer.
func into[T any](t *testing.T, w *httptest.ResponseRecorder, status int) (v T) {
	t.Helper()
	if w.Code != status {
		t.Fatalf("status %d, want %d: %s", w.Code, status, w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil {
		t.Fatalf("%v: %s", err, w.Body)
	}
	return v
}

type errorsJSON struct{ Errors []fault }

// query joins names and values.
func query(pairs ...string) string {
	q := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		q.Add(pairs[i], pairs[i+1])
	}
	return q.Encode()
}

// All that the page needs is embedded, and said to be what it is.
func TestFiles(t *testing.T) {
	for name, kind := range map[string]string{
		"/": "text/html", "/app.js": "text/javascript", "/style.css": "text/css", "/icon.svg": "image/svg+xml",
		"/uplot/uPlot.esm.js": "text/javascript", "/uplot/LICENSE": "text/plain",
	} {
		w := send(t, http.MethodGet, name, "")
		if got := w.Header().Get("Content-Type"); w.Code != http.StatusOK || !strings.HasPrefix(got, kind) {
			t.Errorf("%s: status %d, %s, want %s", name, w.Code, got, kind)
		}
		if got := w.Header().Get("Content-Security-Policy"); !strings.Contains(got, "script-src 'self';") || strings.Contains(got, "unsafe") {
			t.Errorf("%s: %q", name, got)
		}
	}
	if w := send(t, http.MethodGet, "/nothing", ""); w.Code != http.StatusNotFound {
		t.Errorf("what there is not: status %d", w.Code)
	}
}

// Nothing is fetched from elsewhere, and what modules import is there.
func TestNothingFromOutside(t *testing.T) {
	outside := regexp.MustCompile(`(?:src|href|action)=["']?(?:https?:)?//|@import|url\(\s*["']?(?:https?:)?//|fetch\(["']https?:`)
	imports := regexp.MustCompile(`(?:from|src=|href=)\s*["'](\.?[\w./-]+\.(?:js|css|svg))["']`)
	found := 0
	err := fs.WalkDir(static, "static", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(static, file)
		if err != nil {
			return err
		}
		if what := outside.Find(text); what != nil && !strings.Contains(file, "/uplot/") {
			t.Errorf("%s has %s", file, what)
		}
		for _, m := range imports.FindAllSubmatch(text, -1) {
			found++
			if _, err := fs.Stat(static, path.Join(path.Dir(file), string(m[1]))); err != nil {
				t.Errorf("%s needs %s: %v", file, m[1], err)
			}
		}
		return nil
	})
	if err != nil || found < 20 {
		t.Errorf("%d imports, %v", found, err)
	}
}

func TestAbout(t *testing.T) {
	about := into[struct {
		MaxUpload int64 `json:"max_upload"`
		Models    []struct {
			Name string
			Keys []string
		}
	}](t, send(t, http.MethodGet, "/api/about", ""), http.StatusOK)
	if about.MaxUpload != maxUpload || len(about.Models) < 7 || about.Models[0].Name != "token-bucket" || len(about.Models[0].Keys) == 0 {
		t.Errorf("%+v", about)
	}
}

func TestHosts(t *testing.T) {
	for _, tt := range []struct {
		host, asked string
		ours        bool
	}{
		{"", "localhost", true},
		{"", "LOCALHOST:8429", true},
		{"", "127.0.0.1:8429", true},
		{"", "127.1.2.3", true},
		{"", "[::1]:8429", true},
		{"", "[::1]", true},
		{"", "", false},
		{"", "evil.example", false},
		{"", "localhost.evil.example:8429", false},
		{"", "127.0.0.1.evil.example", false},
		{"", "192.168.1.5:8429", false},
		{"0.0.0.0", "192.168.1.5:8429", true},
		{"::", "192.168.1.5:8429", true},
		{"0.0.0.0", "evil.example", false},
		{"192.168.1.5", "192.168.1.5:8429", true},
		{"192.168.1.5", "192.168.1.6:8429", false},
		{"192.168.1.5", "127.0.0.1:8429", true},
		{"Box.Example", "box.example:8429", true},
		{"box.example", "evil.example", false},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.Host = tt.asked
		w := httptest.NewRecorder()
		Handler(Config{Host: tt.host}).ServeHTTP(w, r)
		if want := map[bool]int{true: http.StatusOK, false: http.StatusMisdirectedRequest}[tt.ours]; w.Code != want {
			t.Errorf("at %q, asked for %q: status %d, want %d", tt.host, tt.asked, w.Code, want)
		}
	}
}

// Other sites can send us nothing.
func TestForeignPosts(t *testing.T) {
	for _, tt := range []struct {
		name, value string
		allowed     bool
	}{
		{"Origin", "http://evil.example", false},
		{"Origin", "null", false},
		{"Origin", "http://localhost:1", false}, // somebody else on this machine
		{"Sec-Fetch-Site", "cross-site", false},
		{"Sec-Fetch-Site", "same-site", false},
		{"Sec-Fetch-Site", "same-origin", true},
		{"Origin", "http://localhost:8429", true},
		{"X-None", "", true}, // no browser
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/simulate?bucket=1&refill=1", strings.NewReader("0"))
		r.Host = "localhost:8429"
		r.Header.Set(tt.name, tt.value)
		w := httptest.NewRecorder()
		handler().ServeHTTP(w, r)
		if (w.Code == http.StatusOK) != tt.allowed {
			t.Errorf("%s: %s: status %d, allowed %t", tt.name, tt.value, w.Code, tt.allowed)
		}
	}
}

// A body that is too long is refused, whether it says so before or not.
func TestTooLong(t *testing.T) {
	srv := httptest.NewServer(handler())
	t.Cleanup(srv.Close)
	for _, file := range []string{"/api/simulate?bucket=1&refill=1", "/api/tune?format=plain"} {
		for name, body := range map[string]io.Reader{
			"with a length":    strings.NewReader(strings.Repeat("1\n", maxUpload/2+1)),
			"without a length": io.LimitReader(endless{}, maxUpload+1),
		} {
			resp, err := http.Post(srv.URL+file, "text/plain", body)
			if err != nil {
				t.Fatal(err)
			}
			text, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			if resp.StatusCode != http.StatusRequestEntityTooLarge || !strings.Contains(string(text), `"message":"it has more than 1 MiB, `) {
				t.Errorf("%s, %s: status %d, %s", file, name, resp.StatusCode, text)
			}
		}
	}
}

// Who cannot be served because of others is told so.
func TestBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &page{busy: make(chan struct{})} // which has room for nobody
		w := httptest.NewRecorder()
		p.upload(p.simulate).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader("0")))
		got := into[errorsJSON](t, w, http.StatusServiceUnavailable)
		if f := got.Errors[0]; f.Field != "" || !strings.Contains(f.Message, "4 others") {
			t.Errorf("%+v", f)
		}
	})
}

// endless is one empty line after the other.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '\n'
	}
	return len(p), nil
}
