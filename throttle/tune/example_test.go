package tune_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/headway-go/headway/throttle/tune"
	"github.com/headway-go/headway/throttle/tune/accesslog"
)

// A dashboard makes nine calls when it loads, of a limit of 60 a minute.
func ExampleRead() {
	var log strings.Builder
	for page := range 100 {
		for call := range 9 {
			fmt.Fprintf(&log, "%d.%03d alice GET /widgets/%d\n", 120*page, 4*call, call)
		}
	}
	report, err := tune.Read(tune.Options{}, tune.Log{Name: "trace", Reader: strings.NewReader(log.String())})
	if err != nil {
		panic(err)
	}
	fmt.Println("p99 of the clusters:", report.All.Clusters.Percentile)
	show := func(what string, b tune.Burst) {
		fmt.Printf("%s: τ/T = %d, so %d go back to back; τ = %v, %.0f %% of the window\n", what, b.TauOverT, b.BackToBack, b.Tolerance, 100*b.Share)
	}
	show("advised", report.All.Advised)
	show("enough ", report.All.Enough.Burst)
	for _, b := range []int64{0, 4, 8} {
		c := report.All.At(b)
		fmt.Printf("τ/T = %d: %d rejected, %.0f %%\n", b, c.Rejected, 100*c.Rate)
	}
	// Output:
	// p99 of the clusters: 9
	// advised: τ/T = 11, so 12 go back to back; τ = 11s, 18 % of the window
	// enough : τ/T = 8, so 9 go back to back; τ = 8s, 13 % of the window
	// τ/T = 0: 800 rejected, 89 %
	// τ/T = 4: 400 rejected, 44 %
	// τ/T = 8: 0 rejected, 0 %
}

// Arrivals that are no log.
func ExampleTuner() {
	t, err := tune.New(tune.Options{Limit: tune.Limit{Count: 10, Window: time.Second}})
	if err != nil {
		panic(err)
	}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range 1000 {
		t.Add(&accesslog.Entry{
			At:     start.Add(time.Duration(i/5) * time.Minute),
			Client: []byte("nightly export"),
			Class:  []byte("export"),
		})
	}
	report, err := t.Report()
	if err != nil {
		panic(err)
	}
	fmt.Println(report.Calls, "calls in clusters of", report.All.Clusters.Max)
	fmt.Println("enough: τ/T =", report.All.Enough.TauOverT)
	// Output:
	// 1000 calls in clusters of 5
	// enough: τ/T = 4
}
