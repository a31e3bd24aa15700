package tune

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/headway-go/headway/throttle/tune/accesslog"
)

// Options say what is measured, and by what measure. The zero Options work. They
// are a plain value, and may be shared once they are set.
type Options struct {
	// Limit is the rate that is advertised, for each client. Zero means
	// DefaultLimit.
	Limit Limit

	// Rules are for classes of calls that are to be told apart or that are not
	// as they seem. Of several patterns that match a call the most specific
	// holds.
	Rules []Rule

	// ByUser makes whoever has logged in the client. Who has not is known by
	// the address.
	ByUser bool

	// Gap is how long a client may pause within a cluster. Zero means 500 ms.
	Gap time.Duration

	// Percentile is that of the sizes of clusters that counts, above 0 and up to
	// 100. Zero means 99.
	Percentile float64

	// CloseToZero is the share of calls that may be refused at a burst that is
	// large enough, up to 1. Zero means 0.005, and less than zero none.
	CloseToZero float64

	// Candidates are further bursts to replay the calls against, each as τ/T.
	Candidates []int64

	// MaxClients is how many clients are told apart. The calls of others are
	// counted, and left out. Zero means 1,000,000.
	MaxClients int

	// MaxClasses is how many classes of calls are told apart. Others are one
	// class. Zero means 100.
	MaxClasses int

	// Held is how many calls are held back so that those that were written down
	// too late can be put where they belong. Calls that come later than that
	// are counted, and left out. Zero means 262,144, which takes 8 MiB.
	Held int

	// Log says how to read logs.
	Log accesslog.Options
}

// A Rule is for one class of calls.
type Rule struct {
	// Pattern says which calls: a pattern of http.ServeMux, or the name of a
	// class.
	Pattern string

	// Type is what kind of client makes them. Zero means that it is guessed.
	Type ClientType

	// Limit is the rate that is advertised for them. Zero means that of the
	// Options.
	Limit Limit
}

// An OptionError reports an option that makes no sense.
type OptionError struct {
	Field string // of Options
	Value any    // what was given
	Want  string // what would do
}

func (e *OptionError) Error() string {
	return fmt.Sprintf("tune: %s %v, want %s", e.Field, e.Value, e.Want)
}

// The most that is taken of what a user may choose.
const (
	maxCandidates = 1000
	maxTauOverT   = 1_000_000
)

// Validate returns an [*OptionError], or one of package accesslog, for the first
// option that makes no sense.
func (o *Options) Validate() error {
	if err := o.validate(); err != nil {
		return err
	}
	_, err := newRoutes(o.Rules)
	return err
}

func (o *Options) validate() error {
	switch {
	case o.Limit != Limit{} && !o.Limit.isValid():
		return &OptionError{"Limit", o.Limit, errLimit.Error()[len("tune: want "):]}
	case o.Gap < 0 || o.Gap > 24*time.Hour:
		return &OptionError{"Gap", o.Gap, "0s to 24h"}
	case !(o.Percentile >= 0 && o.Percentile <= 100):
		return &OptionError{"Percentile", o.Percentile, "above 0 and up to 100"}
	case !(o.CloseToZero <= 1):
		return &OptionError{"CloseToZero", o.CloseToZero, "a share of up to 1"}
	case len(o.Candidates) > maxCandidates:
		return &OptionError{"Candidates", len(o.Candidates), fmt.Sprint("up to ", maxCandidates)}
	case o.MaxClients < 0 || o.MaxClasses < 0 || o.Held < 0:
		return &OptionError{"MaxClients, MaxClasses or Held", "below zero", "a number"}
	}
	for _, b := range o.Candidates {
		if b < 0 || b > maxTauOverT {
			return &OptionError{"Candidates", b, fmt.Sprint("0 to ", maxTauOverT)}
		}
	}
	return o.Log.Validate()
}

func (o *Options) withDefaults() Options {
	d := *o
	if d.Limit == (Limit{}) {
		d.Limit = DefaultLimit
	}
	d.Gap = cmp.Or(d.Gap, 500*time.Millisecond)
	d.Percentile = cmp.Or(d.Percentile, 99)
	d.CloseToZero = cmp.Or(d.CloseToZero, 0.005)
	d.MaxClients = cmp.Or(d.MaxClients, 1_000_000)
	d.MaxClasses = cmp.Or(d.MaxClasses, 100)
	d.Held = cmp.Or(d.Held, 1<<18)
	return d
}

// ladder returns the bursts that calls are replayed against, as τ/T: each up to
// 32, then eight to each doubling, up to 4096, and those of the options.
func (o *Options) ladder() []int64 {
	steps := slices.Clone(o.Candidates)
	for b := range int64(33) {
		steps = append(steps, b)
	}
	for octave := int64(32); octave < 4096; octave *= 2 {
		for i := int64(1); i <= 8; i++ {
			steps = append(steps, octave+i*octave/8)
		}
	}
	slices.Sort(steps)
	return slices.Compact(steps)
}
