package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

const noon = "--now=2026-11-30T15:00:00Z"

// The whole output, of heads as servers send them.
func TestExplainGolden(t *testing.T) {
	for _, name := range []string{"github", "ietf", "spring", "openai", "retryafter", "nothing"} {
		t.Run(name, func(t *testing.T) {
			out, status := headway(t, "", "explain", noon, "testdata/"+name+".txt")
			if status != ok {
				t.Fatalf("status %d: %s", status, out)
			}
			golden(t, name+".golden", out)
		})
	}
	out, _ := headway(t, "", "explain", noon, "--json", "testdata/ietf.txt")
	golden(t, "ietf.json", out)
	out, _ = headway(t, "", "explain", "testdata/sample.har")
	golden(t, "har.golden", out)
}

func explainJSON(t *testing.T, stdin string, args ...string) explanationJSON {
	t.Helper()
	out, status := headway(t, stdin, append([]string{"explain", "--json", noon}, args...)...)
	var x explanationJSON
	if err := json.Unmarshal([]byte(out), &x); err != nil || status != ok {
		t.Fatalf("explain %q of %q: status %d, %v: %s", args, stdin, status, err, out)
	}
	return x
}

// What follows from a response, in numbers that can be worked out by hand.
func TestSchedule(t *testing.T) {
	const bucket = "X-RateLimit-Replenish-Rate: 10\nX-RateLimit-Burst-Capacity: 20\n"
	for _, tt := range []struct {
		name, head string
		args       string
		next, all  float64
		known      int
		unknown    string
	}{
		{"nothing", "A: b", "", 0, 0, 100, ""},
		{"refused", "HTTP/1.1 429 Slow down\nRetry-After: 7", "", 7, 7, 100, ""},
		{"refused by a flag", "Retry-After: 7", "--status=429", 7, 7, 100, ""},
		{"unavailable", "HTTP/1.1 503 Later\nRetry-After: 7", "", 7, 7, 100, ""},
		{"no refusal", "HTTP/1.1 202 Accepted\nRetry-After: 7", "", 0, 0, 100, ""},
		{"refused without a hint", "HTTP/1.1 429 Slow down", "", 0.1, 0.1, 100, ""},
		{"refused until the reset", "HTTP/1.1 429 No\nX-RateLimit-Limit: 5000\nX-RateLimit-Remaining: 0\nX-RateLimit-Reset: 60", "", 61, 61, 100, ""},
		// 19 calls are left, of which one falls to the 50 ms kept back.
		{"bucket", bucket + "X-RateLimit-Remaining: 19", "", 0, 8.1, 100, ""},
		{"empty bucket", bucket + "X-RateLimit-Remaining: 0", "", 0.1, 10, 100, ""},
		{"burst by a flag", "RateLimit-Policy: 100;w=10\nRateLimit-Limit: 100", "--burst=20", 0, 8.1, 100, ""},
		{"window is hidden", "X-RateLimit-Limit: 10\nX-RateLimit-Remaining: 0\nX-RateLimit-Reset: 9.5", "", 9.5, 9.5, 5, noWindow},
		{"limit is hidden", "X-RateLimit-Remaining: 1\nX-RateLimit-Reset: 9.5", "", 0, 9.5, 2, noLimit},
		{"nothing is left of a hidden limit", "X-RateLimit-Remaining: 0\nX-RateLimit-Reset: 9.5", "", 9.5, 9.5, 1, noLimit},
		{"other units", "X-RateLimit-Limit-Tokens: 10\nX-RateLimit-Remaining-Tokens: 0\nX-RateLimit-Reset-Tokens: 9", "", 0, 0, 100, ""},
	} {
		x := explainJSON(t, tt.head, strings.Fields(tt.args)...)
		s := x.Schedule
		if s.CallsKnown != tt.known || !near(s.NextCall, tt.next) || !near(s.CallsSeconds, tt.all) || text(s.Unknown) != tt.unknown {
			t.Errorf("%s: next %v, all %v, %d known, %q; want %v, %v, %d, %q", tt.name,
				text(s.NextCall), text(s.CallsSeconds), s.CallsKnown, text(s.Unknown), tt.next, tt.all, tt.known, tt.unknown)
		}
	}
}

// A window that is published, or given, lets the schedule go on past the reset.
func TestScheduleWindow(t *testing.T) {
	const head = "X-RateLimit-Limit: 10\nX-RateLimit-Remaining: 0\nX-RateLimit-Reset: 9.5"
	x := explainJSON(t, head, "--window=10s")
	// At 9.5 s the first of ten windows begins. Of each, one half goes at once
	// and the rest is spread, so the last call goes within the tenth.
	if got := x.Schedule.CallsSeconds; x.Schedule.CallsKnown != 100 || got == nil || *got < 99.5 || *got > 109.5 {
		t.Errorf("100 calls take %v s, of which %d are known, want 99.5 to 109.5", text(got), x.Schedule.CallsKnown)
	}
}

// near allows for what the schedule keeps back for the network.
func near(got *float64, want float64) bool {
	return got != nil && *got > want-0.001 && *got < want+0.06
}

func text[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// Bad input gets an error that says where.
func TestBadInput(t *testing.T) {
	long := strings.Repeat("a", 2_000_000)
	for _, tt := range []struct{ name, in, args, want string }{
		{"empty", "", "", "stdin:1: empty"},
		{"blank", "\r\n\r\n", "", "stdin:2: empty"},
		{"text", "hello\n", "", "stdin:1: neither a status line nor a header field"},
		{"markup", "<!DOCTYPE html>\n", "", "stdin:1: neither"},
		{"request", "GET / HTTP/1.1\n", "", "stdin:1: neither"},
		{"status line", "HTTP/1.1 OK\n", "", "stdin:1: not a status line"},
		{"binary", "\x7fELF\x02\x01\x01\x00\x00", "", "stdin:1: neither"},
		{"binary value", "HTTP/2 200\nA: b\nC: \x00\x01\n", "", "stdin:3: the value of the header field has control characters"},
		{"binary fold", "A: b\n \x00\n", "", "stdin:2: the header field has control characters"},
		{"fold of nothing", " a: b\n", "", "stdin:1: neither"},
		{"long line", "HTTP/1.1 200 OK\nA: b\nX: " + long, "", "stdin:3: longer than 64 KiB"},
		{"long fold", "A: b\n" + strings.Repeat(" "+long[:50_000]+"\n", 2), "", "stdin:3: the header field is longer"},
		{"long head", strings.Repeat("A: "+long[:997]+"\n", 1100), "", "stdin:1048: the heads are longer than 1 MiB"},
		{"no file", "", "no/such/file", "no/such/file: no such file or directory"},
		{"folder", "", "testdata", "testdata: is a directory"},
		{"array", "[]", "", "stdin:1: a JSON array: --batch reads those"},
		{"object", `{"a": 1}`, "", "stdin:1: a HAR file is an object with log.entries, and this one has none"},
		{"log", `{"log": {}}`, "", "stdin:1: a HAR file is an object with log.entries, and this one has none"},
		{"log of another type", `{"log": 1}`, "", "stdin:1: a HAR file is an object with log.entries: want a JSON object"},
		{"entries of another type", `{"log": {"entries": {}}}`, "", "stdin:1: log.entries: want a JSON array"},
		{"no entries", `{"log": {"entries": []}}`, "", "stdin:1: log.entries is empty"},
		{"bad entry", "{\"log\":\n{\"entries\":\n[{},\n{\"a\":]}}", "", "stdin:4: entry 2: invalid character ']'"},
		{"entry of another type", `{"log": {"entries": [{}, {"response": {"status": "x"}}]}}`, "", "stdin:1: entry 2: response.status is a JSON string"},
		{"half a HAR", `{"log": {"entries": [{}, {"response"`, "", "stdin:1: entry 2: the JSON ends too early"},
		{"half an object", `{`, "", "the JSON ends too early"},
		{"batch of nothing", "", "--batch", "stdin:1: the array: the JSON ends too early"},
		{"batch of text", "HTTP/1.1 200 OK", "--batch", "stdin:1: the array: invalid character 'H'"},
		{"batch of an object", "{}", "--batch", "stdin:1: the array: want a JSON array"},
		{"half a batch", `[{"id": 1}`, "--batch", "the JSON ends too early"},
		{"more than a batch", `[{"id": 1}] x`, "--batch", "after the array: invalid character 'x'"},
		{"two batches", `[] []`, "--batch", "the array: there is more after it"},
		{"not a pair", `[{}, {"headers": [["a"]]}]`, "--batch", "stdin:1: response 2: headers: want pairs"},
		{"bad pairs", `[{"headers": {"a": "b"}}]`, "--batch", "stdin:1: response 1: headers is a JSON object"},
		{"bad time", "[{},\n{\"now\": \"today\"}]", "--batch", "stdin:2: response 2: today is no instant"},
		{"escapes", "", "no\x1b[2J", "no·[2J: no such file"},
	} {
		out, status := headway(t, tt.in, append([]string{"explain"}, strings.Fields(tt.args)...)...)
		if status != badRequest || !strings.HasPrefix(out, "headway: ") || !strings.Contains(out, tt.want) || len(out) > 300 {
			t.Errorf("%s: status %d, %.300q, want 2, %q", tt.name, status, out, tt.want)
		}
	}
}

// An endless input is not read to its end.
func TestEndlessInput(t *testing.T) {
	var stdout, stderr strings.Builder
	status := run(t.Context(), []string{"explain", "--batch"}, &endless{"[", `"a",`}, &stdout, &stderr)
	if status != badRequest {
		t.Errorf("status %d: %s", status, stderr.String())
	}
	status = run(t.Context(), []string{"explain"}, &endless{`{"log": "`, "aaaaaaaaaaaaaaaa"}, &stdout, &stderr)
	if status != badRequest || !strings.Contains(stderr.String(), "longer than 128 MiB") {
		t.Errorf("status %d: %s", status, stderr.String())
	}
}

type endless struct{ first, then string }

func (e *endless) Read(p []byte) (int, error) {
	if n := copy(p, e.first); n > 0 {
		e.first = e.first[n:]
		return n, nil
	}
	n := 0
	for n+len(e.then) <= len(p) {
		n += copy(p[n:], e.then)
	}
	return n, nil
}

func TestOverrideFlags(t *testing.T) {
	const head = "X-RateLimit-Limit: 10\nX-RateLimit-Remaining: 5\nX-RateLimit-Reset: 600000"
	p := explainJSON(t, head).Policies[0]
	if !near(p.Reset, 600000) || p.Window != nil || p.Burst != nil {
		t.Errorf("without flags: %+v", p)
	}
	p = explainJSON(t, head, "--reset-unit=ms", "--window=1h", "--burst=3").Policies[0]
	if !near(p.Reset, 600) || !near(p.Window, 3600) || !near(p.Burst, 3) {
		t.Errorf("with flags: %+v", p)
	}
	out, _ := headway(t, `[{"headers": [["X-RateLimit-Limit", "10"], ["X-RateLimit-Reset", "600000"]]}]`, "explain", "--batch", "--reset-unit=ms")
	if !strings.Contains(out, `"reset_seconds": 600,`) {
		t.Errorf("--batch without the override: %s", out)
	}
}

// Nothing but the fields that speak of limits is shown.
func TestHARSecrets(t *testing.T) {
	for _, args := range [][]string{{"explain", "testdata/sample.har"}, {"explain", "--json", "testdata/sample.har"}} {
		out, status := headway(t, "", args...)
		if status != ok || !strings.Contains(out, "/users/7") || strings.Contains(out, "s3cr3t") {
			t.Errorf("headway %q: status %d: %s", args, status, out)
		}
	}
}

func TestHARNothing(t *testing.T) {
	const har = `{"log": {"entries": [{"request": {"url": "http://a/"}, "response": {"status": 200, "headers": []}}]}}`
	if out, _ := headway(t, har, "explain"); out != "stdin: 1 entries, and none publishes a limit\n" {
		t.Errorf("explain: %q", out)
	}
	if out, _ := headway(t, har, "explain", "--json"); out != "[]\n" {
		t.Errorf("explain --json: %q", out)
	}
}

// What a server sends must not reach the terminal as it is.
func TestExplainEscapes(t *testing.T) {
	har, err := json.Marshal(map[string]any{"log": map[string]any{"entries": []any{map[string]any{
		"request": map[string]any{"url": "http://a/"},
		"response": map[string]any{"status": 200, "headers": []any{
			map[string]string{"name": "X-RateLimit-Limit", "value": "\x1b[2J\u202e"},
		}},
	}}}})
	if err != nil {
		t.Fatal(err)
	}
	out, status := headway(t, string(har), "explain")
	if status != ok || strings.ContainsAny(out, "\x1b\u202e") || !strings.Contains(out, "X-Ratelimit-Limit: ·[2J·") {
		t.Errorf("status %d: %q", status, out)
	}
}

// Whatever the input, there is an answer, or an error of one line.
func FuzzExplain(f *testing.F) {
	for _, file := range []string{"github.txt", "ietf.txt", "spring.txt", "openai.txt", "retryafter.txt", "sample.har"} {
		data, err := os.ReadFile("testdata/" + file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data), file == "openai.txt")
	}
	f.Add(`[{"id": 1, "now": "2026-11-30T15:00:00Z", "headers": [["RateLimit-Limit", "5"], ["Retry-After", "1"]]}]`, true)
	f.Add("HTTP/1.1 429 No\nRateLimit: \"a\";r=999999999999999;t=999999999999999\nRateLimit-Policy: \"a\";q=1;w=1", false)
	f.Fuzz(func(t *testing.T, text string, batch bool) {
		form := "--json"
		if batch {
			form = "--batch"
		}
		for _, args := range [][]string{{"explain", form}, {"explain"}} {
			out, status := headway(t, text, args...)
			if status == ok && len(args) > 1 && !json.Valid([]byte(out)) || status != ok && status != badRequest {
				t.Errorf("headway %q of %q: status %d: %s", args, text, status, out)
			}
		}
	})
}
