// Command bench measures this module side by side with those of others: the
// same work, in one run, each contender for a short while in turn, round after
// round. It prints, for each kind of work, what one operation takes, how that
// compares to the least that anybody could do and to the best of the others, and
// what it allocates.
//
//	go run ./internal/bench
//	go run ./internal/bench -run decision -rounds 50
//	go run ./internal/bench -json
//	go run ./internal/bench -write
//
// The exit status is 0 if all was measured, whether or not the aims are met, 1
// if something failed, 2 if the flags make no sense and 130 after Ctrl-C.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"time"

	"github.com/headway-go/headway/internal/redisserver"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	status := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// options are the flags.
type options struct {
	only   *regexp.Regexp // rows to run; nil means all
	rounds int
	slice  time.Duration
	long   time.Duration
	shrink int
	list   bool
	json   bool
	write  bool
}

// run is main without the process around it. It returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintln(stderr, "bench:", err)
		return 2
	}
	err = o.do(ctx, stdout, stderr)
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errInterrupted) || ctx.Err() != nil:
		fmt.Fprintln(stderr, "bench: interrupted")
		return 130
	}
	fmt.Fprintln(stderr, "bench:", err)
	return 1
}

func parse(args []string, stderr io.Writer) (options, error) {
	o := options{shrink: 1}
	fs := flag.NewFlagSet("bench", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	only := fs.String("run", "", "measure the rows whose name this `regexp` matches")
	fs.IntVar(&o.rounds, "rounds", 41, "measure each contender `n` times at the most")
	fs.DurationVar(&o.slice, "time", 2*time.Millisecond, "for what `duration` each time")
	fs.DurationVar(&o.long, "long", 2*time.Second, "for what `duration` the releases of waiters are counted")
	fs.BoolVar(&o.list, "list", false, "only list the rows")
	fs.BoolVar(&o.json, "json", false, "print one JSON object")
	fs.BoolVar(&o.write, "write", false, "write BENCHMARKS.md too, at the root of the repository")
	err := fs.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fs.SetOutput(stderr)
		fs.Usage()
	}
	if err == nil && *only != "" {
		if o.only, err = regexp.Compile(*only); err != nil {
			err = fmt.Errorf("-run: %w", err)
		}
	}
	if err != nil {
		return o, err
	}
	return o, o.check(fs.Args())
}

func (o *options) check(rest []string) error {
	switch {
	case len(rest) > 0:
		return fmt.Errorf("%q is not a flag", rest[0])
	case o.rounds < 1 || o.rounds > 10_000:
		return fmt.Errorf("-rounds is %d, want 1 to 10000", o.rounds)
	case o.slice < time.Microsecond || o.slice > time.Minute:
		return fmt.Errorf("-time is %v, want 1µs to 1m", o.slice)
	case o.long < time.Millisecond || o.long > time.Hour:
		return fmt.Errorf("-long is %v, want 1ms to 1h", o.long)
	case o.write && (o.only != nil || o.list):
		return errors.New("-write wants all rows: leave out -run and -list")
	}
	if len(o.chosen()) == 0 {
		return fmt.Errorf("-run: no row matches %q; -list shows them", o.only)
	}
	return nil
}

// chosen are the rows to measure.
func (o *options) chosen() []row {
	return slices.DeleteFunc(rows(), func(r row) bool { return o.only != nil && !o.only.MatchString(r.name) })
}

func (o *options) do(ctx context.Context, stdout, stderr io.Writer) error {
	if o.list {
		writeList(stdout, o.chosen())
		return nil
	}
	var file string
	if o.write {
		var err error
		if file, err = reportFile(); err != nil {
			return err // before the work, not after it
		}
	}
	rep, err := o.measure(ctx, stdout, stderr)
	if err == nil && o.json {
		err = json.NewEncoder(stdout).Encode(rep)
	}
	if err == nil && o.write {
		err = rep.save(file)
	}
	return err
}

// measure runs the rows, and prints each when it is done unless all are to be
// JSON.
func (o *options) measure(ctx context.Context, stdout, stderr io.Writer) (*report, error) {
	rep := newReport(*o)
	chosen := o.chosen()
	for i, r := range chosen {
		if o.json {
			fmt.Fprintf(stderr, "%d/%d %s\n", i+1, len(chosen), r.name)
		}
		res, err := r.run(&bench{ctx: ctx, shrink: o.shrink, long: o.long}, *o)
		if errors.Is(err, redisserver.ErrNone) {
			fmt.Fprintf(stderr, "bench: left out: %v\n", err)
			continue
		}
		if err != nil {
			return nil, err
		}
		rep.Rows = append(rep.Rows, res)
		if !o.json {
			res.print(stdout)
		}
	}
	if !o.json {
		fmt.Fprintln(stdout, rep.score())
	}
	return rep, nil
}
