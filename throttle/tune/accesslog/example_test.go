package accesslog_test

import (
	"fmt"
	"strings"

	"github.com/headway-go/headway/throttle/tune/accesslog"
)

// The format is found out, and what cannot be read is told.
func ExampleMerge() {
	today := `10.0.0.1 - - [02/Jan/2026:00:00:00 +0000] "GET /a?b HTTP/1.1" 200 17`
	yesterday := `10.0.0.2 - - [01/Jan/2026:00:00:00 +0000] "GET /a HTTP/1.1" 200 17
half a line`
	var readers []*accesslog.Reader
	for name, log := range map[string]string{"access.log": today, "access.log.1": yesterday} {
		r, err := accesslog.NewReader(name, strings.NewReader(log), accesslog.Options{})
		if err != nil {
			panic(err)
		}
		readers = append(readers, r)
	}
	for call, err := range accesslog.Merge(readers) {
		if err != nil {
			panic(err)
		}
		fmt.Printf("%s %s %s %s\n", call.At.Format("Jan 2"), call.Client, call.Method, call.Path)
	}
	for _, r := range readers {
		if t := r.Tally(); t.Bad > 0 {
			fmt.Printf("%s:%d: %s\n", t.Name, t.First[0].Number, t.First[0].Problem)
		}
	}
	// Output:
	// Jan 1 10.0.0.2 GET /a
	// Jan 2 10.0.0.1 GET /a
	// access.log.1:2: no [time]
}
