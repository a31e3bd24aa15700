package browsertest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// theBurst is the example of the description that the simulator began with.
var theBurst = []string{"0", "0.1", "0.2", "0.3", "0.4", "0.5", "1.5", "2.0", "2.1", "2.2", "5.0"}

// What the description says of it: number, time, cost, tokens before, allowed,
// tokens left, retry time.
var theTable = []string{
	"1 0 1 5 yes 4",
	"2 0.1 1 4.1 yes 3.1",
	"3 0.2 1 3.2 yes 2.2",
	"4 0.3 1 2.3 yes 1.3",
	"5 0.4 1 1.4 yes 0.4",
	"6 0.5 1 0.5 no 0.5 1",
	"7 1.5 1 1.5 yes 0.5",
	"8 2 1 1 yes 0",
	"9 2.1 1 0.1 no 0.1 3",
	"10 2.2 1 0.2 no 0.2 3",
	"11 5 1 3 yes 2",
}

func TestTheExampleTypedIn(t *testing.T) {
	b := open(t, desk, "#simulate?bucket=2&refill=3&t=7")
	b.shows("#simulate-headline", "1 of 1 request allowed")
	b.enter("bucket", "5")
	b.enter("refill", "1")
	b.enter("requests", strings.Join(theBurst, "\r"))
	b.shows("#simulate-headline", "8 of 11 requests allowed")
	if got := b.rows("#simulate-table tbody"); !slices.Equal(got, theTable) {
		t.Errorf("the table is\n%s", strings.Join(got, "\n"))
	}
	b.shows("#simulate-cards", "refused 3 (27.3 %) allowed on average 1.6/s largest burst 5 in 1 s at once from rest 5")
	b.waitFor(`document.querySelector("#simulate-charts canvas")`)
	b.shoot("simulate")
	b.look(night)
	b.shoot("simulate-dark")
	b.look(phone)
	b.shoot("simulate-phone")
}

func TestErrorsBesideTheirEntries(t *testing.T) {
	b := open(t, desk, "")
	b.shows("#simulate-headline", "8 of 11")
	b.enter("refill", "fast")
	b.shows("#refill-error", `"fast" is not a number.`)
	if got := b.get(`document.getElementById("refill").getAttribute("aria-invalid") + " " + document.getElementById("refill").getAttribute("aria-describedby")`); got != "true refill-error refill-hint" {
		t.Errorf("aria says %s", got)
	}
	b.enter("requests", "0, 1 # these, and\r# a comment\r  abc\r4")
	b.enter("refill", "1")
	b.shows("#requests-error", `Request 3: the time "abc" is not a number.`)
	if got := b.get(`document.querySelectorAll(".error").length`); got != "1" {
		t.Errorf("%s errors are shown, want 1: the other is mended", got)
	}
	b.shoot("error")
	b.do(chromedp.Click(chromedp.CSS("#requests-error button")))
	if got := b.get(`(() => { const e = document.activeElement; return e.value.slice(e.selectionStart, e.selectionEnd); })()`); got != "abc" {
		t.Errorf("%q is selected, want abc", got)
	}
	b.do(chromedp.KeyEvent("2"))
	b.shows("#simulate-headline", "4 of 4")
	b.enter("bucket", " ")
	b.shows("#bucket-error", "Bucket size is missing: want how many tokens it holds.")
}

// A link brings back what was seen, also of the models' own parameters.
func TestLink(t *testing.T) {
	b := open(t, desk, "#simulate?bucket=5&refill=1&start=2&window=2&m=token-bucket&m=gcra,tau=2&m=fixed-window,limit=3,window=2s,count_refused=true&t=0,0.5:2,1,1.5,4&from=0.25&to=2")
	state := func(b *tab) string {
		b.Helper()
		return b.get(`document.querySelector("#simulate .results").innerText`) +
			b.get(`[...document.querySelectorAll("#simulate-form :is(input:not([type=file]), select, textarea)")].map((e) => e.id + "=" + (e.type === "checkbox" ? e.checked : e.value)).join("\n")`)
	}
	b.shows("#simulate-headline", "5 requests at 3 models")
	first := state(b)
	for _, want := range []string{"Token bucket: 5 tokens, 1/s, 2 at the start", "GCRA: T 1 s, τ 2 s", "Fixed window: 3 in 2 s", "refused count", "start=2", "m1-tau=2", "m2-count_refused=true", "0.5:2"} {
		if !strings.Contains(strings.ReplaceAll(first, "\u00a0", " "), want) {
			t.Errorf("want %q in\n%s", want, first)
		}
	}
	b.shoot("side-by-side")
	link := b.get(`location.hash`)
	for _, part := range []string{"m=gcra,tau=2&", "t=0,0.5:2,1,1.5,4", "from=0.25&to=2"} {
		if !strings.Contains(link, part) {
			t.Errorf("the link %s has no %s", link, part)
		}
	}
	if again := state(open(t, desk, link)); again != first {
		t.Errorf("the link brings\n%s\nwant\n%s", again, first)
	}
}

// Back and forward go through what was seen, and tools keep their entries.
func TestTools(t *testing.T) {
	b := open(t, desk, "#backoff?attempts=3")
	b.shows("#backoff-headline", "3 attempts")
	b.do(chromedp.Click(chromedp.CSS(`nav a[href="#simulate"]`)))
	b.shows("#simulate-headline", "8 of 11")
	b.do(chromedp.Click(chromedp.CSS(`nav a[href="#backoff"]`)))
	b.waitFor(`location.hash === "#backoff?attempts=3" && !document.getElementById("backoff").hidden && document.getElementById("simulate").hidden`)
	if got := b.get(`document.title + document.querySelector("[aria-current]").innerText`); got != "Backoff · HeadwayBackoff" {
		t.Errorf("the page is called %s", got)
	}
	b.do(chromedp.NavigateBack())
	b.waitFor(`!document.getElementById("simulate").hidden`)
	b.do(chromedp.NavigateForward())
	b.waitFor(`!document.getElementById("backoff").hidden && document.getElementById("attempts").value === "3"`)
}

// All can be done without a mouse.
func TestKeyboard(t *testing.T) {
	b := open(t, desk, "")
	b.shows("#simulate-headline", "8 of 11")
	var order []string
	for range 13 {
		b.do(chromedp.KeyEvent(kb.Tab))
		order = append(order, b.get(`document.activeElement.id || document.activeElement.innerText`))
	}
	want := []string{
		"Skip to the content", "Simulate", "Tune", "Backoff", "bucket", "refill", "start", "m0-model", "Parameters of its own",
		"add-model", "requests", "requests-input", "example",
	}
	if !slices.Equal(order, want) {
		t.Errorf("the order of focus is %q, want %q", order, want)
	}
	b.get(`document.getElementById("add-model").focus()`)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.shows("#simulate-headline", "11 requests at 2 models")
	if got := b.get(`document.activeElement.id`); got != "m1-model" {
		t.Errorf("after a model was added, %s is in focus", got)
	}
	b.do(chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Enter)) // to remove it
	b.shows("#simulate-headline", "8 of 11")
	b.get(`document.querySelector("[aria-label='Zoom in']").focus()`)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.waitFor(`location.hash.includes("from=1.25&to=3.75")`)
	b.do(chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Enter)) // all of the time
	b.waitFor(`!location.hash.includes("from=")`)
}

// Each entry has a label, each figure and table a name.
func TestLabels(t *testing.T) {
	b := open(t, desk, "#simulate?bucket=5&refill=1&m=gcra&m=ticks,tick=1&t=0")
	b.shows("#simulate-headline", "1 request at 2 models")
	for _, expression := range []string{
		`[...document.querySelectorAll("input, select, textarea")].filter((e) => !e.labels.length && !e.ariaLabel).map((e) => e.id)`,
		`[...document.querySelectorAll("[role=img], [role=region], [role=group], nav, section")].filter((e) => !e.ariaLabel && !document.getElementById(e.getAttribute("aria-labelledby"))).map((e) => e.outerHTML)`,
		`[...document.querySelectorAll("table")].filter((e) => !e.caption?.innerText).map((e) => e.outerHTML)`,
		`[...document.querySelectorAll("button")].filter((e) => !e.ariaLabel && !e.innerText && e.checkVisibility()).map((e) => e.outerHTML)`,
		`(() => { const ids = [...document.querySelectorAll("[id]")].map((e) => e.id); return ids.filter((id, i) => ids.indexOf(id) !== i); })()`,
		`[...document.querySelectorAll("[aria-describedby]")].flatMap((e) => e.getAttribute("aria-describedby").split(" ")).filter((id) => !document.getElementById(id))`,
	} {
		if got := b.get(expression); got != "[]" {
			t.Errorf("%s: %s", expression, got)
		}
	}
}

// write returns a file of request times, half of which are refused.
func write(t *testing.T, requests int) string {
	t.Helper()
	var text strings.Builder
	for i := range requests {
		fmt.Fprintf(&text, "%d\n", i/2)
	}
	file := filepath.Join(t.TempDir(), "times.txt")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// A million requests are seen in pages, and in a curve that is short.
func TestManyRequests(t *testing.T) {
	b := open(t, desk, "#simulate?bucket=1&refill=1&m=token-bucket&m=gcra&t=0")
	b.do(chromedp.SetUploadFiles(chromedp.CSS("#requests-input"), []string{write(t, 1_000_000)}))
	b.shows("#simulate-headline", "1,000,000 requests at 2 models")
	b.shows("#simulate-cards", "500,000 of 1,000,000 allowed")
	b.shows("#requests-file", "times.txt 6.5 MiB")
	b.shows("#simulate-linked", "The link has the parameters, but not the requests")
	page := func(first string) {
		b.Helper()
		b.waitFor(fmt.Sprintf(`document.querySelector("#simulate-table tbody th").innerText === %q`, first))
		if got := b.get(`document.querySelectorAll("#simulate-table tbody tr").length`); got != "100" {
			t.Errorf("the page from %s has %s rows, want 100", first, got)
		}
	}
	page("1")
	for _, step := range []struct{ button, first string }{
		{"Next page", "101"}, {"Last page", "999,901"}, {"Page before", "999,801"}, {"First page", "1"}, {"Go to the next refused request", "102"},
	} {
		b.do(chromedp.Click(chromedp.CSS(fmt.Sprintf(`#simulate-table [aria-label=%q]`, step.button))))
		page(step.first)
	}
	b.enter("simulate-table-row", "500,000\r")
	page("500,000")
	b.shoot("million")
	b.do(chromedp.Click(chromedp.CSS(`[aria-label="Put the file away"]`)))
	b.shows("#simulate-headline", "1 request at 2 models")
}

// What is pasted and too much to be edited is kept as a file: with so many lines
// each key would take a second.
func TestLongPaste(t *testing.T) {
	b := open(t, desk, "")
	b.shows("#simulate-headline", "8 of 11")
	paste := func(text string) {
		b.Helper()
		b.get(fmt.Sprintf(`(() => {
			const data = new DataTransfer();
			data.setData("text", %q);
			document.getElementById("requests").dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
		})()`, text))
	}
	paste("7\n")
	if got := b.get(`document.getElementById("requests-file").hidden`); got != "true" {
		t.Error("a short text is kept as a file")
	}
	paste(strings.Repeat("1\n", 60_000))
	b.shows("#requests-file", "what was pasted 0.1 MiB")
	b.shows("#simulate-headline", "5 of 60,000 requests allowed")
}

// While a file is read the page says so, and lets one stop it.
func TestStopReading(t *testing.T) {
	for _, tt := range []struct{ tool, input string }{{"simulate", "requests-input"}, {"tune", "log"}} {
		b := open(t, desk, "#"+tt.tool)
		b.get(`window.fetch = (url, { signal }) => new Promise((_, fail) => signal.addEventListener("abort", () => fail(signal.reason)))`)
		b.do(chromedp.SetUploadFiles(chromedp.CSS("#"+tt.input), []string{write(t, 10)}))
		b.shows("#"+tt.tool+"-headline", "Reading times.txt… Stop")
		b.do(chromedp.Click(chromedp.CSS("#" + tt.tool + "-headline button")))
		b.shows("#"+tt.tool+"-headline", "Stopped.")
		if got := b.get(`document.activeElement.id`); got != tt.tool+"-headline" {
			t.Errorf("after that %q is in focus, want the headline", got)
		}
	}
}

func TestFileTooLarge(t *testing.T) {
	file := filepath.Join(t.TempDir(), "large.txt")
	if err := os.WriteFile(file, make([]byte, maxUpload+1), 0o600); err != nil {
		t.Fatal(err)
	}
	b := open(t, desk, "")
	b.shows("#simulate-headline", "8 of 11")
	b.do(chromedp.SetUploadFiles(chromedp.CSS("#requests-input"), []string{file}))
	b.shows("#requests-error", "Large.txt has 16.0 MiB, and no more than 16.0 MiB are taken here (--max-upload).")
	b.do(chromedp.Click(chromedp.CSS(`nav a[href="#tune"]`)))
	b.shows("#tune-headline", "Choose a log, or drop it beside.")
	b.do(chromedp.SetUploadFiles(chromedp.CSS("#log"), []string{file}))
	b.shows("#log-error", "no more than 16.0 MiB are taken here")
}
