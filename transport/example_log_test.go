package transport_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/transport"
	"golang.org/x/time/rate"
)

// An EventLogger logs what happens to calls, each cause at most once a minute a
// key, with how often it came since.
type EventLogger struct {
	Log *slog.Logger

	mu    sync.Mutex
	since map[cause]*sighting
}

type cause struct {
	key   string
	kind  transport.EventKind
	cause throttle.Cause
}

type sighting struct {
	logged time.Time
	more   int // that were not logged
}

// Observe is for the field of that name of a transport.Transport.
func (l *EventLogger) Observe(ctx context.Context, ev transport.Event) {
	if ev.Kind == transport.EventSent {
		return // all is well, or another event follows
	}
	if more, ok := l.due(cause{ev.Key, ev.Kind, ev.Cause}); ok {
		l.Log.LogAttrs(ctx, level(ev.Kind), string(ev.Kind), attrs(ev, more)...)
	}
}

// due reports whether a minute is over, and how many were left out in it.
func (l *EventLogger) due(c cause) (more int, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.since == nil || len(l.since) > 10_000 {
		l.since = make(map[cause]*sighting)
	}
	s := l.since[c]
	if s == nil {
		s = &sighting{}
		l.since[c] = s
	}
	if now := time.Now(); now.Sub(s.logged) >= time.Minute {
		more, s.logged, s.more = s.more, now, 0
		return more, true
	}
	s.more++
	return 0, false
}

func level(kind transport.EventKind) slog.Level {
	switch kind {
	case transport.EventWaited, transport.EventRetry:
		return slog.LevelInfo
	}
	return slog.LevelWarn
}

// attrs are the figures that an event has.
func attrs(ev transport.Event, more int) []slog.Attr {
	out := []slog.Attr{slog.String("key", ev.Key)}
	add := func(name string, value any, there bool) {
		if there {
			out = append(out, slog.Any(name, value))
		}
	}
	add("cause", ev.Cause, ev.Cause != "")
	add("wait", ev.Wait.Round(time.Second), ev.Wait > 0)
	add("attempt", ev.Attempt, ev.Attempt > 1)
	add("status", ev.Status, ev.Status > 0)
	add("calls", ev.Calls, ev.Calls > 0)
	add("rate", ev.Rate, ev.Rate > 0)
	add("err", ev.Err, ev.Err != nil)
	add("shadow", true, ev.Shadow)
	add("more", more, more > 0)
	return out
}

// A log of all that matters, which does not flood: of nine calls that are refused
// here one is logged.
func Example_log() {
	logger := &EventLogger{Log: slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey || a.Key == "err" {
				return slog.Attr{} // as it is never the same
			}
			return a
		},
	}))}
	client := &http.Client{Transport: &transport.Transport{
		Base:    noNetwork{},
		Limits:  transport.Limits{"api.example.com/": {{Rate: rate.Every(time.Hour)}}},
		Observe: logger.Observe,
	}}
	failed := 0
	for range 10 {
		resp, err := client.Get("https://api.example.com/")
		if err != nil {
			failed++
			continue
		}
		_ = resp.Body.Close()
	}
	fmt.Println(failed, "failed")
	// Output:
	// level=WARN msg="refused locally" key=api.example.com cause=limit wait=1h0m0s
	// 9 failed
}
