package transport_test

import (
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/transport"
)

// A process that begins again goes on with what the one before it left: of the
// limits set by hand, of those published, and of a cool-down.
func TestSnapshotAndRestore(t *testing.T) {
	for _, tt := range []struct {
		name   string
		limits transport.Limits
		first  []string // header fields of the first answers
		status int
		want   []time.Duration
	}{
		{"by hand", transport.Limits{"api.example.com/": {{Rate: 1, Burst: 3}}}, nil, 200, seconds(0, 1, 2)},
		{"published", nil, []string{"RateLimit-Policy", `"p";q=1;w=1;burst=3`}, 200, seconds(0, 1, 2)},
		{"cool-down", nil, []string{"Retry-After", "30"}, 429, seconds(29)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				before := &transport.Transport{Base: newScript(answer(tt.status, "", tt.first...)), Limits: tt.limits, MaxAttempts: 1, Backoff: still}
				for range 3 {
					_, _ = attempt(before, get(t, api))
				}
				written, err := json.Marshal(before.Snapshot())
				if err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Second)

				var saved []throttle.Saved
				if err := json.Unmarshal(written, &saved); err != nil {
					t.Fatal(err)
				}
				base := newScript(answer(200, ""))
				after := &transport.Transport{Base: base, Limits: tt.limits, Backoff: still}
				after.Restore(saved)
				for range tt.want {
					do(t, after, get(t, api))
				}
				base.wantAt(t, tt.want...)
			})
		})
	}
}

// Only so many budgets are held; one in use is never let go.
func TestKeysAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(answer(200, ""))
		tr := &transport.Transport{Base: base, MaxKeys: 100, Limits: transport.Limits{"busy.example.com/": {{Rate: 0.001, Burst: 2}}}}
		do(t, tr, get(t, "http://busy.example.com/"))
		for i := range 5000 {
			do(t, tr, get(t, "http://h"+time.Duration(i).String()+".example.com/"))
		}
		if n := len(tr.Budgets()); n > 100 {
			t.Errorf("%d budgets are held", n)
		}
		start := time.Now()
		do(t, tr, get(t, "http://busy.example.com/"))
		if _, err := tr.RoundTrip(get(t, "http://busy.example.com/")); err == nil || time.Since(start) != 0 {
			t.Errorf("the budget in use was let go: %v", err)
		}
	})
}

// A host of whose quota little is left is not forgotten before the reset, however
// many other hosts there are.
func TestKeysWithLittleLeftAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(answer(200, "", "X-RateLimit-Limit", "50", "X-RateLimit-Remaining", "1", "X-RateLimit-Reset", "60"), answer(200, ""))
		tr := &transport.Transport{Base: base, MaxKeys: 1, MaxWait: -1}
		for _, host := range []string{"a", "b", "c", "a", "a"} {
			do(t, tr, get(t, "http://"+host+".example.com/"))
		}
		if d := time.Since(base.start); d < time.Minute {
			t.Errorf("the second call of two, where one was left, went after %v", d)
		}
	})
}
