package transporttest

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"runtime/pprof"
	"strings"
	"sync/atomic"
)

var labels atomic.Int64

// noGoroutineLeft makes calls that end in all ways, and looks for goroutines
// that were begun by them. A first round is not looked at: what is begun once,
// and stays, may stay.
func noGoroutineLeft(c *checker) {
	var rts []http.RoundTripper
	for _, script := range scripts() {
		rts = append(rts, c.wrap(&base{script: script}))
	}
	hanging := &base{script: []answer{{hang: true}}, asked: make(chan struct{}, 1)}
	long := c.wrap(&base{script: []answer{refusal("3600")}})
	round := func() {
		for _, rt := range rts {
			finish(c.wait(start(rt, (&sender{}).put(context.Background()))))
			c.dropped(rt)
		}
		c.canceledSoon(c.wrap(hanging), hanging.asked)
		c.canceledSoon(long, nil)
	}
	round()
	label := fmt.Sprint("round ", labels.Add(1))
	done := make(chan struct{})
	go pprof.Do(context.Background(), pprof.Labels("transporttest", label), func(context.Context) {
		defer close(done)
		round()
	})
	<-done
	var left string
	if !c.eventually(func() bool { left = labelled(label); return left == "" }) {
		c.errorf("goroutines are left:\n%s", left)
	}
}

// dropped closes a body after its first byte.
func (c *checker) dropped(rt http.RoundTripper) {
	o := c.wait(start(rt, get(context.Background(), "dropped")))
	if o.resp != nil && o.resp.Body != nil {
		_, _ = o.resp.Body.Read(make([]byte, 1))
		_ = o.resp.Body.Close()
	}
}

// canceledSoon makes a call that is canceled once the base has it.
func (c *checker) canceledSoon(rt http.RoundTripper, asked <-chan struct{}) {
	ctx, cancel := context.WithCancelCause(context.Background())
	done := start(rt, get(ctx, "soon"))
	if asked != nil {
		c.in(func() { <-asked })
	}
	cancel(errGone)
	finish(c.wait(done))
}

// labelled describes the goroutines with the label. Unlike a count of all it
// tells ours from those of tests that run at the same time, as a goroutine has
// the labels of the one that began it.
func labelled(label string) string {
	var profile bytes.Buffer
	_ = pprof.Lookup("goroutine").WriteTo(&profile, 1)
	var found []string
	for record := range strings.SplitSeq(profile.String(), "\n\n") {
		if strings.Contains(record, fmt.Sprintf("%q:%q", "transporttest", label)) {
			found = append(found, record)
		}
	}
	return strings.Join(found, "\n\n")
}
