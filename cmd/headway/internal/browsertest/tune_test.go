package browsertest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// accessLog is of 20 clients that load a page of 9 calls every minute, and of one
// that logs in; one line of it is none.
func accessLog() string {
	var log strings.Builder
	begin := time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)
	for minute := range 30 {
		for client := range 20 {
			at := begin.Add(time.Duration(minute)*time.Minute + time.Duration(client)*time.Second)
			for call := range 9 {
				fmt.Fprintf(&log, "10.0.0.%d - - [%s] \"GET /widgets/%d HTTP/1.1\" 200 1\n", client, at.Format("02/Jan/2006:15:04:05 -0700"), call)
			}
		}
		fmt.Fprintf(&log, "10.0.1.1 - - [%s] \"POST /login HTTP/1.1\" 200 1\n", begin.Add(time.Duration(minute)*time.Minute+30*time.Second).Format("02/Jan/2006:15:04:05 -0700"))
	}
	return log.String() + "this is no call\n"
}

// drop drops a file as the mouse does.
func (b *tab) drop(selector, name, text string) {
	b.Helper()
	b.get(fmt.Sprintf(`(() => {
		const data = new DataTransfer();
		data.items.add(new File([%q], %q));
		for (const type of ["dragenter", "dragover", "drop"]) {
			document.querySelector(%q).dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
		}
	})()`, text, name, selector))
}

func TestTuneFromADroppedLog(t *testing.T) {
	b := open(t, desk, "#tune?limit=60/1m&rules=POST+/login%3Dlogin")
	b.shows("#tune-results", "The tolerance for each type of client")
	b.drop("#log-drop", "access.log", accessLog())
	b.shows("#tune-headline", "5,430 calls of 21 clients")
	b.shows("#tune-results .figures", "burst to allow 12 calls at once (τ/T = 11) T 1 s τ 11 s, 18.3 % of the window cluster at the percentile 9")
	b.shows("#tune-results", "1 line of access.log could not be read, and is left out")
	classes := b.rows(`#tune-results .named tbody`)
	if len(classes) != 2 || !strings.HasPrefix(classes[0], "GET /widgets/{id} interactive 5,400 9 12 11 11 s 18.3 % 8") || !strings.HasPrefix(classes[1], "POST /login login 30 1 2 1 1 s 1.7 %") {
		t.Errorf("the classes are %q", classes)
	}
	b.shoot("tune")
	b.do(chromedp.SetValue(chromedp.CSS("#class"), "2"))
	b.get(`document.getElementById("class").dispatchEvent(new Event("change"))`)
	b.waitFor(`document.querySelector("#tune-results [aria-label^='How many clusters'] canvas")`)
	tried := b.rows(`#tune-results [aria-label="The bursts that were tried"] tbody`)
	if !slices.ContainsFunc(tried, func(row string) bool { return strings.HasPrefix(row, "0 1 0 s 0 0 %") }) {
		t.Errorf("for POST /login were tried %q", tried)
	}
}

func TestTuneFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "access.log")
	if err := os.WriteFile(file, []byte(accessLog()), 0o600); err != nil {
		t.Fatal(err)
	}
	b := open(t, phone, "#tune")
	b.do(chromedp.SetUploadFiles(chromedp.CSS("#log"), []string{file}))
	b.shows("#tune-headline", "5,430 calls of 21 clients")
	if got := b.get(`document.documentElement.scrollWidth - document.documentElement.clientWidth`); got != "0" {
		t.Errorf("the report is wider than the phone by %s", got)
	}
	b.shoot("tune-phone")
	b.enter("limit", "120/1m\r")
	b.shows("#tune-results .figures", "T 500 ms")
	b.waitFor(`location.hash === "#tune?limit=120/1m"`)
}

func TestTuneErrors(t *testing.T) {
	b := open(t, desk, "#tune?gap=x&candidates=4,y,z")
	b.do(chromedp.Click(chromedp.CSS("#tune-form .main")))
	b.shows("#log-error", "Choose a log first.")
	b.drop("#log-drop", "nothing.log", "nothing that anybody could read\n")
	b.shows("#gap-error", `"x" is not a length of time above zero, such as 1m30s or 90.`)
	b.shows("#candidates-error", `"y" is not a whole number. "z" is not a whole number.`)
	if got := b.get(`document.querySelectorAll("#candidates-error").length`); got != "1" {
		t.Errorf("there are %s errors of one name", got)
	}
	b.enter("gap", "1")
	b.enter("candidates", "4,9")
	b.do(chromedp.Click(chromedp.CSS("#tune-form .main")))
	b.shows("#log-error", "No format fits the first lines")
	if got := b.get(`document.activeElement.id`); got != "log" {
		t.Errorf("%s is in focus, want the entry that is wrong", got)
	}
	b.shoot("tune-error")
}

func TestBackoffSchedule(t *testing.T) {
	b := open(t, desk, "#backoff")
	b.shows("#backoff-headline", "1.4 s at worst until 4 attempts have failed, 1.05 s on average")
	if got, want := b.rows("#backoff-schedules tbody"), []string{
		"1 100 ms 150 ms 200 ms 100 ms 150 ms 200 ms always",
		"2 200 ms 300 ms 400 ms 300 ms 450 ms 600 ms always",
		"3 400 ms 600 ms 800 ms 700 ms 1.05 s 1.4 s always",
	}; !slices.Equal(got, want) {
		t.Errorf("the schedule is %q, want %q", got, want)
	}
	b.enter("retry_after", "3s")
	b.enter("attempts", "6")
	b.shows("#backoff-headline", "16.5 s at worst until 6 attempts have failed, 15.75 s on average, if it is asked to wait 3 s each time")
	if got := b.get(`document.querySelectorAll("#backoff-schedules canvas").length + " " + location.hash`); got != "2 #backoff?attempts=6&retry_after=3s" {
		t.Errorf("charts and link: %s", got)
	}
	b.shoot("backoff")
	b.enter("initial", "1m")
	b.enter("max", "1s")
	b.shows("#initial-error", "is longer than Max, 1s")
}
