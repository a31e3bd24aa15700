package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/headway-go/headway/throttle/redisstore"
	"github.com/headway-go/headway/transport"
	"github.com/redis/go-redis/v9"
)

// What a process that makes calls has in its environment.
const (
	serverVar = "HEADWAY_FLEET_SERVER"
	redisVar  = "HEADWAY_FLEET_REDIS"
	prefixVar = "HEADWAY_FLEET_PREFIX"
)

// atOnce is how many calls of a process are under way or wait at once.
const atOnce = 32

// patience is longer than usual: Redis, the server and all processes are on one
// machine, which may have something else to do.
const patience = 250 * time.Millisecond

// work is one process of the fleet. It reads the numbers of the calls that it is
// to make, a line each, makes them, and writes a line for each: its number, how
// many Redis operations there were so far, and what was wrong, if something was.
func work(ctx context.Context, url string, stdin io.Reader, stdout, stderr io.Writer) int {
	store, err := redisstore.Open(os.Getenv(redisVar))
	if err != nil {
		fmt.Fprintln(stderr, "fleet:", err)
		return 1
	}
	store.Prefix = os.Getenv(prefixVar)
	store.Timeout = patience
	store.Observe = func(e redisstore.Event) {
		if e.Err != nil {
			fmt.Fprintf(stderr, "fleet: process %d: slots are %s now: %v\n", os.Getpid(), e.Mode, e.Err)
		} else {
			fmt.Fprintf(stderr, "fleet: process %d: slots are %s now\n", os.Getpid(), e.Mode)
		}
	}
	ops := &counter{}
	store.Client.AddHook(ops)
	if err := store.Check(ctx); err != nil {
		fmt.Fprintln(stderr, "fleet:", err)
		return 1
	}
	fmt.Fprintln(stdout, "ready")
	base := http.DefaultTransport.(*http.Transport).Clone()
	base.MaxIdleConnsPerHost = atOnce
	client := &http.Client{Transport: &transport.Transport{Base: base, Store: store}}

	calls := make(chan string)
	var wg sync.WaitGroup
	var mu sync.Mutex // one line at a time
	for range atOnce {
		wg.Go(func() {
			for n := range calls {
				problem := get(ctx, client, url)
				mu.Lock()
				fmt.Fprintln(stdout, n, ops.n.Load(), problem)
				mu.Unlock()
			}
		})
	}
	for lines := bufio.NewScanner(stdin); lines.Scan(); {
		calls <- lines.Text()
	}
	close(calls)
	wg.Wait()
	return 0
}

// get makes a call, and returns what was wrong, if something was.
func get(ctx context.Context, client *http.Client, url string) string {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return oneLine(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		return oneLine(err)
	}
	defer resp.Body.Close()
	if _, err = io.Copy(io.Discard, resp.Body); err != nil {
		return oneLine(err)
	}
	if resp.StatusCode != http.StatusOK {
		return resp.Status
	}
	return ""
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

// A counter counts what is sent to Redis, all of it.
type counter struct{ n atomic.Int64 }

// DialHook implements [redis.Hook].
func (c *counter) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) { return next(ctx, network, addr) }
}

// ProcessHook implements [redis.Hook].
func (c *counter) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		c.n.Add(1)
		return next(ctx, cmd)
	}
}

// ProcessPipelineHook implements [redis.Hook].
func (c *counter) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		c.n.Add(int64(len(cmds)))
		return next(ctx, cmds)
	}
}
