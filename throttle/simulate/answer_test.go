package simulate

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
)

// text writes fields as one line.
func text(fields []Field) string {
	var lines []string
	for _, f := range fields {
		lines = append(lines, f.Name+": "+f.Value)
	}
	return strings.Join(lines, " | ")
}

// One refusal at 0.5 s, half a token left, retry at 1 s, full at 5 s: what each
// kind of server shows of it.
func TestAnswers(t *testing.T) {
	b := must(NewTokenBucket(per(1, sec), 5))
	b.Arrive(0, 5)
	v := b.Arrive(500*ms, 1)
	for _, tt := range []struct {
		publish Publisher
		want    string
	}{
		{Publisher{}, ""},
		{Publisher{Retry: RetryExact}, "Retry-After: 0.5"},
		{Publisher{Retry: RetrySeconds}, "Retry-After: 1"},
		{Publisher{Headers: HeadersRemaining}, "RateLimit-Remaining: 0"},
		{Publisher{Headers: HeadersTrio, Retry: RetrySeconds}, "X-RateLimit-Limit: 5 | X-RateLimit-Remaining: 0 | X-RateLimit-Reset: 5 | Retry-After: 1"},
		{Publisher{Headers: HeadersIETF}, `RateLimit-Policy: "default";q=1;w=1 | RateLimit: "default";r=0;t=5`},
		{Publisher{Headers: HeadersIETFBurst}, `RateLimit-Policy: "default";q=1;w=1;burst=5 | RateLimit: "default";r=0;t=5`},
		{Publisher{Headers: HeadersTrio, Lie: LieFull}, "X-RateLimit-Limit: 5 | X-RateLimit-Remaining: 5 | X-RateLimit-Reset: 5"},
		{Publisher{Headers: HeadersTrio, Lie: LieEmpty}, "X-RateLimit-Limit: 5 | X-RateLimit-Remaining: 0 | X-RateLimit-Reset: 5"},
		{Publisher{Headers: HeadersTrio, Lie: LieDouble}, "X-RateLimit-Limit: 10 | X-RateLimit-Remaining: 0 | X-RateLimit-Reset: 5"},
		{Publisher{Headers: HeadersTrio, Lie: LieFlicker}, "X-RateLimit-Limit: 5 | X-RateLimit-Remaining: 0 | X-RateLimit-Reset: 5"},
		{Publisher{Headers: HeadersTrio, Retry: RetryExact, Lie: LieEarly}, "X-RateLimit-Limit: 5 | X-RateLimit-Remaining: 0 | X-RateLimit-Reset: 2.5 | Retry-After: 0.25"},
		{Publisher{Headers: HeadersTrio, Lie: LieNegative}, "X-RateLimit-Limit: -1 | X-RateLimit-Remaining: -1 | X-RateLimit-Reset: -1"},
		{Publisher{Headers: HeadersRemaining, Retry: RetryExact, Lie: LieHuge}, "RateLimit-Remaining: 9223372036854775807 | Retry-After: 9223372036854775807"},
		{Publisher{Headers: HeadersRemaining, Retry: RetryExact, Lie: LieGarbage}, "RateLimit-Remaining: NaN | Retry-After: Infinity"},
		{Publisher{Headers: HeadersTrio, Lie: LieGarbage}, "X-RateLimit-Limit: 1e999 | X-RateLimit-Remaining: 0x10 | X-RateLimit-Reset: soon"},
		{Publisher{Headers: HeadersIETF, Lie: LieGarbage}, `RateLimit-Policy: "default;q= | RateLimit: ;r=?;;t="`},
	} {
		a := tt.publish.Answer(500*ms, v, b.Policy())
		if got := text(tt.publish.Fields(a)); got != tt.want || a.Status != 429 {
			t.Errorf("%+v:\ngot  %d %s\nwant 429 %s", tt.publish, a.Status, got, tt.want)
		}
	}
}

// A limit that flickers is a tenth in every other second.
func TestFlicker(t *testing.T) {
	p := Publisher{Headers: HeadersTrio, Lie: LieFlicker}
	for i, want := range []int64{50, 5, 50, 5} {
		a := p.Answer(time.Duration(i)*sec, Verdict{Admitted: true, Left: 40}, Policy{per(1, sec), 50})
		if a.Limit != want || a.Remaining != want*4/5 {
			t.Errorf("second %d: %+v, want a limit of %d", i, a, want)
		}
	}
}

// What was not said is not there, and an admitted call has no Retry-After.
func TestAnswerSaid(t *testing.T) {
	w := must(NewFixedWindow(per(100, time.Minute), 0))
	publish := Publisher{Headers: HeadersIETFBurst, Retry: RetryExact, Refusal: 503}
	a := publish.Answer(0, w.Arrive(0, 40), w.Policy())
	want := Answer{Status: 200, Said: SaidLimit | SaidRemaining | SaidWindow | SaidReset | SaidBurst,
		Limit: 100, Remaining: 60, Burst: 100, Window: time.Minute, Reset: time.Minute}
	if a != want || a.Has(SaidRetryAfter) || !a.Has(SaidLimit|SaidBurst) {
		t.Errorf("got %+v, want %+v", a, want)
	}
	if a = publish.Answer(0, w.Arrive(0, 61), w.Policy()); a.Status != 503 || a.RetryAfter != time.Minute {
		t.Errorf("a refusal: %+v", a)
	}
	if a = publish.Answer(0, w.Arrive(0, 101), w.Policy()); a.Has(SaidRetryAfter) {
		t.Errorf("a cost that never fits: %+v", a)
	}
}

// A limit on calls in flight has neither window nor reset.
func TestAnswerConcurrency(t *testing.T) {
	c := must(NewConcurrency(3))
	p := Publisher{Headers: HeadersIETF, Retry: RetrySeconds}
	a := p.Answer(0, c.Arrive(0, 1), c.Policy())
	if got, want := text(p.Fields(a)), `RateLimit-Policy: "default";q=3;qu="concurrent-requests" | RateLimit: "default";r=2`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// An IETF window is whole seconds and never says more than the truth.
func TestInWholeSeconds(t *testing.T) {
	for _, tt := range []struct {
		rate   Rate
		count  int64
		window time.Duration
	}{
		{per(1, sec), 1, sec}, {per(1, 100*ms), 10, sec}, {per(1, 800*ms), 5, 4 * sec}, {per(7, 1500*ms), 14, 3 * sec},
		{per(1, 333_333_333), 10800, time.Hour}, {per(1, time.Hour+1), 1, time.Hour + sec},
	} {
		if n, w := inWholeSeconds(tt.rate); n != tt.count || w != tt.window {
			t.Errorf("%v: %d in %v, want %d in %v", tt.rate, n, w, tt.count, tt.window)
		}
	}
}

func TestSeconds(t *testing.T) {
	for _, tt := range []struct {
		d    time.Duration
		want string
	}{{0, "0"}, {1, "0.000000001"}, {sec, "1"}, {1050 * ms, "1.05"}, {time.Hour, "3600"}, {-sec, "-1"}, {Never - 1, "9223372036854775807"}} {
		if got := seconds(tt.d); got != tt.want {
			t.Errorf("seconds(%d) = %s, want %s", tt.d, got, tt.want)
		}
	}
}

// Whatever is lied about, answers and fields can be made of any verdict.
func FuzzAnswer(f *testing.F) {
	f.Add(uint8(2), uint8(1), uint8(6), int64(0), int64(math.MaxInt64), 1.5, int64(1), int64(1))
	f.Fuzz(func(t *testing.T, headers, retry, lie uint8, at, retryAt int64, left float64, count, span int64) {
		p := Publisher{Headers: Headers(headers % 5), Retry: Retry(retry % 3), Lie: Lie(lie % 9)}
		v := Verdict{Left: left, RetryAt: time.Duration(retryAt), ResetAt: time.Duration(retryAt)}
		at = min(max(at, 0), int64(Horizon))
		rate := Rate{max(count, 1), time.Duration(max(span, 1))}
		a := p.Answer(time.Duration(at), v, Policy{rate, max(count, 1)})
		if p.Lie == LieNone && (a.Remaining < 0 && left >= 0 && left < 1e18 || a.Reset < 0 || a.RetryAfter < 0 || a.Limit < 0) {
			t.Errorf("negative: %+v", a)
		}
		for _, field := range p.Fields(a) {
			if field.Name == "" || strings.ContainsAny(fmt.Sprint(field), "\r\n\x00") {
				t.Errorf("bad field %q", field)
			}
		}
	})
}
