package transport_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/transport"
)

// secrets are what a call may hold, each in its place.
var secrets = map[string]string{
	"user":            "s3cret-user",
	"password":        "s3cret-password",
	"query":           "s3cret-query",
	"fragment":        "s3cret-fragment",
	"header":          "s3cret-header",
	"cookie":          "s3cret-cookie",
	"key of the call": "s3cret-idempotency",
	"trailer":         "s3cret-trailer",
	"body":            "s3cret-body",
	"context":         "s3cret-context",
	"answer's header": "s3cret-answer-header",
	"answer's body":   "s3cret-answer-body",
	"error's URL":     "s3cret-error-url",
}

func secretRequest(ctx context.Context, t *testing.T, method string) *http.Request {
	t.Helper()
	ctx = context.WithValue(ctx, struct{ string }{}, secrets["context"])
	u := "https://" + secrets["user"] + ":" + secrets["password"] + "@API.example.com:443/v1/things?key=" + secrets["query"] + "#" + secrets["fragment"]
	req, err := http.NewRequestWithContext(ctx, method, u, strings.NewReader(secrets["body"]))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = http.Header{
		"Authorization": {"Bearer " + secrets["header"]}, "Cookie": {"a=" + secrets["cookie"]},
		"Idempotency-Key": {secrets["key of the call"]},
	}
	req.Trailer = http.Header{"X-Later": {secrets["trailer"]}}
	return req
}

// secretAnswer says a secret wherever a server can say something.
func secretAnswer(status int, fields ...string) func(*http.Request) (*http.Response, error) {
	s := secrets["answer's header"]
	return answer(status, secrets["answer's body"], append(fields,
		"Set-Cookie", "a="+s, "Location", "https://h/?"+s, "X-Trace", s,
		"RateLimit-Policy", fmt.Sprintf("%q;q=10;w=10;pk=:%s:", s, "czNjcmV0"), "RateLimit", fmt.Sprintf("%q;r=1;t=1", s))...)
}

// secretError is an error of a base that tells the URL it could not get, as that
// of net/http does.
func secretError(err error) error {
	return &url.Error{Op: "Get", URL: "https://proxy/?" + secrets["error's URL"], Err: err}
}

// A told is what came out of calls: texts of all sorts.
type told struct{ texts []string }

func (s *told) add(what string, values ...any) {
	for _, v := range values {
		s.texts = append(s.texts, fmt.Sprintf("%s: %v %+v %#v", what, v, v, v))
	}
}

// addError adds an error, and all that it is made of.
func (s *told) addError(what string, err error) {
	for err != nil {
		if what == "error" && errors.Is(err, io.ErrUnexpectedEOF) {
			// It has passed through from Base. The caller knows what it sent.
			s.texts = append(s.texts, strings.ReplaceAll(err.Error(), secrets["error's URL"], ""))
		} else {
			s.texts = append(s.texts, fmt.Sprintf("%s: %v %+v", what, err, err))
		}
		if many, ok := err.(interface{ Unwrap() []error }); ok {
			for _, e := range many.Unwrap() {
				s.addError(what, e)
			}
			return
		}
		err = errors.Unwrap(err)
	}
}

// A leakyWay is one way for a call to fail.
type leakyWay struct {
	name    string
	set     func(*transport.Transport)
	answers []func(*http.Request) (*http.Response, error)
	calls   int
	timeout time.Duration
	cancel  bool
	context func(context.Context) context.Context
	sees    transport.EventKind // an event that proves that the way was gone
}

func leakyWays() []leakyWay {
	type answers = []func(*http.Request) (*http.Response, error)
	ok, refused := secretAnswer(200), secretAnswer(429, "Retry-After", "1")
	broken := fail(secretError(io.ErrUnexpectedEOF))
	nested := fail(fmt.Errorf("dial: %w", secretError(secretError(io.ErrUnexpectedEOF))))
	joined := fail(errors.Join(errors.New("first"), secretError(io.ErrUnexpectedEOF)))
	slow := func(tr *transport.Transport) { tr.Limits = transport.Limits{"/": {{Rate: 0.01}}} }
	return []leakyWay{
		{name: "a long wait", set: slow, answers: answers{ok}, calls: 2, sees: transport.EventRefusedLocally},
		{name: "a wait", set: func(tr *transport.Transport) { tr.Limits = transport.Limits{"/": {{Rate: 1}}} }, answers: answers{ok}, calls: 3, sees: transport.EventWaited},
		{name: "a deadline", answers: answers{secretAnswer(429, "Retry-After", "30")}, calls: 2, timeout: 10 * time.Second, sees: transport.EventRefusedLocally},
		{name: "canceled in a wait", answers: answers{refused}, calls: 1, cancel: true, sees: transport.EventRefusedLocally},
		{name: "refused always", answers: answers{refused}, calls: 3, sees: transport.EventThrottled},
		{name: "refused for a day", answers: answers{secretAnswer(429, "Retry-After", "86400")}, calls: 2, sees: transport.EventRefusedLocally},
		{name: "a connection breaks", answers: answers{broken}, calls: 1, sees: transport.EventRetry},
		{name: "it breaks in a wrapper", answers: answers{nested}, calls: 1, sees: transport.EventRetry},
		{name: "it breaks among others", answers: answers{joined}, calls: 1, sees: transport.EventRetry},
		{name: "refused, then broken", answers: answers{refused, broken}, calls: 1, sees: transport.EventRetry},
		{name: "unavailable", answers: answers{secretAnswer(503)}, calls: 1, sees: transport.EventRetry},
		{name: "no permit", set: func(tr *transport.Transport) { tr.MaxConcurrent = 1 }, answers: answers{unclosed(ok)}, calls: 2, sees: transport.EventRefusedLocally},
		{name: "a full queue", set: func(tr *transport.Transport) {
			tr.Limits, tr.MaxQueue, tr.MaxWait = transport.Limits{"/": {{Rate: 0.01}}}, 1, -1
		}, answers: answers{ok}, calls: 3, timeout: time.Hour, sees: transport.EventRefusedLocally},
		{name: "too dear", set: slow, answers: answers{ok}, calls: 1, context: func(ctx context.Context) context.Context { return throttle.WithCost(ctx, 2) }, sees: transport.EventRefusedLocally},
		{name: "no cost", answers: answers{ok}, calls: 1, context: func(ctx context.Context) context.Context { return throttle.WithCost(ctx, -1) }},
		{name: "a bad pattern", set: func(tr *transport.Transport) { tr.Limits = transport.Limits{"nonsense": nil} }, answers: answers{ok}, calls: 1},
		{name: "a key of credentials", set: func(tr *transport.Transport) { tr.Key = transport.KeyByHostAndHeader("Authorization", "Cookie") }, answers: answers{refused}, calls: 2, sees: transport.EventThrottled},
		{name: "no answer", answers: answers{func(*http.Request) (*http.Response, error) { return nil, nil }}, calls: 1},
	}
}

// unclosed is an answer whose body has more to come.
func unclosed(from func(*http.Request) (*http.Response, error)) func(*http.Request) (*http.Response, error) {
	return func(req *http.Request) (*http.Response, error) {
		resp, err := from(req)
		resp.Body = io.NopCloser(io.MultiReader(resp.Body, zeroReader{}))
		return resp, err
	}
}

// Nothing of a URL's user, query and fragment, of a header, or of a body is in
// an error of ours, an event, a recording, a key, a state, or the log, whatever
// way a call fails. (An error of Base goes back as it is: the caller has chosen Base. But
// events, which go elsewhere, are rid of its URL.)
func TestNoSecretIsTold(t *testing.T) {
	var logged bytes.Buffer
	log.SetOutput(&logged)
	defer log.SetOutput(os.Stderr)
	for _, way := range leakyWays() {
		for _, how := range []string{"GET", "POST", "GET shadow"} {
			t.Run(way.name+" "+how, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					out := &told{}
					method, _, shadow := strings.Cut(how, " ")
					way.play(t, method, shadow, out)
					out.texts = append(out.texts, logged.String())
					wantNoSecret(t, out)
				})
			})
		}
	}
}

// play makes the calls, each once those before it wait or have ended.
func (way leakyWay) play(t *testing.T, method string, shadow bool, out *told) {
	file, recorded := recorder(t)
	var mu sync.Mutex
	var seen []transport.EventKind
	tr := &transport.Transport{Base: newScript(way.answers...), Backoff: still, Record: file, Shadow: shadow}
	tr.Observe = func(_ context.Context, e transport.Event) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, e.Kind)
		out.add("event", e)
		out.addError("event", e.Err)
	}
	if way.set != nil {
		way.set(tr)
	}
	ctx, cancel := context.WithTimeout(t.Context(), cmp.Or(way.timeout, time.Hour))
	defer cancel()
	if way.context != nil {
		ctx = way.context(ctx)
	}
	var wg sync.WaitGroup
	crowd(&wg, way.calls, func(int) {
		resp, err := tr.RoundTrip(secretRequest(ctx, t, method))
		if err == nil {
			defer resp.Body.Close()
			<-ctx.Done() // the answer is looked at for long
			return
		}
		mu.Lock()
		defer mu.Unlock()
		out.addError("error", err)
	})
	if way.cancel {
		cancel()
	}
	time.Sleep(3 * time.Hour)
	wg.Wait()
	out.add("state", tr.Budgets())
	text := recorded()
	out.texts = append(out.texts, text)
	if way.sees != "" && text == "" {
		t.Error("nothing is recorded")
	}
	if way.sees != "" && method == "GET" && !shadow && !slices.Contains(seen, way.sees) {
		t.Errorf("events %q, want one of %q", seen, way.sees)
	}
}

func wantNoSecret(t *testing.T, out *told) {
	t.Helper()
	for _, text := range out.texts {
		for where, secret := range secrets {
			if strings.Contains(text, secret) {
				t.Errorf("the secret of the %s is told: %s", where, text)
			}
		}
	}
}
