package browsertest

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/headway-go/headway/cmd/headway/internal/page"
)

// browser is Chromium, which all tests share.
var browser struct {
	start sync.Once
	ctx   context.Context
	stop  func()
	err   error
	temp  string // for what it leaves behind
}

func TestMain(m *testing.M) {
	if browser.temp, browser.err = os.MkdirTemp("", "browser"); browser.err != nil {
		log.Fatal(browser.err)
	}
	status := m.Run()
	if browser.stop != nil {
		browser.stop()
	}
	_ = os.RemoveAll(browser.temp) // what is left, the system clears up
	os.Exit(status)
}

// chromium returns a context of the browser. If there is none it skips the test,
// unless HEADWAY_REQUIRE names it.
func chromium(t *testing.T) context.Context {
	t.Helper()
	program, err := exec.LookPath("chromium")
	if err != nil {
		const none = "chromium is not in PATH: the page is not tested in a browser"
		if required("chromium") {
			t.Fatal(none + ", and HEADWAY_REQUIRE says that it must be")
		}
		t.Skip(none)
	}
	browser.start.Do(func() {
		allocated, end := chromedp.NewExecAllocator(context.Background(), append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
			chromedp.ExecPath(program),
			chromedp.Env("TMPDIR="+browser.temp),
			chromedp.NoSandbox, // which root cannot have; nobody is visited but ourselves
			chromedp.Flag("no-proxy-server", true),
		)...)
		ctx, cancel := chromedp.NewContext(allocated)
		browser.ctx, browser.stop = ctx, func() { cancel(); end() }
		browser.err = chromedp.Do(ctx)
	})
	if browser.err != nil {
		t.Fatal(browser.err)
	}
	return browser.ctx
}

// required reports whether the environment says that the tests with this program
// must run.
func required(program string) bool {
	return slices.Contains(strings.Split(os.Getenv("HEADWAY_REQUIRE"), ","), program)
}

func TestRequired(t *testing.T) {
	t.Setenv("HEADWAY_REQUIRE", "nginx,chromium")
	if !required("nginx") || !required("chromium") || required("chrom") || required("") {
		t.Error("HEADWAY_REQUIRE is a list of names, with commas")
	}
}

// A screen is what the page is seen on.
type screen struct {
	width, height int64
	dark          bool
}

var (
	desk  = screen{1280, 900, false}
	night = screen{1280, 900, true}
	phone = screen{390, 844, false}
)

// maxUpload is so little that a test can have more.
const maxUpload = 16 << 20

// A tab is the page in the browser.
type tab struct {
	*testing.T
	ctx context.Context
	url string
}

// open serves the page, and opens it. What the browser finds fault with fails
// the test.
func open(t *testing.T, s screen, link string) *tab {
	t.Helper()
	srv := httptest.NewServer(page.Handler(page.Config{MaxUpload: maxUpload}))
	t.Cleanup(srv.Close)
	ctx, closeTab := chromedp.NewContext(chromium(t))
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	said := chromedp.Console(ctx)
	var listening sync.WaitGroup
	listening.Go(func() {
		for m, err := range said {
			if err != nil {
				return
			}
			if !strings.HasPrefix(m.Text, "Failed to load resource: the server responded with a status of 4") { // of input that is wrong
				t.Errorf("the console says: %v", m)
			}
		}
	})
	t.Cleanup(func() {
		cancel()
		listening.Wait()
		closeTab()
	})
	b := &tab{t, ctx, srv.URL + "/"}
	b.look(s)
	b.do(chromedp.Navigate(b.url + link))
	b.settle()
	return b
}

// look makes the tab as large and as dark as a screen.
func (b *tab) look(s screen) {
	b.Helper()
	scheme := "light"
	if s.dark {
		scheme = "dark"
	}
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, media); err != nil {
		b.Fatal(err)
	}
	var options []chromedp.EmulateViewportOption
	if s.width < 600 {
		options = append(options, chromedp.EmulateMobile, chromedp.EmulateTouch)
	}
	b.do(chromedp.EmulateViewport(s.width, s.height, options...))
}

// do runs actions, and ends the test if one fails.
func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.Fatal(err)
	}
}

// get returns what an expression is, as text.
func (b *tab) get(expression string) string {
	b.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[any](expression))
	if err != nil {
		b.Fatalf("%s: %v", expression, err)
	}
	return fmt.Sprint(v)
}

// waitFor waits until an expression is true.
func (b *tab) waitFor(expression string) {
	b.Helper()
	if _, err := chromedp.Run(b.ctx, chromedp.Poll[any](expression, chromedp.WithPollingTimeout(time.Minute))); err != nil {
		b.Fatalf("waiting for %s: %v\n%s", expression, err, b.get(`document.querySelector("main").innerText`))
	}
}

// settle waits until nothing is computed any more.
func (b *tab) settle() {
	b.Helper()
	b.waitFor(`document.querySelector("section:not([hidden]) .results[aria-busy=false] .headline")?.textContent`)
}

// shoot keeps a picture of the whole page: go test -artifacts tells where.
func (b *tab) shoot(name string) {
	b.Helper()
	png, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.WriteFile(filepath.Join(b.ArtifactDir(), name+".png"), png, 0o600)
	}
	if err != nil {
		b.Fatal(err)
	}
}

// enter types into an entry, in place of what is there.
func (b *tab) enter(id, text string) {
	b.Helper()
	b.get(fmt.Sprintf(`document.getElementById(%q).select()`, id))
	b.do(chromedp.SendKeys(chromedp.CSS("#"+id), text))
}

// shows waits until an element has a text.
func (b *tab) shows(selector, text string) {
	b.Helper()
	b.waitFor(fmt.Sprintf(`document.querySelector(%q)?.innerText.replace(/\s+/g, " ").includes(%q)`, selector, text))
}

// rows returns a table, with a line a row.
func (b *tab) rows(selector string) []string {
	b.Helper()
	text := b.get(fmt.Sprintf(`[...document.querySelectorAll(%q)].map((row) => [...row.cells].map((cell) => cell.innerText.replace(/\s+/g, " ").trim()).join(" ").trim()).join("\n")`, selector+" tr"))
	return strings.Split(text, "\n")
}
