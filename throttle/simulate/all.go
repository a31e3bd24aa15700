package simulate

import (
	"slices"
	"time"
)

// An All is several limits at once, such as per second and per day. A call
// takes from all of them or from none.
type All struct {
	limits []Server
	tight  int // the limit that had the last word
}

// NewAll returns the limits as one. It returns a [*ParamError] if there are
// none.
func NewAll(limits ...Server) (*All, error) {
	if len(limits) == 0 || slices.Contains(limits, nil) {
		return nil, &ParamError{Model: "all", Field: "limits", Value: limits, Want: "one or more"}
	}
	return &All{limits: slices.Clone(limits)}, nil
}

// Arrive implements [Server].
func (a *All) Arrive(at time.Duration, cost int64) Verdict {
	if v := a.Peek(at, cost); !v.Admitted {
		return v
	}
	v, tight := a.merge(func(s Server) Verdict { return s.Arrive(at, cost) })
	a.tight = tight
	return v
}

// Peek implements [Server].
func (a *All) Peek(at time.Duration, cost int64) Verdict {
	v, tight := a.merge(func(s Server) Verdict { return s.Peek(at, cost) })
	a.tight = tight
	return v
}

// Policy implements [Server]: that of the limit which was tightest at the last
// arrival.
func (a *All) Policy() Policy { return a.limits[a.tight].Policy() }

// Policies returns those of all limits.
func (a *All) Policies() []Policy {
	var all []Policy
	for _, s := range a.limits {
		all = append(all, s.Policy())
	}
	return all
}

// Depart implements [Departer].
func (a *All) Depart(at time.Duration, cost int64) {
	for _, s := range a.limits {
		if d, ok := s.(Departer); ok {
			d.Depart(at, cost)
		}
	}
}

// merge asks every limit. The tightest has the last word: the one that refuses
// for longest, or that has the least left when none refuses.
func (a *All) merge(ask func(Server) Verdict) (Verdict, int) {
	admitted, tight := true, 0
	var v Verdict
	for i, s := range a.limits {
		each := ask(s)
		admitted = admitted && each.Admitted
		if i == 0 || tighter(each, v) {
			v, tight = each, i
		}
	}
	v.Admitted = admitted
	return v, tight
}

func tighter(a, b Verdict) bool {
	if a.Admitted != b.Admitted {
		return b.Admitted
	}
	if a.Admitted {
		return a.Left < b.Left
	}
	return longer(a.RetryAt, b.RetryAt)
}

// longer orders instants with Unknown between those known and Never.
func longer(a, b time.Duration) bool {
	switch {
	case a == Unknown:
		return b != Unknown && b != Never
	case b == Unknown:
		return a == Never
	}
	return a > b
}
