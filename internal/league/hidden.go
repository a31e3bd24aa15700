package league

import (
	"fmt"
	"time"

	"github.com/headway-go/headway/throttle/simulate"
)

// hiddenBuckets are token buckets that publish nothing, one process at each.
// The first three are 7/s with a burst of 3.
func hiddenBuckets() []Scenario {
	var all []Scenario
	for _, b := range []struct {
		suffix           string
		perSecond, burst int64
	}{{"", 7, 3}, {"-33", 33, 200}, {"-1", 1, 60}, {"-300", 300, 30}} {
		for _, retry := range []simulate.Retry{simulate.RetryNone, simulate.RetryExact, simulate.RetrySeconds} {
			all = append(all, hiddenBucket(b.suffix, b.perSecond, b.burst, retry))
		}
	}
	return all
}

var retryNames = map[simulate.Retry]struct{ suffix, about string }{
	simulate.RetryNone:    {"", "no Retry-After"},
	simulate.RetryExact:   {"-exact", "an exact Retry-After"},
	simulate.RetrySeconds: {"-seconds", "Retry-After in whole seconds"},
}

func hiddenBucket(suffix string, perSecond, burst int64, retry simulate.Retry) Scenario {
	const span = 10 * time.Minute
	known := limitOf(perSecond, burst)
	return Scenario{
		Name:    "hidden-bucket" + retryNames[retry].suffix + suffix,
		About:   fmt.Sprintf("a token bucket of %d/s, burst %d, that publishes nothing, with %s", perSecond, burst, retryNames[retry].about),
		Targets: hiddenTargets(perSecond, burst, retry),
		span:    span, server: bucketOf(perSecond, burst), publish: simulate.Publisher{Retry: retry}, network: wan,
		capacity: known.bucket(span), processes: 1, load: saturate(64), known: known,
	}
}

// hiddenTargets has none where whole seconds cost more than the burst holds,
// but for the one that is asked for.
func hiddenTargets(perSecond, burst int64, retry simulate.Retry) []Target {
	refused := 0.005
	if perSecond < 5 {
		refused = 0.01
	}
	switch {
	case retry != simulate.RetrySeconds || perSecond <= burst:
		return []Target{
			atLeast("utilisation", 0.985, "98.9 to 99.97 % (AWS adaptive)"),
			atMost("refused_ratio", refused, "2.8 to 35 % (AWS adaptive)"),
		}
	case perSecond == 300:
		return []Target{atLeast("utilisation", 0.90, "42.6 % (AWS adaptive)"), atMost("refused_ratio", 0.005, "")}
	}
	return nil
}

// hiddenWindows are other limits that publish nothing.
func hiddenWindows() []Scenario {
	drop := windowDrop("hidden-window-drop", simulate.RetrySeconds)
	drop.Targets = []Target{
		atLeast("utilisation", 0.97, "90 % (Nall)"),
		atMost("refused_total", 45, "56 (Nall)"),
	}
	all := []Scenario{
		drop,
		windowDrop("hidden-window-drop-exact", simulate.RetryExact),
		windowDrop("hidden-window-drop-none", simulate.RetryNone),
		bucketDrop(),
	}
	for _, retry := range []simulate.Retry{simulate.RetryNone, simulate.RetryExact, simulate.RetrySeconds} {
		suffix := retryNames[retry].suffix
		all = append(all,
			hiddenWindow("hidden-fixed-250"+suffix, "a fixed window of 250 in 30 s", fixedWindow(250, 30*time.Second), retry, limit{250. / 30, 250}),
			hiddenWindow("hidden-sliding-600"+suffix, "a sliding window of 600 in 60 s", slidingLog(600, time.Minute), retry, limit{10, 600}),
		)
	}
	return all
}

func hiddenWindow(name, what string, server func() simulate.Server, retry simulate.Retry, known limit) Scenario {
	const span = 10 * time.Minute
	return Scenario{
		Name:  name,
		About: what + " that publishes nothing, with " + retryNames[retry].about,
		span:  span, server: server, publish: simulate.Publisher{Retry: retry}, network: wan,
		capacity: capacityOf(server(), span), processes: 1, load: saturate(64), known: known,
	}
}

// windowDrop is the demonstration of Nall.RateLimiting.Adaptive, at a sliding
// window; its authors do not say which kind theirs was.
func windowDrop(name string, retry simulate.Retry) Scenario {
	const span = 15 * time.Minute
	server := func() simulate.Server { return dropping(must(simulate.NewSlidingLog(rateOf(3000, time.Minute)))) }
	return Scenario{
		Name:  name,
		About: "two processes want 4000 calls a minute of 3000 that nobody publishes, and of 1500 in the sixth minute, with " + retryNames[retry].about,
		span:  span, server: server, publish: simulate.Publisher{Retry: retry}, network: wan,
		capacity: 14*3000 + 1500, processes: 2, load: demand(32, 2000./60, span), known: limit{50, 3000},
	}
}

// bucketDrop is the same demand on a token bucket.
func bucketDrop() Scenario {
	s := windowDrop("hidden-bucket-drop", simulate.RetryNone)
	s.About = "two processes want 4000 calls a minute of a hidden token bucket of 50/s, burst 50, that is half as fast in the sixth minute"
	s.server = func() simulate.Server { return dropping(must(simulate.NewTokenBucket(rateOf(50, time.Second), 50))) }
	s.capacity, s.known = 50+14*3000+1500, limit{50, 50}
	return s
}

// dropping halves a rate for the sixth minute.
func dropping(server simulate.Adjustable) simulate.Server {
	full := server.Policy()
	half := full
	half.Rate.Count /= 2
	if full.Burst == full.Rate.Count {
		half.Burst = half.Rate.Count // of a window; a bucket of one second shrinks with it
	}
	return must(simulate.NewChanging(server,
		simulate.Change{At: 5 * time.Minute, Policy: half}, simulate.Change{At: 6 * time.Minute, Policy: full}))
}
