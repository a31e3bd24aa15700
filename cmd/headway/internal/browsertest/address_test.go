package browsertest

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Whatever a link has in place of a tool, the page is there.
func TestLinkToNoTool(t *testing.T) {
	for _, link := range []string{"#nothing", "#constructor", "#__proto__", "#%"} {
		b := open(t, desk, link)
		b.shows("#simulate-headline", "8 of 11 requests allowed")
	}
}

// The skip link leads to the content of the tool that is shown, not to another.
func TestSkipToTheContent(t *testing.T) {
	b := open(t, desk, "#backoff?attempts=3")
	b.shows("#backoff-headline", "3 attempts")
	b.do(chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Enter))
	b.waitFor(`document.activeElement.id === "content"`)
	if got := b.get(`location.hash + document.getElementById("backoff").hidden`); got != "#backoff?attempts=3false" {
		t.Errorf("it leads to %s", got)
	}
}

// Who goes to another tool right after typing stays there.
func TestAnswerToAToolThatIsLeft(t *testing.T) {
	b := open(t, desk, "")
	b.shows("#simulate-headline", "8 of 11")
	b.get(`document.getElementById("bucket").value = "1"`)
	b.get(`document.getElementById("bucket").dispatchEvent(new Event("input", { bubbles: true })), document.querySelector('nav a[href="#tune"]').click()`)
	b.shows("#tune", "Choose a log")
	b.waitFor(`document.getElementById("simulate-headline").textContent.startsWith("3 of 11")`)
	if got := b.get(`location.hash`); got != "#tune" {
		t.Errorf("the address is that of %s", got)
	}
	b.do(chromedp.Click(chromedp.CSS(`nav a[href="#simulate"]`)))
	b.waitFor(`location.hash.startsWith("#simulate?bucket=1&")`)
}

// A box shows what the link says, also where it says no.
func TestLinkWithABoxThatIsOff(t *testing.T) {
	b := open(t, desk, "#simulate?bucket=1&refill=1&m=gcra,count_refused=false&t=0,0,1.5")
	b.shows("#simulate-headline", "2 of 3")
	if got := b.get(`document.getElementById("m0-count_refused").checked`); got != "false" {
		t.Errorf("the box is checked: %s", got)
	}
}

// A link cannot bring a file, but it keeps telling which.
func TestLinkWithAFile(t *testing.T) {
	b := open(t, desk, "#simulate?bucket=1&refill=1&file=times.txt")
	b.shows("#requests-error", "The times were in the file times.txt, which a link cannot bring")
	if got := b.get(`location.hash`); got != "#simulate?bucket=1&refill=1&m=token-bucket&file=times.txt" {
		t.Errorf("the link is %s", got)
	}
	b.enter("requests", "0")
	b.waitFor(`location.hash.endsWith("&t=0")`)
}
