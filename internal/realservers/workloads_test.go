package realservers

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A workload is so many processes with so many calls each, which so many workers
// of each make one after the other.
type workload struct {
	name                      string
	processes, calls, workers int
	method                    string
}

var (
	backlog = workload{"backlog", 1, 200, 8, http.MethodGet}
	posts   = workload{"posts", 1, 60, 4, http.MethodPost}
	storm   = workload{"storm", 20, 5, 5, http.MethodGet}
)

func (w workload) total() int { return w.processes * w.calls }

// An outcome is what a run came to.
type outcome struct {
	refused atomic.Int64 // answers of 429
	failed  atomic.Int64 // calls that ended in an error, or in another answer than 200
	why     atomic.Value // one of them
	took    time.Duration
}

// A counter is the base of a client, and counts what is refused.
type counter struct {
	http.RoundTripper
	out *outcome
}

func (c counter) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := c.RoundTripper.RoundTrip(req)
	if err == nil && resp.StatusCode == http.StatusTooManyRequests {
		c.out.refused.Add(1)
	}
	return resp, err
}

// A trial is a run of a workload by a strategy at a server of its own.
type trial struct {
	server   server
	workload workload
	strategy strategy
	url      string
	out      outcome
}

// runTimeout ends a run: a call that waits for ever is one that failed.
const runTimeout = time.Minute

func (r *trial) run(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, runTimeout)
	defer cancel()
	var all sync.WaitGroup
	start := make(chan struct{})
	for range r.workload.processes {
		base := &http.Transport{MaxIdleConnsPerHost: r.workload.workers}
		defer base.CloseIdleConnections()
		client, next := r.strategy.client(r.server, counter{base, &r.out}), new(atomic.Int64)
		for range r.workload.workers {
			all.Go(func() {
				<-start
				for next.Add(1) <= int64(r.workload.calls) {
					r.call(ctx, client)
				}
			})
		}
	}
	begun := time.Now()
	close(start)
	all.Wait()
	r.out.took = time.Since(begun)
}

// call makes one call, to the end of the body.
func (r *trial) call(ctx context.Context, client *http.Client) {
	var body io.Reader
	if r.workload.method == http.MethodPost {
		body = strings.NewReader("x=1")
	}
	req, err := http.NewRequestWithContext(ctx, r.workload.method, r.url, body)
	if err != nil {
		r.fail(err.Error())
		return
	}
	resp, err := client.Do(req)
	if err != nil {
		r.fail(err.Error())
		return
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		r.fail(err.Error())
	} else if resp.StatusCode != http.StatusOK {
		r.fail(resp.Status)
	}
}

func (r *trial) fail(why string) {
	r.out.failed.Add(1)
	r.out.why.Store(why)
}

// runAll makes the trials, a few next to each other: most of the time they wait.
func runAll(t *testing.T, trials []*trial) {
	t.Helper()
	for _, r := range trials {
		r.url = r.server.open(t)
	}
	todo := make(chan *trial)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for r := range todo {
				r.run(t.Context())
			}
		})
	}
	for _, r := range trials {
		todo <- r
	}
	close(todo)
	all.Wait()
}
