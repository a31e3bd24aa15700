// Quickstart sends the same calls to a rate-limited server twice: with a plain
// http.Client that tries again at once when it is refused, and with one whose
// Transport is ours. It prints what the server refused, and how long it took.
//
//	go run ./examples/quickstart
//	go run ./examples/quickstart -json
//	go run ./examples/quickstart -url http://localhost:8080/ -n 50 -workers 4
//
// Without -url the server is one of our own, on a loopback socket. The exit
// status is 0 if every call of our client was answered, 1 if not, 2 if the flags
// make no sense and 130 after Ctrl-C.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/signal"
	"text/tabwriter"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	status := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// options are the flags.
type options struct {
	url     string
	n       int
	workers int
	json    bool
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
	if !o.json {
		fmt.Fprintln(stdout, o.intro())
	}
	rep, err := compare(ctx, o, stderr)
	if err != nil {
		fmt.Fprintln(stderr, "quickstart:", err)
		if ctx.Err() != nil {
			return 130
		}
		return 1
	}
	if err := rep.print(o.json, stdout, stderr); err != nil {
		fmt.Fprintln(stderr, "quickstart:", err)
		return 1
	}
	return min(1, int(rep.Headway.Failed))
}

// parse reads the flags. It has said what is wrong with them if it returns an
// error.
func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	fs := flag.NewFlagSet("quickstart", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.StringVar(&o.url, "url", "", "call this `URL` instead of a server of our own; the plain client\n"+
		"tries again without a pause, so take a server that you may flood")
	fs.IntVar(&o.n, "n", 120, "how many calls")
	fs.IntVar(&o.workers, "workers", 8, "how many at a time")
	fs.BoolVar(&o.json, "json", false, "print one JSON object instead of a table")
	if err := fs.Parse(args); err != nil {
		return o, err
	}
	err := o.check(fs.Args())
	if err != nil {
		fmt.Fprintln(stderr, "quickstart:", err)
	}
	return o, err
}

func (o options) check(rest []string) error {
	switch {
	case len(rest) > 0:
		return fmt.Errorf("%q is not a flag", rest[0])
	case o.n < 1 || o.n > 1e6:
		return fmt.Errorf("-n is %d, want 1 to 1000000", o.n)
	case o.workers < 1 || o.workers > 1000:
		return fmt.Errorf("-workers is %d, want 1 to 1000", o.workers)
	case o.url == "":
		return nil
	}
	u, err := url.Parse(o.url)
	if err != nil {
		return fmt.Errorf("-url: %w", err)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("-url is %q, want http://host/path or https://host/path", o.url)
	}
	return nil
}

func (o options) intro() string {
	server := cmp.Or(o.url, fmt.Sprintf("a server that takes %d a second, %d at once, and answers after %v",
		serverRate, serverBurst, roundTrip))
	return fmt.Sprintf("%d calls from %d workers to %s", o.n, o.workers, server)
}

// A report is what is printed: one JSON object, or a table.
type report struct {
	Plain   figures `json:"plain"`
	Headway struct {
		figures
		// The least time in which the server's limit lets so many calls
		// through, (N − B)·T; nil if the limit is not known.
		Bound *float64 `json:"bound_seconds"`
	} `json:"headway"`
}

// figures are what came of the calls of one client.
type figures struct {
	Sent    int64   `json:"sent"`    // requests, retries included
	Refused int64   `json:"refused"` // of these, by the server
	Failed  int64   `json:"failed"`  // calls without a good answer in the end
	Seconds float64 `json:"seconds"`

	failure error // of the first call that failed
}

func (r report) print(asJSON bool, stdout, stderr io.Writer) error {
	for _, f := range []figures{r.Plain, r.Headway.figures} {
		if f.failure != nil {
			fmt.Fprintln(stderr, "quickstart: the first call that failed:", f.failure)
		}
	}
	if asJSON {
		return json.NewEncoder(stdout).Encode(r)
	}
	return r.table(stdout)
}

func (r report) table(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	fmt.Fprintln(tw, "client\tsent\trefused\tfailed\ttime\ttime/bound")
	r.row(tw, "plain", r.Plain)
	r.row(tw, "headway", r.Headway.figures)
	if err := tw.Flush(); err != nil {
		return err
	}
	bound := "unknown, as the limit of this server is"
	if r.Headway.Bound != nil {
		bound = fmt.Sprintf("%.2f s, the least that the limit allows for so many calls", *r.Headway.Bound)
	}
	_, err := fmt.Fprintln(w, "bound:", bound)
	return err
}

func (r report) row(w io.Writer, client string, f figures) {
	ratio := "–"
	if b := r.Headway.Bound; b != nil && *b > 0 {
		ratio = fmt.Sprintf("%.3f", f.Seconds / *b)
	}
	fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%.2f s\t%s\n", client, f.Sent, f.Refused, f.Failed, f.Seconds, ratio)
}
