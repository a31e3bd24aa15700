package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"

	"github.com/headway-go/headway/cmd/headway/internal/fetch"
)

// maxURLs is how many URLs a range may stand for.
const maxURLs = 100_000_000

// A complaint is what is wrong with the URLs that were given: the first of it,
// and how often there was more.
type complaint struct {
	first error
	more  int
}

func (c *complaint) add(err error) {
	if c.first == nil {
		c.first = err
	} else {
		c.more++
	}
}

func (c *complaint) err() error {
	if c.more == 0 {
		return c.first
	}
	return fmt.Errorf("%w (and %d more)", c.first, c.more)
}

// fill puts all that was given into the plan. It looks at all of it before it
// says what is wrong.
func (f *fetching) fill(ctx context.Context) error {
	var bad complaint
	for i, text := range f.command.URL {
		err := f.addRange(ctx, text)
		if errors.Is(err, errInterrupted) {
			return err
		}
		if err != nil {
			bad.add(fmt.Errorf("fetch: URL %d: %w", i+1, err))
		}
	}
	files, err := f.lists()
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := f.addList(ctx, file, &bad); err != nil {
			return err
		}
	}
	return bad.err()
}

// lists are the files to read; stdin if nothing was given.
func (f *fetching) lists() ([]string, error) {
	c := f.command
	if len(c.URL) > 0 || len(c.Input) > 0 {
		return c.Input, nil
	}
	if isTerminal(f.env.stdin) {
		return nil, errors.New("fetch: no URLs: give some, or a list with -i, or one on stdin")
	}
	return []string{"-"}, nil
}

// addRange adds the URLs that an argument stands for.
func (f *fetching) addRange(ctx context.Context, text string) error {
	t, err := fetch.ParseTemplate(text)
	if err != nil {
		return err
	}
	if n := t.Len(); n > maxURLs {
		if n == math.MaxInt64 {
			return fmt.Errorf("it stands for far more than %d URLs", maxURLs)
		}
		return fmt.Errorf("it stands for %d URLs, more than %d", n, maxURLs)
	}
	for one := range t.All() {
		if err := f.add(ctx, one); err != nil {
			if _, unlike := os.Stat(text); unlike == nil {
				return fmt.Errorf("%w; -i reads a list", err)
			}
			return err
		}
	}
	return nil
}

// addList adds the URLs of a file.
func (f *fetching) addList(ctx context.Context, file string, bad *complaint) error {
	r, name, err := f.env.open(file)
	if err != nil {
		return err
	}
	defer r.Close()
	err = fetch.ReadList(r,
		func(text string) error { return f.add(ctx, text) },
		func(at *fetch.LineError) error {
			if errors.Is(at, errInterrupted) {
				return errInterrupted
			}
			bad.add(&inputError{name, at.Line, at.Problem.Error()})
			return nil
		})
	if err != nil && !errors.Is(err, errInterrupted) {
		return unreadable(name, err)
	}
	return err
}

func (f *fetching) add(ctx context.Context, text string) error {
	if ctx.Err() != nil {
		return errInterrupted
	}
	u, err := fetch.ParseURL(text)
	if err != nil {
		return err
	}
	return f.plan.Add(u)
}
