package examples

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/throttle/throttletest"
	"github.com/headway-go/headway/transport"
	"golang.org/x/time/rate"
)

// What README.md and the guides show is taken from these files, word for word:
// so it compiles, and what can be run without calling anybody is run.
func TestGuidesShowTheseFiles(t *testing.T) {
	for page, files := range map[string][]string{
		"../README.md":           {"readme_test.go", "../throttle/redisstore/example_test.go"},
		"../docs/knobs.md":       {"guides_test.go", "readme_test.go"},
		"../docs/coming-from.md": {"guides_test.go", "readme_test.go"},
	} {
		var source string
		for _, file := range files {
			source += read(t, file)
		}
		blocks := goBlocks(read(t, page))
		if len(blocks) == 0 {
			t.Errorf("%s has no Go", page)
		}
		for _, block := range blocks {
			if !strings.Contains(source, block) && !strings.Contains(source, indent(block)) {
				t.Errorf("%s shows what is not in %v:\n%s", page, files, block)
			}
		}
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// goBlocks returns what stands between ```go and ```.
func goBlocks(markdown string) (blocks []string) {
	for i, part := range strings.Split("\n"+markdown, "\n```") {
		// Every other fence closes a block.
		if code, ok := strings.CutPrefix(part, "go\n"); ok && i%2 == 1 {
			blocks = append(blocks, code+"\n")
		}
	}
	return blocks
}

// indent is block as the inside of a function.
func indent(block string) (text string) {
	for line := range strings.Lines(block) {
		if line != "\n" {
			line = "\t" + line
		}
		text += line
	}
	return text
}

func TestGoBlocks(t *testing.T) {
	got := goBlocks("```sh\ngo test\n```\ntext\n```go\na\n\n\tb\n```\n```\nc\n```\n")
	if want := "a\n\n\tb\n"; len(got) != 1 || got[0] != want {
		t.Errorf("goBlocks = %q, want %q", got, want)
	}
	if got, want := indent("a\n\n\tb\n"), "\ta\n\n\t\tb\n"; got != want {
		t.Errorf("indent = %q, want %q", got, want)
	}
}

func Example_wrapAClient() {
	client := &http.Client{Transport: &transport.Transport{}}
	client.CloseIdleConnections()
}

func Example_limitsByHand() {
	t := &transport.Transport{
		Limits: transport.Limits{ // the patterns of http.ServeMux
			"api.example.com/":           {{Rate: 10, Burst: 5}},                     // 10 a second, 5 at once
			"POST api.example.com/login": {{Rate: rate.Every(time.Minute)}},          // one a minute
			"reports.example.com/":       {throttle.Per(5000, 24*time.Hour)},         // never more in any 24 hours
			"search.example.com/":        {{Rate: 5}, throttle.Per(1000, time.Hour)}, // both
		},
		MaxConcurrent: 8,                // calls under way at once, to the end of the body
		MaxWait:       30 * time.Second, // a call that would wait longer is refused at once
		MaxAttempts:   4,                // 1 is: never send again
	}
	fmt.Println(t.Validate())
	// Output: <nil>
}

func Example_readAnError() {
	client := &http.Client{Transport: &transport.Transport{
		Limits:  transport.Limits{"api.example.com/": {{Rate: rate.Every(time.Hour)}}},
		MaxWait: time.Minute,
		Base:    noNetwork{},
	}}
	fmt.Println(fetch(client, "https://api.example.com/1"))
	fmt.Println(fetch(client, "https://api.example.com/2"))
	// Output:
	// <nil>
	// api.example.com: the limit asks for 1h0m0s
}

func fetch(client *http.Client, url string) error {
	resp, err := client.Get(url)
	if wait, ok := errors.AsType[*throttle.WaitError](err); ok {
		// Not sent, and nothing used up. Come back at wait.At.
		return fmt.Errorf("%s: the %s asks for %v", wait.Key, wait.Cause, wait.Wait.Round(time.Minute))
	}
	if err != nil {
		return err // of the network
	}
	defer resp.Body.Close() // a 429 that was the last word comes back as a response
	return nil
}

type noNetwork struct{}

func (noNetwork) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
}

func Example_inPlaceOfXTimeRate() {
	fmt.Println(work(context.Background()))
	// Output: <nil>
}

func work(ctx context.Context) error {
	lim := throttle.NewLimiter(rate.Every(100*time.Millisecond), 5) // was rate.NewLimiter
	if err := lim.Wait(ctx); err != nil {
		return err
	}
	lim.SetLimit(20) // those who sleep in Wait are planned anew
	return nil
}

// README.md names this one for others to copy.
func TestClientKeepsTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := throttletest.NewMemoryServer(t, throttletest.Config{Rate: 10, Burst: 5})
		client := &http.Client{Transport: &transport.Transport{Base: srv.Client().Transport}}
		for range 105 { // ten seconds, which take milliseconds
			resp, err := client.Get(srv.URL)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
		}
		if n := srv.Refused(); n != 0 {
			t.Errorf("the server refused %d calls, want 0", n)
		}
	})
}
