package transport_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway/headers"
	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/transport"
)

// octokit/plugin-throttling.js#599: the second that a server publishes for its
// reset is over before the reset is.
func TestResetInWholeSecondsMayBeCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		today(t)
		published := time.Now().Add(10 * time.Second)
		refused := 0
		base := newScript(func(req *http.Request) (*http.Response, error) {
			if time.Now().Before(published.Add(400 * time.Millisecond)) {
				refused++
				return answer(429, "", "X-RateLimit-Limit", "10", "X-RateLimit-Remaining", "0",
					"X-RateLimit-Reset", strconv.FormatInt(published.Unix(), 10))(req)
			}
			return answer(200, "")(req)
		})
		status, _ := do(t, &transport.Transport{Base: base, Backoff: still}, get(t, api))
		if status != 200 || refused != 1 || base.at[1] > 11*time.Second {
			t.Errorf("status %d, refused %d times, sent at %v", status, refused, base.at)
		}
	})
}

// today sleeps until the clock of a bubble is at a time that servers could
// write as seconds since 1970.
func today(t *testing.T) {
	t.Helper()
	time.Sleep(time.Until(time.Unix(1735689540, 0)))
}

// withcoral/coral#89: a reset that is past is taken for a delay of decades.
func TestResetInThePastIsNoWait(t *testing.T) {
	for _, past := range []time.Duration{5 * time.Second, time.Hour, 48 * time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			today(t)
			reset := strconv.FormatInt(time.Now().Add(-past).Unix(), 10)
			base := newScript(answer(429, "", "X-RateLimit-Limit", "10", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", reset), answer(200, ""))
			status, _ := do(t, &transport.Transport{Base: base, Backoff: still}, get(t, api))
			if status != 200 || base.at[1] >= time.Second {
				t.Errorf("reset %v ago: status %d, sent at %v", past, status, base.at)
			}
		})
	}
}

// sindresorhus/ky#618, zalando/riptide#632, zalando/restful-api-guidelines#379,
// tradegecko/smaug#41: one name, several units.
func TestResetInAnyUnit(t *testing.T) {
	now := time.Unix(1735689540, 0)
	for _, tt := range []struct {
		value string
		unit  time.Duration
		want  time.Duration // negative: it makes no sense
	}{
		{"60", 0, time.Minute},
		{"1735689600", 0, time.Minute},
		{"1735689600000", 0, time.Minute},
		{"60", time.Second, time.Minute},
		{"60000", time.Millisecond, time.Minute},
		{"1", time.Minute, time.Minute},
		{"1735689600000000", 0, -1},
		{"40000000", time.Second, -1}, // longer than a year
		{"60000000", time.Minute, -1},
	} {
		h := http.Header{"X-Ratelimit-Limit": {"100"}, "X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {tt.value}}
		said := headers.Overrides{ResetUnit: tt.unit}.Parse(h, now)
		if len(said.Policies) != 1 {
			t.Errorf("%s: policies %+v", tt.value, said.Policies)
			continue
		}
		if reset := said.Policies[0].Reset; reset.Or(-1) != tt.want {
			t.Errorf("%s in units of %v: reset %v, want %v", tt.value, tt.unit, reset, tt.want)
		}
	}
}

// juju/ratelimit#22, sethvargo/go-limiter#41,
// ProfessionalWiki/MediaWiki-MCP-Server#557, JSONbored/loopover#5855: a step of
// the wall clock stalls the limiter, or makes it a present.
func TestStepsOfTheServersClockChangeNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		today(t)
		n := 0
		base := newScript(func(req *http.Request) (*http.Response, error) {
			n++
			wall := time.Now()
			switch {
			case n >= 12:
				wall = wall.Add(time.Hour)
			case n >= 5:
				wall = wall.Add(-time.Hour)
			}
			return answer(200, "", "Date", wall.UTC().Format(http.TimeFormat),
				"X-RateLimit-Limit", "1000", "X-RateLimit-Remaining", fmt.Sprint(1000-n),
				"X-RateLimit-Reset", fmt.Sprint(wall.Unix()+100))(req)
		})
		tr := &transport.Transport{Base: base, Limits: transport.Limits{"/": {{Rate: 2, Burst: 2}}}}
		for range 20 {
			do(t, tr, get(t, api))
		}
		base.wantAt(t, append(seconds(0), steps(19, 0, 500*time.Millisecond)...)...)
	})
}

// The same reports, for a limiter that is given its instants.
func TestStepsOfTheWallClockGiveNoMoreThanABurst(t *testing.T) {
	lim := throttle.NewLimiter(2, 2)
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	var went []time.Duration
	wall := now
	for i := range 200 {
		switch i {
		case 50:
			wall = wall.Add(-time.Hour)
		case 120:
			wall = wall.Add(2 * time.Hour)
		}
		if lim.AllowN(wall, 1) {
			went = append(went, time.Duration(i)*100*time.Millisecond)
		}
		wall = wall.Add(100 * time.Millisecond)
	}
	before := slices.IndexFunc(went, func(d time.Duration) bool { return d >= 12*time.Second })
	wantConforming(t, went[:before], 2, 2)
	wantConforming(t, went[before:], 2, 2)
}
