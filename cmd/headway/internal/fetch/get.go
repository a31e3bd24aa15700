package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"time"
)

// A problem is why there is no answer to a URL.
type problem struct {
	cause    string
	answered bool // by the server, however
	lost     bool // it would be the same for all others of the host
}

func (p *problem) Error() string { return p.cause }

// get fetches a URL, and keeps the answer. The error is a *problem, or one of the
// store.
func (j *Job) get(ctx context.Context, u *url.URL) (int64, error) {
	ctx, cancel := patient(ctx)
	defer cancel(nil)
	req := j.Request.Clone(ctx)
	req.URL = u
	resp, err := j.Client.Do(req)
	if err != nil {
		text, lost := unsent(err)
		if !lost {
			text = cause(err)
		}
		return 0, &problem{cause: text, lost: lost}
	}
	holdOf(ctx).answered()
	defer resp.Body.Close()
	body := &body{from: resp.Body, most: j.MaxBody, wait: j.Timeout, silent: func() { cancel(errSilent) }}
	a := &Answer{URL: u, Status: resp.StatusCode, Type: resp.Header.Get("Content-Type"), Body: body}
	if !a.good() && !j.KeepErrors {
		_, _ = io.CopyN(io.Discard, body, drainBytes)
		return 0, &problem{cause: statusCause(a.Status), answered: true}
	}
	n, err := j.Store.Save(a)
	switch {
	case body.err != nil:
		if done := context.Cause(ctx); done != nil {
			body.err = done
		}
		return 0, &problem{cause: cause(body.err), answered: true}
	case err != nil:
		return 0, err
	case !a.good():
		return 0, &problem{cause: statusCause(a.Status), answered: true}
	}
	return n, nil
}

// grace is how long a call that was sent has to come to its end when all are to
// stop: it counts at the server, and would have to be made again.
const grace = 2 * time.Second

// patient is ctx for one call. Once ctx is done it ends at once if the call was
// not sent yet, else after the grace.
func patient(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	call, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	release := context.AfterFunc(ctx, func() {
		end := func() { cancel(context.Cause(ctx)) }
		if holdOf(ctx).gone.Load() {
			time.AfterFunc(grace, end)
		} else {
			end()
		}
	})
	return call, func(cause error) {
		release()
		cancel(cause)
	}
}

// drainBytes is what is read of a body that nobody wants, so that its connection
// is free for others.
const drainBytes = 64 << 10

// A body is that of an answer. It remembers what went wrong with it, so that this
// is told from what went wrong where it is kept.
type body struct {
	from   io.Reader
	most   int64         // 0 is no bound
	wait   time.Duration // until silent is called
	silent func()
	read   int64
	err    error // but for io.EOF
}

func (b *body) Read(p []byte) (int, error) {
	silence := time.AfterFunc(b.wait, b.silent)
	n, err := b.from.Read(p)
	silence.Stop()
	if b.read += int64(n); b.most > 0 && b.read > b.most {
		err = errTooLong
	}
	if err != nil && !errors.Is(err, io.EOF) {
		b.err = err
	}
	return n, err
}

// lostFor is why no more is asked of the host, or empty.
func (h *Host) lostFor() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.lost
}

// note takes in what became of a call; nil is that all went well.
func (h *Host) note(p *problem) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case p == nil || p.answered:
		h.broken = 0
	case p.lost:
		h.lost = p.cause
	default:
		h.broken++
		most := maxSilent
		if h.turn.answered.Load() {
			most = maxBroken
		}
		if h.broken >= most {
			h.lost = fmt.Sprintf("not tried after %d calls to %s in a row that had no answer, the last: %s", most, h.name, p.cause)
		}
	}
}
