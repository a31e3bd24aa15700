package headers

import (
	"strings"
	"time"
)

// readLimit reads the field that has the limit, or what is used of it. Servers
// put many things there: a count, used/limit, a period, a list of policies, or
// a list of limits. It returns the role that the value turned out to have.
func (r *reading) readLimit(f *field, v string) (role, bool) {
	as := f.role
	if as == noRole {
		as = limit
	}
	if n, ok := readNumber(v); ok {
		if f.kind == listing || f.kind == bareField && !f.plain {
			return as, false
		}
		r.group(f.class).put(as, n.float())
		return as, true
	}
	switch {
	case strings.IndexByte(v, ';') > 0:
		return as, as == limit && r.readQuotas(f, v)
	case strings.IndexByte(v, '/') > 0:
		return as, r.readShare(f, v)
	case strings.IndexAny(v, ":,") > 0:
		return as, r.readCompound(f, v)
	case as == limit && f.kind == counter && r.readPeriod(f, v):
		return window, true
	}
	return as, false
}

// readShare reads used/limit, or limit/window as in "100/hour".
func (r *reading) readShare(f *field, v string) bool {
	a, b, _ := strings.Cut(v, "/")
	u, ok := readNumber(trim(a))
	l, okLimit := readNumber(trim(b))
	if span := windowWord(b); ok && !okLimit && span > 0 {
		g := r.group(f.class)
		g.put(limit, u.float())
		g.window = max(g.window, span)
		return true
	}
	if ok && okLimit {
		g := r.group(f.class)
		g.put(used, u.float())
		g.put(limit, l.float())
	}
	return ok && okLimit
}

// readPeriod reads "1m" where a limit should be: AspNetCoreRateLimit puts its
// period there.
func (r *reading) readPeriod(f *field, v string) bool {
	d, ok := readSpan(v)
	if !ok || d < time.Second {
		return false
	}
	g := r.group(f.class)
	g.window = max(g.window, d)
	return true
}

// readQuotas reads the list of draft-03, which Envoy and others put under an
// older name: the current limit, then policies with their windows.
func (r *reading) readQuotas(f *field, v string) bool {
	var buf [6]item
	list, ok := readList([]string{v}, buf[:0])
	if !ok || len(list) == 0 || !list[0].count.OK {
		return false
	}
	if len(list) > 1 && !hasWindow(list[1:]) {
		return false
	}
	g := r.group(f.class)
	g.put(limit, list[0].count.V)
	for i := range list {
		if it := &list[i]; it.count.OK && it.w.OK && len(g.quotas) < maxItems {
			g.quotas = append(g.quotas, quotaOf(f.class, it))
		}
	}
	return true
}

func hasWindow(list []item) bool {
	for i := range list {
		if list[i].w.OK && list[i].count.OK {
			return true
		}
	}
	return false
}

func quotaOf(c *class, it *item) quota {
	return quota{
		class:   c,
		limit:   it.count.V,
		window:  seconds(it.w.V),
		burst:   count(it.burst),
		name:    it.policyName.V,
		unit:    unitName(it.qu),
		dialect: c.label,
	}
}

// seconds returns n seconds, or the longest Duration.
func seconds(n int64) time.Duration {
	return number{whole: uint64(max(n, 0))}.times(time.Second)
}

func count(n Opt[int64]) Opt[float64] { return Opt[float64]{float64(n.V), n.OK} }

// unitName translates the registered units of the IETF fields.
func unitName(qu Opt[string]) string {
	switch qu.V {
	case "content-bytes", "bytes":
		return "bytes"
	case "concurrent-requests":
		return "concurrency"
	case "request", "":
		return "requests"
	}
	return qu.V
}
