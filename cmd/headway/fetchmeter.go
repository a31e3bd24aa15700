package main

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/transport"
)

// events count what a Transport tells.
type events struct {
	mu     sync.Mutex
	counts eventCounts
}

type eventCounts struct {
	refused, again int64
	longest        time.Duration // that an attempt waited for its slot
}

func (v *events) observe(_ context.Context, e transport.Event) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch e.Kind {
	case transport.EventWaited:
		v.counts.longest = max(v.counts.longest, e.Wait)
	case transport.EventThrottled:
		v.counts.refused++
	case transport.EventRetry:
		v.counts.again++
	}
}

func (v *events) now() eventCounts {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.counts
}

// How often the bar is drawn anew, and the budgets are written, so that not all
// is lost of them if the program is killed.
const (
	barEvery    = 250 * time.Millisecond
	budgetEvery = 5 * time.Second
)

// run fetches, with a progress bar if somebody looks on.
func (f *fetching) run(ctx context.Context) error {
	visible := isTerminal(f.env.stderr) && !(f.command.Jsonl == "-" && isTerminal(f.env.live))
	bar := progress(f.env.stderr, visible, int(min(f.plan.Left(), math.MaxInt)),
		progressbar.OptionSetWidth(12), progressbar.OptionShowIts(), progressbar.OptionSetItsString("call"),
		progressbar.OptionShowDescriptionAtLineEnd())
	watching, stop := context.WithCancel(context.WithoutCancel(ctx))
	var watch sync.WaitGroup
	watch.Go(func() { f.watch(watching, bar) })
	err := f.job.Run(ctx)
	stop()
	watch.Wait()
	_ = bar.Clear()
	switch {
	case ctx.Err() != nil:
		return errInterrupted
	case err != nil:
		return inFile(f.command.target(), err) // it cannot keep what comes
	}
	return nil
}

func (f *fetching) watch(ctx context.Context, bar *progressbar.ProgressBar) {
	draw, save := time.NewTicker(barEvery), time.NewTicker(budgetEvery)
	defer draw.Stop()
	defer save.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-save.C:
			_ = f.command.Budget.save(f.transport) // the last time is what counts
		case <-draw.C:
			tally := f.job.Tally()
			bar.Describe(glance(f.transport.Budgets(), f.events.now().refused, tally.Failed))
			_ = bar.Set64(tally.Fetched + tally.Failed)
		}
	}
}

// longPause is a wait that somebody who looks on would wonder about.
const longPause = 5 * time.Second

// glance is what the bar says of waits, refusals and failures.
func glance(budgets []throttle.State, refused, failed int64) string {
	waiting, pause := 0, time.Duration(math.MaxInt64)
	for _, b := range budgets {
		waiting += b.Waiting
		if b.Waiting > 0 {
			pause = min(pause, max(b.NextSlot, b.CoolingLeft))
		}
	}
	text := fmt.Sprintf("%d refused", refused)
	if failed > 0 {
		text += fmt.Sprintf(", %d failed", failed)
	}
	if waiting > 0 && pause > longPause {
		text += ", next within " + pause.Round(time.Second).String()
	} else if waiting > 0 {
		text += fmt.Sprintf(", %d waiting", waiting)
	}
	return text
}
