// Fleet sends calls from several processes to one rate-limited server. They share
// its budget over Redis, and know nothing else of each other. It prints what the
// server refused, how much of the budget was used, how even the processes' parts
// are, and what it cost in Redis operations.
//
//	go run ./examples/fleet
//	go run ./examples/fleet -json
//	go run ./examples/fleet -chaos
//	REDIS_URL=redis://localhost:6379 go run ./examples/fleet -n 2000 -processes 8
//
// Redis is that of REDIS_URL, or a redis-server of our own, if there is one in
// PATH. With -chaos one process is killed when a third of the calls is done, and
// Redis, if it is ours, is killed at half of them and comes back empty a second
// later. The calls that the process had not answered are given to the others.
//
// The exit status is 0 if every call was answered, 1 if not or if there is no
// Redis, 2 if the flags or REDIS_URL make no sense and 130 after Ctrl-C.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"text/tabwriter"

	"github.com/headway-go/headway/throttle/redisstore"
	"github.com/redis/go-redis/v9/logging"
)

func main() {
	logging.Disable() // of the Redis client: what matters is told by the events of the store
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	var status int
	if url := os.Getenv(serverVar); url != "" {
		status = work(ctx, url, os.Stdin, os.Stdout, os.Stderr)
	} else {
		status = run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	}
	stop()
	os.Exit(status)
}

var errInterrupted = errors.New("interrupted")

// options are the flags.
type options struct {
	n         int
	processes int
	rate      float64
	burst     int
	chaos     bool
	json      bool
}

// run is main without the process around it. It returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	}
	rep, err := measure(ctx, o, stdout, stderr)
	if ctx.Err() != nil {
		err = errInterrupted
	}
	if err != nil {
		fmt.Fprintln(stderr, "fleet:", err)
		switch {
		case errors.Is(err, errInterrupted):
			return 130
		case errors.Is(err, redisstore.ErrURL):
			return 2
		}
		return 1
	}
	if err := rep.print(o.json, stdout, stderr); err != nil {
		fmt.Fprintln(stderr, "fleet:", err)
		return 1
	}
	return min(1, rep.Lost)
}

// parse reads the flags. It has said what is wrong with them if it returns an
// error.
func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	fs := flag.NewFlagSet("fleet", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.IntVar(&o.n, "n", 15000, "how many calls")
	fs.IntVar(&o.processes, "processes", 4, "how many processes make them")
	fs.Float64Var(&o.rate, "rate", 500, "how many calls a second the server takes")
	fs.IntVar(&o.burst, "burst", 200, "how many it takes at once")
	fs.BoolVar(&o.chaos, "chaos", false, "kill a process, and restart Redis")
	fs.BoolVar(&o.json, "json", false, "print one JSON object instead of a table")
	if err := fs.Parse(args); err != nil {
		return o, err
	}
	err := o.check(fs.Args())
	if err != nil {
		fmt.Fprintln(stderr, "fleet:", err)
	}
	return o, err
}

func (o options) check(rest []string) error {
	switch {
	case len(rest) > 0:
		return fmt.Errorf("%q is not a flag", rest[0])
	case o.n < 1 || o.n > 1e6:
		return fmt.Errorf("-n is %d, want 1 to 1000000", o.n)
	case o.processes < 1 || o.processes > 50:
		return fmt.Errorf("-processes is %d, want 1 to 50", o.processes)
	case o.chaos && o.processes < 2:
		return errors.New("-chaos kills a process, and needs -processes to be 2 at least")
	case !(o.rate >= 1 && o.rate <= 5000):
		return fmt.Errorf("-rate is %v, want 1 to 5000", o.rate)
	case o.burst < 1 || o.burst > 1e5:
		return fmt.Errorf("-burst is %d, want 1 to 100000", o.burst)
	}
	return nil
}

func (o options) intro() string {
	return fmt.Sprintf("%d calls from %d processes to a server that takes %v a second, %d at once, and answers after %v",
		o.n, o.processes, o.rate, o.burst, roundTrip)
}

// A report is what is printed: one JSON object, or a table.
type report struct {
	Refused int     `json:"refused"`     // by the server
	Used    float64 `json:"utilisation"` // calls taken, of what the limit allowed from the first to the last
	Jain    float64 `json:"jain"`        // how even the parts are of those who were there all the time: 1 is equal
	Ops     float64 `json:"redis_ops_per_call"`
	Lost    int     `json:"lost"` // calls without a good answer in the end
	Seconds float64 `json:"seconds"`
	Parts   []part  `json:"processes"`

	failure string // of the first call that failed
}

// A part is what one process did.
type part struct {
	Calls  int64 `json:"calls"`
	Ops    int64 `json:"redis_ops"`
	Killed bool  `json:"killed"`
}

func (r report) print(asJSON bool, stdout, stderr io.Writer) error {
	if r.failure != "" {
		fmt.Fprintln(stderr, "fleet: the first call that failed:", r.failure)
	}
	if asJSON {
		return json.NewEncoder(stdout).Encode(r)
	}
	tw := tabwriter.NewWriter(stdout, 0, 0, 3, ' ', 0)
	fmt.Fprintln(tw, "process\tcalls\tRedis operations")
	for i, p := range r.Parts {
		note := ""
		if p.Killed {
			note = "\tkilled"
		}
		fmt.Fprintf(tw, "%d\t%d\t%d%s\n", i+1, p.Calls, p.Ops, note)
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(stdout, "refused: %d   used: %.2f %% of the budget   Jain: %.4f   Redis: %.3f operations a call   lost: %d   time: %.2f s\n",
		r.Refused, 100*r.Used, r.Jain, r.Ops, r.Lost, r.Seconds)
	return err
}

// jain is Jain's index of fairness: 1 if all have the same, 1/n if one has all.
func jain(parts []part) float64 {
	var n, sum, squares float64
	for _, p := range parts {
		if !p.Killed {
			n, sum, squares = n+1, sum+float64(p.Calls), squares+float64(p.Calls)*float64(p.Calls)
		}
	}
	return sum * sum / cmp.Or(n*squares, 1)
}
