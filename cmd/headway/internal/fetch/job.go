package fetch

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"
)

// A Job fetches what is left of a plan. Set the fields before Run.
type Job struct {
	Plan  *Plan
	Store Store
	Rest  *Rest // where what was not fetched is listed; nil is nowhere

	// Client makes the calls. Its Transport decides when each may go, and has a
	// [Base] as the last of its parts.
	Client *http.Client

	// Request is what all requests are like, but for their URLs.
	Request *http.Request

	// Concurrency is how many calls may be under way on one host, at least one.
	Concurrency int

	// Timeout is how long a body may bring nothing. Until an answer begins it is
	// the Client's own to see to.
	Timeout time.Duration

	// KeepErrors is whether to keep the bodies of answers of other statuses than
	// 2xx as well. They count as failed all the same.
	KeepErrors bool

	// MaxBody is how long a body may be; zero is no bound.
	MaxBody int64

	tally tally
}

// MaxHosts is how many hosts are asked at once. The next takes the place of one
// of which nothing is left.
const MaxHosts = 64

// How many calls in a row may be without an answer until a host is given up. What
// was not tried is to be fetched another time.
const (
	maxBroken = 50
	maxSilent = 10 // if none had one; they go one after the other
)

const interrupted = "interrupted"

// Tally is what became of the URLs so far. It may be called at any time.
func (j *Job) Tally() Tally { return j.tally.now() }

// Run fetches. It returns once all was tried, and an error if ctx was done before,
// its cause, or the Store could not keep an answer.
func (j *Job) Run(ctx context.Context) error {
	follow := j.Client.CheckRedirect
	client := *j.Client
	client.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		holdOf(req.Context()).answered()
		return follow(req, via)
	}
	j.Client = &client
	working, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	places := make(chan struct{}, MaxHosts)
	var all sync.WaitGroup
	for _, h := range j.Plan.order {
		places <- struct{}{}
		all.Go(func() {
			j.host(working, stop, h)
			<-places
		})
	}
	all.Wait()
	return context.Cause(working)
}

// host fetches what is left of a host. An error stops all.
func (j *Job) host(ctx context.Context, stop context.CancelCauseFunc, h *Host) {
	var workers sync.WaitGroup
	for range j.Concurrency {
		workers.Go(func() {
			if err := j.work(ctx, h); err != nil {
				stop(err)
			}
		})
	}
	workers.Wait()
	for ctx.Err() != nil {
		text, err := h.next()
		if text == "" || err != nil {
			return
		}
		j.Rest.add(text, interrupted)
	}
}

// work fetches one URL of the host after the other.
func (j *Job) work(ctx context.Context, h *Host) error {
	for ctx.Err() == nil {
		hold := h.turn.take()
		more, err := j.one(ctx, h, hold)
		hold.pass()
		if !more || err != nil {
			return err
		}
	}
	return nil
}

// one fetches the next URL, and reports whether there was one. The error is one
// that concerns all others.
func (j *Job) one(ctx context.Context, h *Host, hold *hold) (bool, error) {
	if ctx.Err() != nil {
		return false, nil
	}
	text, err := h.next()
	if text == "" || err != nil {
		return false, err
	}
	u, err := ParseURL(text)
	if err != nil {
		return false, err
	}
	if lost := h.lostFor(); lost != "" {
		j.Rest.add(text, lost)
		j.tally.failed(u, lost)
		return true, nil
	}
	n, err := j.get(hold.in(ctx), u)
	problem, wrong := errors.AsType[*problem](err)
	switch {
	case ctx.Err() != nil && err != nil:
		j.Rest.add(text, interrupted)
		return false, nil
	case wrong:
		h.note(problem)
		j.Rest.add(text, problem.cause)
		j.tally.failed(u, problem.cause)
		return true, nil
	case err != nil:
		j.Rest.add(text, interrupted)
		return false, err
	}
	h.note(nil)
	j.tally.fetched(n)
	return true, nil
}
