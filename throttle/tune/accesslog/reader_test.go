package accesslog

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// read reads a whole log.
func read(t *testing.T, log string, o Options) (calls []string, tally Tally) {
	t.Helper()
	r, err := NewReader("a.log", strings.NewReader(log), o)
	if err != nil {
		t.Fatal(err)
	}
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			return calls, r.Tally()
		}
		if err != nil {
			t.Fatal(err)
		}
		calls = append(calls, show(e))
	}
}

// show leaves out what is unknown.
func show(e *Entry) string {
	text := e.At.Format("2006-01-02T15:04:05.999999999Z")
	for _, part := range []struct {
		name  string
		value []byte
	}{{"client", e.Client}, {"user", e.User}, {"host", e.Host}, {"method", e.Method}, {"path", e.Path}, {"class", e.Class}, {"agent", e.Agent}} {
		if len(part.value) > 0 {
			text += fmt.Sprintf(" %s=%s", part.name, part.value)
		}
	}
	if e.Status != 0 {
		text += fmt.Sprint(" status=", e.Status)
	}
	if e.Cost != 1 {
		text += fmt.Sprint(" cost=", e.Cost)
	}
	if e.Repeated {
		text += " again"
	}
	return text
}

func packedByGzip(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, text)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Each format is found out from the log, and each call is read.
func TestFormats(t *testing.T) {
	for _, tt := range []formatCase{
		{"common", Common, `127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /a/b?c=d HTTP/1.0" 200 2326`,
			[]string{"2000-10-10T20:55:36Z client=127.0.0.1 user=frank method=GET path=/a/b status=200"}},
		{"combined", Common, `2001:db8::1 - - [01/Jan/2026:00:00:00 +0000] "POST https://u@x.org/a#b HTTP/2.0" 401 - "-" "curl/8.5 \"x\"" "10.0.0.1"`,
			[]string{`2026-01-01T00:00:00Z client=2001:db8::1 host=x.org method=POST path=/a agent=curl/8.5 \"x\" status=401`}},
		{"virtual host", Common, `x.org:443 10.0.0.1 - Jane Roe [01/Jan/2026:00:00:00.250 +0530] "-" 408 0 "-" "-"`,
			[]string{"2025-12-31T18:30:00.25Z client=10.0.0.1 user=Jane Roe host=x.org:443 status=408"}},
		{"no HTTP", Common, `10.0.0.1 - - [01/Jan/2026:00:00:00 +0000] "\x16\x03\x01" 400 150 "-" "-"`,
			[]string{"2026-01-01T00:00:00Z client=10.0.0.1 status=400"}},
		{"seconds since 1970 in brackets", Common, `10.0.0.1 - - [1700000000.123] "GET / HTTP/1.1" 200 1`,
			[]string{"2023-11-14T22:13:20.123Z client=10.0.0.1 method=GET path=/ status=200"}},
		{"what a Transport records", JSON, `{"time":"2026-01-02T03:04:05.500000006Z","key":"api.example.com","class":"GET /a","cost":3,"attempt":2,"wait_s":0.5,"status":429,"more":{"time":"x"}}`,
			[]string{"2026-01-02T03:04:05.000000006Z client=api.example.com class=GET /a status=429 cost=3 again"}},
		{"the likeliest of several names", JSON, `{"ts":5,"time":1,"date":7,"ip":"a","key":"b","client":"c"}`, []string{"1970-01-01T00:00:01Z client=b"}},
		{"attempts that are none of a Transport", JSON, `{"time":1,"attempt":2}`, []string{"1970-01-01T00:00:01Z"}},
		{"nginx in JSON", JSON, `{"msec":"1700000000.123","remote_addr":"10.0.0.1","remote_user":"-","request":"GET /a HTTP/1.1","status":"200","http_user_agent":"a\u0062\"c"}`,
			[]string{`2023-11-14T22:13:20.123Z client=10.0.0.1 method=GET path=/a agent=ab"c status=200`}},
		{"Caddy", JSON, ` {"level":"info","ts":1646861401.5,"request":{"remote_ip":"::1","method":"GET","uri":"/x?y","host":"h","headers":{"User-Agent":["curl/7"],"Accept":[]}},"user_id":"","status":200} `,
			[]string{"2022-03-09T21:30:01.5Z client=::1 host=h method=GET path=/x agent=curl/7 status=200"}},
		{"names with a dot", JSON, `{"@timestamp":"2026-01-01T00:00:00+02:00","source.ip":"10.0.0.1","user.name":null,"url.path":"/a","Time":[1]}`,
			[]string{"2025-12-31T22:00:00Z client=10.0.0.1 path=/a"}},
		{"CSV", CSV, "\xef\xbb\xbfTime,Client_IP,Path,status\r\n2026-01-01 00:00:00,\"a,\"\"b\"\"\",/x,200\r\n\r\n2026-01-01 00:00:01,,,\r\n",
			[]string{`2026-01-01T00:00:00Z client=a,"b" path=/x status=200`, "2026-01-01T00:00:01Z"}},
		{"CSV with tabs", CSV, "user\ttime\n\t1700000000\nbob\t1700000001\n",
			[]string{"2023-11-14T22:13:20Z", "2023-11-14T22:13:21Z user=bob"}},
		{"CSV without a header", CSV, "7;2026-01-01T00:00:00Z;alice;x\n8;2026-01-01T00:00:01Z;bob;x\n",
			[]string{"2026-01-01T00:00:00Z client=alice", "2026-01-01T00:00:01Z client=bob"}},
		{"HAR", HAR, "{\n \"log\": {\"version\":\"1.2\",\"entries\":[\n{\"startedDateTime\":\"2026-01-01T00:00:00.5Z\",\"request\":{\"method\":\"GET\",\"url\":\"https://x.org/a?b\",\"headers\":[{\"name\":\"user-agent\",\"value\":\"Mozilla/5.0\"}]},\"response\":{\"status\":200}}]}}",
			[]string{"2026-01-01T00:00:00.5Z client=x.org host=x.org method=GET path=/a agent=Mozilla/5.0 status=200"}},
		{"numbers", Plain, "# seconds\n0\n0.5\n2:3\n",
			[]string{"1970-01-01T00:00:00Z", "1970-01-01T00:00:00.5Z", "1970-01-01T00:00:02Z cost=3"}},
		{"instants and more", Plain, "2026-01-01 00:00:00,123 alice GET /a?b\n2026-01-01T00:00:01Z\tbob\tlogin\n1700000000123\n1700000000123456\n1.7e18",
			[]string{"2026-01-01T00:00:00.123Z client=alice method=GET path=/a", "2026-01-01T00:00:01Z client=bob class=login",
				"2023-11-14T22:13:20.123Z", "2023-11-14T22:13:20.123456Z", "2023-11-14T22:13:20Z"}},
		{"nothing", Auto, "", nil},
		{"blank lines", Auto, "\n\r\n \n", nil},
	} {
		t.Run(tt.name, tt.check)
	}
}

// Who calls is the client, not the proxy nor the connection that it came by, and
// what no server has seen is no call.
func TestWhoCalls(t *testing.T) {
	for _, tt := range []formatCase{
		{"behind proxies", Common, `10.0.0.1, 10.0.0.2, ::1 - bob [01/Jan/2026:00:00:00 +0000] "GET / HTTP/1.1" 200 1`,
			[]string{"2026-01-01T00:00:00Z client=10.0.0.1 user=bob method=GET path=/ status=200"}},
		{"by syslog", Common, `<190>Nov 30 12:00:00 www nginx: 10.0.0.1 - bob [01/Jan/2026:00:00:00 +0000] "GET / HTTP/1.1" 200 1` + "\n" +
			`fe80:: - bob [01/Jan/2026:00:00:00 +0000] "GET / HTTP/1.1" 200 1`,
			[]string{"2026-01-01T00:00:00Z client=10.0.0.1 user=bob method=GET path=/ status=200", "2026-01-01T00:00:00Z client=fe80:: user=bob method=GET path=/ status=200"}},
		{"address with a port", Common, `10.0.0.1:5000 - - [01/Jan/2026:00:00:00 +0000] "GET / HTTP/1.1" 200 1`,
			[]string{"2026-01-01T00:00:00Z client=10.0.0.1 method=GET path=/ status=200"}},
		{"addresses with ports, in JSON", JSON, `{"time":1,"remote_addr":"10.0.0.1:5000"}` + "\n" + `{"time":2,"remote_addr":"[::1]:5000"}` + "\n" +
			`{"time":3,"remote_addr":"::1:50"}` + "\n" + `{"time":4,"remote_addr":"tenant:50"}` + "\n" + `{"time":5,"key":"10.0.0.1:5000","wait_s":0}`,
			[]string{"1970-01-01T00:00:01Z client=10.0.0.1", "1970-01-01T00:00:02Z client=::1", "1970-01-01T00:00:03Z client=::1:50",
				"1970-01-01T00:00:04Z client=tenant:50", "1970-01-01T00:00:05Z client=10.0.0.1:5000"}},
		{"HAR, and what no server has seen", HAR, `{"log":{"entries":[{"startedDateTime":"2026-01-01T00:00:00Z","request":{"url":"data:image/png;base64,AA"}},` +
			`{"startedDateTime":"2026-01-01T00:00:01Z","_fromCache":"memory","request":{"url":"https://x.org/a"}},` +
			`{"startedDateTime":"2026-01-01T00:00:02Z","request":{"url":"https://127.0.0.1:8443/b"}}]}}`,
			[]string{"2026-01-01T00:00:02Z client=127.0.0.1:8443 host=127.0.0.1:8443 path=/b"}},
		{"instants, and what nginx does not know", Plain, "1.5 10.0.0.1 - -\n2.5 - GET -", []string{"1970-01-01T00:00:01.5Z client=10.0.0.1", "1970-01-01T00:00:02.5Z method=GET"}},
	} {
		t.Run(tt.name, tt.check)
	}
}

// A formatCase is a log, and the calls in it.
type formatCase struct {
	name   string
	format Format
	log    string
	want   []string
}

func (f formatCase) check(t *testing.T) {
	got, tally := read(t, f.log, Options{})
	if fmt.Sprint(got) != fmt.Sprint(f.want) || tally.Bad > 0 {
		t.Errorf("calls %q, want %q; tally %+v", got, f.want, tally)
	}
	if tally.Format != f.format || tally.Calls != int64(len(f.want)) {
		t.Errorf("tally %+v, want %v and %d calls", tally, f.format, len(f.want))
	}
	if again, _ := read(t, packedByGzip(t, f.log), Options{}); fmt.Sprint(again) != fmt.Sprint(got) {
		t.Errorf("packed: calls %q, want %q", again, got)
	}
	if again, _ := read(t, f.log, Options{Format: f.format}); fmt.Sprint(again) != fmt.Sprint(got) {
		t.Errorf("with the format given: calls %q, want %q", again, got)
	}
}

// No line is passed over in silence.
func TestBadLines(t *testing.T) {
	const good = `10.0.0.1 - - [01/Jan/2026:00:00:00 +0000] "GET / HTTP/1.1" 200 1`
	for _, tt := range []struct {
		format   Format
		line     string
		want     problem
		followed string // by a good line
	}{
		{Common, `x`, "no [time]", good},
		{Common, `a - - [01/Jan/2026:00:00:00 +0000`, "no end of [time]", good},
		{Common, `a - - [soon] "GET / HTTP/1.1" 200 1`, noInstant, good},
		{Common, `a - - [31/Feb/2026:00:00:00 +0000] "GET / HTTP/1.1" 200 1`, noSuchDay, good},
		{Common, `a - - [01/Jan/1826:00:00:00 +0000] "GET / HTTP/1.1" 200 1`, farInstant, good},
		{Common, ` [01/Jan/2026:00:00:00 +0000] "GET / HTTP/1.1" 200 1`, "no host", good},
		{Common, `a - - [01/Jan/2026:00:00:00 +0000] GET / HTTP/1.1 200 1`, `no "request"`, good},
		{Common, `a - - [01/Jan/2026:00:00:00 +0000] "GET / HTTP/1.1 200 1`, `no "request"`, good},
		{Common, `a - - [01/Jan/2026:00:00:00 +0000] "GET / HTTP/1.1" ok 1`, "no status of three digits", good},
		{Common, strings.Repeat("x", 3*maxLine+5), tooLong, good},
		{JSON, `{"time":1`, "no valid JSON", `{"time":1}`},
		{JSON, `[1]`, "no JSON object", `{"time":1}`},
		{JSON, `{"tyme":1}`, "no field with the time", `{"time":1}`},
		{JSON, `{"time":null}`, "no field with the time", `{"time":1}`},
		{JSON, `{"time":{"time":1}}`, "no field with the time", `{"time":1}`},
		{JSON, `{"time":-1}`, farInstant, `{"time":1}`},
		{JSON, `{"time":"1970-01-01T00:59:59+01:00"}`, farInstant, `{"time":1}`},
		{JSON, `{"time":1,"cost":0}`, "a cost that is no whole number from 1 to 2147483647", `{"time":1}`},
		{JSON, `{"time":1,"wait_s":2}`, farInstant, `{"time":1}`},
		{JSON, `{"time":1,"wait_s":-1}`, "a wait that is no number of seconds", `{"time":1}`},
		{Plain, `soon`, noInstant, `1`},
		{Plain, `1e300`, farInstant, `1`},
		{Plain, `NaN`, noInstant, `1`},
		{Plain, `1:x`, "a cost that is no whole number from 1 to 2147483647", `1`},
	} {
		got, tally := read(t, tt.line+"\n"+tt.followed, Options{Format: tt.format})
		want := []Line{{1, string(tt.want)}}
		if len(got) != 1 || tally.Bad != 1 || fmt.Sprint(tally.First) != fmt.Sprint(want) {
			t.Errorf("%v %.80q: calls %q, tally %+v; want %v", tt.format, tt.line, got, tally, want)
		}
	}
	_, tally := read(t, strings.Repeat("x\n", 10)+"1", Options{Format: Plain})
	if tally.Bad != 10 || len(tally.First) != firstBad || tally.First[4].Number != 5 {
		t.Errorf("ten bad lines: %+v", tally)
	}
	_, tally = read(t, `{"time":1}`+"\n"+`{"time":1,"wait_s":0}`, Options{})
	if tally.Calls != 2 || tally.Vague != 1 {
		t.Errorf("a log and a recording in whole seconds: %+v", tally)
	}
	_, tally = read(t, "time,a\n\"1,b\n2,c\n", Options{})
	if tally.Calls != 1 || tally.Bad != 1 || tally.First[0] != (Line{2, "no end of a quoted field"}) {
		t.Errorf("CSV: %+v", tally)
	}
	har := `{"log":{"entries":[{"startedDateTime":"now"},{"startedDateTime":7},{"startedDateTime":"2026-01-01T00:00:00Z"}]}}`
	_, tally = read(t, har, Options{})
	if tally.Calls != 1 || tally.Vague != 1 || tally.Bad != 2 || tally.First[0].Problem != "entry 1: no instant where one should be" {
		t.Errorf("HAR: %+v", tally)
	}
}

// What holds for all lines is said once, or of each.
func TestOptions(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("this system knows no time zones: ", err)
	}
	for _, tt := range []struct {
		log     string
		options Options
		want    string
	}{
		{"2026-07-01 12:00:00", Options{Zone: berlin}, "2026-07-01T10:00:00Z"},
		{"2026-01-01T12:00:00", Options{Zone: berlin}, "2026-01-01T11:00:00Z"},
		{"2026-01-01T12:00:00+01", Options{Zone: time.UTC}, "2026-01-01T11:00:00Z"},
		{"5", Options{Unit: time.Millisecond}, "1970-01-01T00:00:00.005Z"},
		{"100000000000", Options{Unit: time.Nanosecond}, "1970-01-01T00:01:40Z"},
		{`{"when":1,"time":2,"who":{"id":"a"},"client":"b"}`, Options{Fields: map[Part]string{Time: "when", Client: "who.id"}}, "1970-01-01T00:00:01Z client=a"},
		{`{"Time":2,"tenant":17,"client":"b"}`, Options{Fields: map[Part]string{Client: "Tenant"}}, "1970-01-01T00:00:02Z client=17"},
		{"when,time,who\n1,2,a", Options{Fields: map[Part]string{Time: "when", Client: "who"}}, "1970-01-01T00:00:01Z client=a"},
		{"when,time,who\n1,2,a", Options{Fields: map[Part]string{Time: "2", Client: "3"}}, "1970-01-01T00:00:02Z client=a"},
		{"7,8,a", Options{Fields: map[Part]string{Time: "2", Client: "3"}}, "1970-01-01T00:00:08Z client=a"},
	} {
		got, tally := read(t, tt.log, tt.options)
		if len(got) != 1 || got[0] != tt.want {
			t.Errorf("%q with %+v: %q, %+v; want %q", tt.log, tt.options, got, tally, tt.want)
		}
	}
	_, tally := read(t, "a,b\n1,2\n", Options{Format: CSV, Fields: map[Part]string{Time: "when"}})
	_, long := read(t, strings.Repeat("é,", 100)+"\n", Options{Format: CSV})
	if got := long.First[0].Problem; got != "no column with the time among "+strings.Repeat("é, ", 20)+"…" {
		t.Errorf("a long header: %q", got)
	}
	if want := `no column "when" among a, b`; tally.Bad != 2 || tally.First[0].Problem != want {
		t.Errorf("%+v, want %q", tally, want)
	}
}

func TestOptionErrors(t *testing.T) {
	for _, tt := range []struct {
		options Options
		want    string
	}{
		{Options{Format: 17}, "accesslog: Format 17, want one of the formats"},
		{Options{Unit: time.Minute}, "accesslog: Unit 1m0s, want 1s, 1ms, 1µs or 1ns"},
		{Options{Fields: map[Part]string{"tyme": "x"}}, "accesslog: Fields tyme, want one of [time client user host method path request class agent status cost wait attempt dropped]"},
		{Options{Fields: map[Part]string{Time: ""}}, "accesslog: Fields time=, want the name of a field"},
	} {
		_, err := NewReader("", strings.NewReader(""), tt.options)
		if bad, ok := errors.AsType[*OptionError](err); !ok || bad.Error() != tt.want {
			t.Errorf("%+v: %v, want %q", tt.options, err, tt.want)
		}
	}
	for _, log := range []string{"1 a", `a - - [01/Jan/2026:00:00:00 +0000] "GET / HTTP/1.1" 200 1`, `{"log":{"entries":[]}}`} {
		_, err := NewReader("a.log", strings.NewReader(log), Options{Fields: map[Part]string{Client: "tenant"}})
		if _, ok := errors.AsType[*ReadError](err); !ok || !strings.Contains(err.Error(), "only JSON and CSV have fields to choose") {
			t.Errorf("a field of %q: %v", log, err)
		}
	}
	var f Format
	if err := f.UnmarshalText([]byte("xml")); err == nil || f != Auto {
		t.Errorf("format xml: %v, %v", f, err)
	}
	for _, name := range formatNames {
		if err := f.UnmarshalText([]byte(name)); err != nil || f.String() != name {
			t.Errorf("format %s: %v, %v", name, f, err)
		}
	}
}

var errBroken = errors.New("broken")

// What keeps a log from being read to its end is an error that names it.
func TestReadErrors(t *testing.T) {
	for _, tt := range []struct {
		name string
		r    io.Reader
		want string
	}{
		{"neither", strings.NewReader("<xml/>\n"), "accesslog: a.log: no format fits the first lines"},
		{"zstd", strings.NewReader("\x28\xb5\x2f\xfd\x00"), "accesslog: a.log: it is packed by zstd, which is not read: unpack it first"},
		{"no gzip", strings.NewReader("\x1f\x8b\x08\xff"), "accesslog: a.log: it ends too early: unexpected EOF"},
		{"half a gzip", strings.NewReader(packedByGzip(t, strings.Repeat("1 a\n2 b\n", 1e5))[:200]), "accesslog: a.log:28254: it ends too early: unexpected EOF"},
		{"broken", io.MultiReader(strings.NewReader(strings.Repeat("1\n", maxLine)), iotest.ErrReader(errBroken)), "accesslog: a.log:65537: broken"},
		{"broken soon", io.MultiReader(strings.NewReader("1\n"), iotest.ErrReader(errBroken)), "accesslog: a.log: broken"},
		{"HAR", strings.NewReader(`{"log":{"entries":[`), "accesslog: a.log: it ends too early: unexpected EOF"},
		{"HAR", strings.NewReader(`{"log":{"entries":[{]}}`), "accesslog: a.log: entry 1: invalid character"},
		{"HAR", strings.NewReader(`{"log":{"pages":[]}}`), "accesslog: a.log: a HAR file is an object with log.entries"},
		{"HAR", strings.NewReader(`{"log":{"entries":{}}}`), "accesslog: a.log: a HAR file is an object with log.entries"},
	} {
		r, err := NewReader("a.log", tt.r, Options{})
		for err == nil {
			_, err = r.Next()
		}
		if bad, ok := errors.AsType[*ReadError](err); !ok || bad.Name != "a.log" || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
		if r != nil {
			if _, again := r.Next(); !errors.Is(again, err) {
				t.Errorf("%s: then %v", tt.name, again)
			}
		}
	}
	if err := error(&ReadError{Err: errBroken}); !errors.Is(err, errBroken) {
		t.Error("the cause is lost")
	}
}

// A HAR file has no end that anybody could wait for.
func TestHARIsCapped(t *testing.T) {
	r := &cappedReader{strings.NewReader("0123456789"), 5}
	if _, err := io.ReadAll(r); !errors.Is(err, errTooLong) {
		t.Errorf("%v, want %v", err, errTooLong)
	}
}
