package headers

import (
	"math"
	"time"
)

// join makes policies of what the fields said: the IETF fields first, then the
// groups of counters; then those that say the same are made one.
func (r *reading) join(fields []field) {
	special := r.out
	r.out = nil
	r.readIETF(fields)
	if r.count > 0 {
		r.out = append(make([]Policy, 0, len(r.out)+r.count+len(special)), r.out...)
	}
	r.adopt()
	for i := range r.count {
		r.settle(r.at(i))
	}
	r.leftQuotas()
	r.out = append(r.out, special...)
	r.merge()
}

// settle turns a group into a policy or several.
func (r *reading) settle(g *group) {
	if g.raw[ofLimits] != "" {
		if r.compound(g) {
			return
		}
		r.noteGroup(g, g.raw[ofLimits], listReason)
	}
	if !g.val[limit].OK && !g.val[remaining].OK && !g.val[rate].OK {
		r.noteGroup(g, "", orphanReason)
		return
	}
	p := r.policyOf(g)
	p.Limit, p.Remaining, p.Burst, p.Cost = g.val[limit], g.val[remaining], g.val[burst], g.val[cost]
	p.Reset = g.reset
	if p.Window = g.window; p.Window == 0 {
		p.Window = g.class.window
	}
	deriveCounts(&p, g.val[used])
	if g.val[rate].OK {
		describeBucket(&p, g)
	}
	r.place(p, g)
}

// policyOf starts a policy with what the names of its fields tell.
func (r *reading) policyOf(g *group) Policy {
	p := Policy{Name: g.part, Unit: unitOf(g.unit), Dialect: g.label}
	for _, n := range r.names {
		if p.Name == "" && n.x == g.x && n.family == g.family {
			p.Name = n.text
		}
	}
	switch {
	case p.Unit == "percent":
		p.Kind = Share
	case g.perSecond:
		p.Kind = Rate
	}
	if g.state {
		p.Dialect = ietfLabel(g.class)
	}
	return p
}

// deriveCounts fills in the third of limit, used and remaining.
func deriveCounts(p *Policy, used Opt[float64]) {
	switch {
	case !used.OK:
	case !p.Limit.OK && p.Remaining.OK:
		p.Limit = Some(used.V + p.Remaining.V)
	case !p.Remaining.OK:
		p.use(used.V)
	}
}

// describeBucket makes the refill rate the limit; what the server calls the
// limit is the capacity, unless it names that too.
func describeBucket(p *Policy, g *group) {
	p.Kind = Bucket
	if !p.Burst.OK {
		p.Burst = p.Limit
	}
	p.Limit = g.val[rate]
	if p.Window == 0 {
		p.Window = g.per
	}
}

// place puts a policy with state among the listed ones, if there are any: it
// belongs to the one whose quota is the current limit, and of several to the
// shortest window that is not over before the reset.
func (r *reading) place(p Policy, g *group) {
	quotas := g.quotas
	if len(quotas) == 0 && r.takesQuotas(g) {
		quotas, r.quotas = r.quotas, nil
	}
	at := bearer(p, quotas)
	for i, q := range quotas {
		listed := Policy{Name: q.name, Limit: Some(q.limit), Window: q.window, Burst: q.burst, Unit: q.unit, Dialect: q.dialect}
		if i == at {
			listed = complete(listed, p)
		}
		r.out = append(r.out, clamp(listed))
	}
	if at < 0 {
		r.out = append(r.out, clamp(p))
	}
}

// complete gives a listed policy the state that the counters tell.
func complete(listed, p Policy) Policy {
	p.Window = listed.Window
	if p.Limit.OK {
		listed.Limit.V = min(listed.Limit.V, p.Limit.V)
	}
	p.Limit = listed.Limit
	if listed.Burst.OK {
		p.Burst = listed.Burst
	}
	if listed.Name != "" {
		p.Name = listed.Name
	}
	return p
}

// bearer returns which listed policy the counters are about, or -1.
func bearer(p Policy, quotas []quota) int {
	at, best := -1, time.Duration(math.MaxInt64)
	for i, q := range quotas {
		if !p.Limit.OK || q.limit != p.Limit.V {
			continue
		}
		long := q.window
		if p.Reset.OK && q.window < p.Reset.V {
			long = math.MaxInt64 - 1
		}
		if long < best {
			at, best = i, long
		}
	}
	if at < 0 && len(quotas) == 1 {
		return 0
	}
	return at
}

// clamp holds what remains to what there can be.
func clamp(p Policy) Policy {
	if p.Limit.OK && p.Remaining.OK {
		p.Remaining.V = min(p.Remaining.V, max(p.Limit.V, p.Burst.V))
	}
	return p
}

// takesQuotas reports whether the integer items of RateLimit-Policy speak of the
// limit that this group counts: a Dictionary, else the plain trio, else the same
// with x-.
func (r *reading) takesQuotas(g *group) bool {
	if len(r.quotas) == 0 || !g.fits(r.quotas[0].class) {
		return false
	}
	for i := range r.count {
		if o := r.at(i); o.fits(r.quotas[0].class) && o.standing() > g.standing() {
			return false
		}
	}
	return true
}

func (g *group) fits(c *class) bool {
	return g.family == c.family && g.unit == "" && g.part == "" && g.class.window == 0 && g.holds()
}

func (g *group) standing() int {
	switch {
	case g.state:
		return 2
	case !g.x:
		return 1
	}
	return 0
}

// leftQuotas keeps the listed policies that no counter is about.
func (r *reading) leftQuotas() {
	for _, q := range r.quotas {
		r.out = append(r.out, Policy{
			Name: q.name, Limit: Some(q.limit), Window: q.window, Burst: q.burst, Unit: q.unit, Dialect: q.dialect,
		})
	}
}
