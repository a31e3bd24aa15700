package browsertest

import (
	"testing"
)

var links = []string{
	"#simulate", "#simulate?bucket=5&refill=1&m=token-bucket&m=gcra,t=1s,tau=4s&m=sliding-counter,window=90s&t=0,0.1,0.2,0.3:3,7",
	"#simulate?bucket=x&refill=averyveryverylongwordthatisnonumberatall&t=0", "#tune", "#backoff?retry_after=3s&attempts=20", "#backoff?jitter=x",
}

// On a phone nothing is wider than the screen: tables scroll by themselves.
func TestPhone(t *testing.T) {
	for _, s := range []screen{phone, {320, 568, false}} {
		for _, link := range links {
			b := open(t, s, link)
			if got := b.get(`document.documentElement.scrollWidth - document.documentElement.clientWidth`); got != "0" {
				t.Errorf("on %d pixels, %s is wider by %s", s.width, link, got)
			}
			if got := b.get(`visualViewport.width`); got != b.get(`document.documentElement.clientWidth`) {
				t.Errorf("on %d pixels, %s is seen on %s", s.width, link, got)
			}
		}
	}
}

// In the dark all is dark, also what is drawn already.
func TestDark(t *testing.T) {
	brightness := func(b *tab, colour string) string {
		b.Helper()
		return b.get(`(() => { const [r, g, b] = ` + colour + `.match(/\d+/g).map(Number); return r + g + b < 384 ? "dark" : "light"; })()`)
	}
	back := `getComputedStyle(document.body).backgroundColor`
	ink := `getComputedStyle(document.querySelector("#bucket")).color`
	picture := `document.querySelector("canvas").toDataURL()`
	b := open(t, night, "")
	b.shows("#simulate-headline", "8 of 11")
	if brightness(b, back) != "dark" || brightness(b, ink) != "light" {
		t.Errorf("at night %s on %s", b.get(ink), b.get(back))
	}
	dark := b.get(picture)
	b.look(desk)
	b.waitFor(picture + ` !== ` + "`" + dark + "`")
	if brightness(b, back) != "light" || brightness(b, ink) != "dark" {
		t.Errorf("by day %s on %s", b.get(ink), b.get(back))
	}
}

// What is written can be read: the contrast is 4.5 to 1 or more (WCAG 2.1, 1.4.3).
func TestContrast(t *testing.T) {
	const measure = `(() => {
		const style = getComputedStyle(document.documentElement);
		const light = (name) => {
			const [r, g, b] = style.getPropertyValue(name).match(/\w\w/g).map((c) => parseInt(c, 16) / 255)
				.map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
			return 0.2126 * r + 0.7152 * g + 0.0722 * b;
		};
		const contrast = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
		const pairs = [];
		for (const ink of ["--ink", "--soft", "--accent", "--good", "--bad"]) for (const back of ["--bg", "--panel"]) pairs.push([ink, back]);
		pairs.push(["--bad", "--bad-back"], ["--ink", "--bad-back"], ["--accent-ink", "--accent"]);
		return pairs.filter(([a, b]) => contrast(a, b) < 4.5).map(([a, b]) => a + " on " + b + " " + contrast(a, b).toFixed(2));
	})()`
	b := open(t, desk, "")
	for _, s := range []screen{desk, night} {
		b.look(s)
		if got := b.get(measure); got != "[]" {
			t.Errorf("dark %t: %s", s.dark, got)
		}
	}
}
