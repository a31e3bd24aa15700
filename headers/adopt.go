package headers

import "strings"

// adopt finds a home for groups that cannot stand alone, because a name lacked
// the window, partition or unit that the other names have: what fits only one
// other group belongs to it.
func (r *reading) adopt() {
	r.splitBursts()
	for i := range r.count {
		g := r.at(i)
		if g.val[cost].OK {
			r.shareCost(g)
		}
		switch {
		case g.isCost():
		case !g.val[limit].OK && !g.val[rate].OK && g.raw == [lists]string{} && len(g.quotas) == 0:
			if host := r.host(g); host != nil {
				host.take(g)
			}
		}
	}
}

// isCost reports whether all that is known is the cost of the call.
func (g *group) isCost() bool {
	return g.val[cost].OK && !g.holds() && !g.val[used].OK
}

// shareCost tells the cost of the call to all limits in its unit.
func (r *reading) shareCost(g *group) {
	for i := range r.count {
		h := r.at(i)
		if (g.loose || h.family == g.family) && !h.val[cost].OK && h.holds() && unitOf(h.unit) == unitOf(g.unit) {
			h.val[cost], g.adopted = g.val[cost], true
		}
	}
}

// host returns the only group that g can belong to. Of several, a lone reset
// belongs to the one that is used up.
func (r *reading) host(g *group) *group {
	var found, empty *group
	count, empties := 0, 0
	sameUnit := r.hasUnit(g)
	for i := range r.count {
		h := r.at(i)
		if h == g || !h.holds() || !g.couldJoin(h) || sameUnit && unitOf(h.unit) != unitOf(g.unit) {
			continue
		}
		found = h
		count++
		if h.val[remaining] == Some(0.0) {
			empty = h
			empties++
		}
	}
	if count == 1 {
		return found
	}
	if empties == 1 && g.reset.OK && !g.val[remaining].OK {
		return empty
	}
	return nil
}

// hasUnit reports whether another group counts the same unit, or g says which.
func (r *reading) hasUnit(g *group) bool {
	for i := range r.count {
		if h := r.at(i); h != g && h.x == g.x && h.family == g.family && h.holds() && unitOf(h.unit) == unitOf(g.unit) {
			return true
		}
	}
	return g.unit != ""
}

// couldJoin reports whether h has what g's names leave open, and lacks what g has.
func (g *group) couldJoin(h *group) bool {
	if g.x != h.x || g.family != h.family ||
		g.class.window != 0 && g.class.window != h.class.window || g.part != "" && g.part != h.part {
		return false
	}
	for role := range g.val {
		if g.val[role].OK && h.val[role].OK {
			return false
		}
	}
	return !(g.reset.OK && h.reset.OK) && !(g.window != 0 && (h.window != 0 || h.class.window != 0))
}

// take moves all that another group has to g.
func (g *group) take(from *group) {
	for role := range from.val {
		if from.val[role].OK {
			g.val[role] = from.val[role]
			from.val[role] = Opt[float64]{}
		}
	}
	if from.reset.OK {
		g.putReset(from.reset.V, from.rank)
	}
	g.window = max(g.window, from.window)
	from.adopted = true
}

// splitBursts handles "burst" as the name of a second limit: where there is a
// burst-remaining, the burst-limit goes with it.
func (r *reading) splitBursts() {
	for i := range r.count {
		b := r.at(i)
		plain, ok := strings.CutSuffix(b.part, "burst")
		if !ok || b.val[limit].OK || !b.val[remaining].OK {
			continue
		}
		for j := range r.count {
			g := r.at(j)
			if g.val[burst].OK && g.x == b.x && g.family == b.family && g.part == strings.Trim(plain, "-") {
				b.val[limit], g.val[burst] = g.val[burst], Opt[float64]{}
			}
		}
	}
}
