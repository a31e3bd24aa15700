package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"time"

	"github.com/headway-go/headway/internal/redisserver"
	"github.com/headway-go/headway/throttle/redisstore"
	"github.com/headway-go/headway/throttle/throttletest"
)

// The round trip stands for the network between the fleet and the server.
const roundTrip = 20 * time.Millisecond

// away is how long Redis is gone, with -chaos.
const away = time.Second

// errNoRedis says what to do.
var errNoRedis = errors.New("there is no redis-server in PATH: install it (apt-get install redis-server), or set REDIS_URL")

// measure runs the fleet, and says what came of it.
func measure(ctx context.Context, o options, stdout, stderr io.Writer) (rep report, err error) {
	redisURL, server, err := findRedis(ctx)
	if err != nil {
		return rep, err
	}
	if server != nil {
		defer server.Close()
	}
	limit, err := throttletest.NewHandler(throttletest.Config{Rate: o.rate, Burst: o.burst})
	if err != nil {
		return rep, err
	}
	api := httptest.NewServer(distant(limit))
	defer api.Close()
	if !o.json {
		fmt.Fprintln(stdout, o.intro())
	}
	f, lines, err := launch(ctx, o, api.URL, redisURL, stderr)
	if err != nil {
		return rep, err
	}
	if o.chaos {
		f.chaos(ctx, o.n, server, stderr)
	}
	stop := f.showProgress(o.n, limit, stderr)
	f.run(o.n, lines)
	stop()
	return f.report(o, limit), nil
}

// findRedis is that of REDIS_URL, or one of our own.
func findRedis(ctx context.Context) (url string, server *redisserver.Server, err error) {
	if url = os.Getenv("REDIS_URL"); url != "" {
		store, err := redisstore.Open(url)
		if err != nil {
			return "", nil, fmt.Errorf("REDIS_URL: %w", err)
		}
		defer func() { _ = store.Client.Close() }()
		if err := store.Check(ctx); err != nil {
			return "", nil, fmt.Errorf("REDIS_URL: %w", err)
		}
		return url, nil, nil
	}
	server, err = redisserver.Start(ctx)
	if errors.Is(err, redisserver.ErrNone) {
		return "", nil, errNoRedis
	}
	if err != nil {
		return "", nil, err
	}
	return "redis://" + server.Addr, server, nil
}

// distant puts a round trip between the clients and h.
func distant(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(roundTrip / 2)
		h.ServeHTTP(w, r)
		time.Sleep(roundTrip / 2) // the answer is short, and leaves when we return
	})
}

// launch starts the processes.
func launch(ctx context.Context, o options, url, redisURL string, stderr io.Writer) (*fleet, []*bufio.Scanner, error) {
	env := []string{
		serverVar + "=" + url,
		redisVar + "=" + redisURL,
		prefixVar + "=" + fmt.Sprintf("headway-fleet-%d:", os.Getpid()), // what another run has left is of no use
	}
	f := &fleet{}
	var lines []*bufio.Scanner
	for range o.processes {
		p, said, err := start(ctx, env, stderr)
		if err != nil {
			for _, p := range f.processes {
				f.kill(p)
				_ = p.cmd.Wait()
			}
			return nil, nil, err
		}
		f.processes = append(f.processes, p)
		lines = append(lines, said)
	}
	return f, lines, nil
}

// chaos plans the accidents.
func (f *fleet) chaos(ctx context.Context, n int, server *redisserver.Server, stderr io.Writer) {
	f.steps = append(f.steps, step{n - n/3, func() { f.kill(f.processes[len(f.processes)-1]) }})
	if server == nil {
		fmt.Fprintln(stderr, "fleet: Redis is that of REDIS_URL, and is not restarted")
		return
	}
	f.steps = append(f.steps, step{n - n/2, func() {
		server.Kill()
		select {
		case <-time.After(away):
		case <-ctx.Done():
			return
		}
		if err := server.Run(ctx); err != nil {
			fmt.Fprintln(stderr, "fleet:", err)
		}
	}})
}

func (f *fleet) report(o options, limit *throttletest.Handler) report {
	rep := report{Refused: limit.Refused(), Lost: f.lost, failure: f.failure}
	if at := limit.Arrivals(); len(at) > 0 {
		rep.Seconds = at[len(at)-1].At.Sub(at[0].At).Seconds()
	}
	rep.Used = float64(limit.Admitted()) / (float64(o.burst) + o.rate*rep.Seconds)
	var calls, ops int64
	for _, p := range f.processes {
		calls, ops = calls+p.part.Calls, ops+p.part.Ops
		rep.Parts = append(rep.Parts, p.part)
	}
	rep.Ops = float64(ops) / float64(max(1, calls))
	rep.Jain = jain(rep.Parts)
	return rep
}

// showProgress rewrites a line on a terminal until the function that it returns
// is called. Elsewhere it shows nothing.
func (f *fleet) showProgress(n int, limit *throttletest.Handler, stderr io.Writer) (stop func()) {
	if !isTerminal(stderr) {
		return func() {}
	}
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			f.mu.Lock()
			left := f.left
			f.mu.Unlock()
			fmt.Fprintf(stderr, "\r%d of %d calls answered, %d refused", n-left, n, limit.Refused())
			select {
			case <-tick.C:
			case <-done:
				fmt.Fprint(stderr, "\r\x1b[K") // wipes the line
				return
			}
		}
	})
	return func() {
		close(done)
		wg.Wait()
	}
}

// isTerminal takes /dev/null for one too, which does no harm.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
