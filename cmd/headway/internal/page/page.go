// Package page is the page of headway serve: a simulator, a tuner and a backoff
// schedule in a browser, with all that they need embedded. The computing is done
// by this process; the page asks for it over a few endpoints of its own.
package page

import (
	"embed"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/headway-go/headway/cmd/headway/internal/sim"
	"github.com/headway-go/headway/throttle/tune"
)

//go:embed static
var static embed.FS

// A Config says how the page is served.
type Config struct {
	// Host is the name or address of the server as it was told to listen. It
	// answers to that, to the names of the loopback interface, and if this is an
	// unspecified address to every address, but to no other name.
	Host string

	// MaxUpload is how many bytes of a file are taken.
	MaxUpload int64
}

type page struct {
	maxUpload int64
	busy      chan struct{} // holds as many as compute
}

// maxBusy is how many computations go on at once.
const maxBusy = 4

// Handler returns the page and its endpoints.
func Handler(c Config) http.Handler {
	p := &page{maxUpload: c.MaxUpload, busy: make(chan struct{}, maxBusy)}
	files, err := fs.Sub(static, "static")
	if err != nil {
		panic(err) // it is embedded
	}
	mux := http.NewServeMux()
	mux.Handle("GET /", serve(http.FileServerFS(files)))
	mux.HandleFunc("GET /api/about", p.about)
	mux.HandleFunc("GET /api/backoff", p.backoff)
	mux.Handle("POST /api/simulate", p.upload(p.simulate))
	mux.Handle("POST /api/tune", p.upload(p.tune))
	return guard(c.Host, mux)
}

// about tells the page what there is.
func (p *page) about(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, map[string]any{"max_upload": p.maxUpload, "models": models(), "matrix": tune.Matrix()})
}

// A model is what the page knows of a [sim.Model].
type model struct {
	Name  string   `json:"name"`
	About string   `json:"about"`
	Keys  []string `json:"keys"`
}

func models() []model {
	var all []model
	for _, m := range sim.Models() {
		all = append(all, model{m.Name, m.About, m.Keys})
	}
	return all
}

const (
	uploadTimeout = 10 * time.Minute // for an upload and its answer
	busyTimeout   = 30 * time.Second // for others to come to their end
)

// upload lets a few at a time do what takes a large body and a while.
func (p *page) upload(next http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case p.busy <- struct{}{}:
			defer func() { <-p.busy }()
		case <-time.After(busyTimeout):
			busy := &fault{Message: fmt.Sprintf("%d others are being computed here: try again later", maxBusy)}
			answer(w, http.StatusServiceUnavailable, map[string]any{"errors": faults{busy}})
			return
		case <-r.Context().Done():
			return
		}
		deadline := time.Now().Add(uploadTimeout)
		control := http.NewResponseController(w)
		_ = control.SetReadDeadline(deadline) // not all servers can
		_ = control.SetWriteDeadline(deadline)
		r.Body = http.MaxBytesReader(w, r.Body, p.maxUpload)
		next(w, r)
	})
}

// types are those of the files. What the system says of them may be wrong, and
// then browsers run no script.
var types = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
	"":      "text/plain; charset=utf-8",
}

// serve serves files, of which browsers are not to show what an older headway had.
func serve(files http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-cache")
		name := r.URL.Path
		if strings.HasSuffix(name, "/") {
			name += "index.html"
		}
		if kind := types[path.Ext(name)]; kind != "" {
			w.Header().Set("Content-Type", kind)
		}
		files.ServeHTTP(w, r)
	})
}
