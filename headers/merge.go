package headers

// maxMerge bounds the policies among which equal ones are looked for.
const maxMerge = 48

// merge makes one of policies that different dialects publish twice. The newer
// dialect comes first and keeps what it says; where anything differs both stay,
// for they are two layers and both bind.
func (r *reading) merge() {
	if len(r.out) < 2 || len(r.out) > maxMerge {
		return
	}
	for {
		i, j := r.twins()
		if i < 0 {
			return
		}
		fill(&r.out[i], &r.out[j])
		r.out = append(r.out[:j], r.out[j+1:]...)
	}
}

// twins returns the two policies that agree best, or -1.
func (r *reading) twins() (int, int) {
	first, second, best := -1, -1, 0
	for j := range r.out {
		for i := range j {
			if score := likeness(&r.out[i], &r.out[j]); score > best {
				first, second, best = i, j, score
			}
		}
	}
	return first, second
}

// likeness is zero if the two cannot be one.
func likeness(a, b *Policy) int {
	if a.Dialect == b.Dialect || a.Unit != b.Unit || a.Kind == Charge || b.Kind == Charge ||
		differ(a.Limit, b.Limit) || differ(a.Remaining, b.Remaining) || differ(a.Burst, b.Burst) ||
		a.Window != 0 && b.Window != 0 && a.Window != b.Window ||
		a.Name != "" && b.Name != "" && a.Name != b.Name {
		return 0
	}
	score := 0
	if a.Limit.OK && b.Limit.OK {
		score += 2
	} else if !a.Remaining.OK || !b.Remaining.OK {
		return 0
	}
	if a.Remaining.OK && b.Remaining.OK {
		score += 2
	}
	if inTime(a, b) && inTime(b, a) {
		score++
	}
	return score
}

// inTime reports whether b's reset does not lie after a's window.
func inTime(a, b *Policy) bool {
	return a.Window == 0 || !b.Reset.OK || b.Reset.V <= a.Window
}

func differ(a, b Opt[float64]) bool { return a.OK && b.OK && a.V != b.V }

// fill gives p what it lacks and q has.
func fill(p, q *Policy) {
	fillOpt(&p.Limit, q.Limit)
	fillOpt(&p.Remaining, q.Remaining)
	fillOpt(&p.Burst, q.Burst)
	fillOpt(&p.Cost, q.Cost)
	fillOpt(&p.Reset, q.Reset)
	if p.Name == "" {
		p.Name = q.Name
	}
	if p.PartitionKey == "" {
		p.PartitionKey = q.PartitionKey
	}
	if p.Window == 0 {
		p.Window = q.Window
	}
	p.Kind = max(p.Kind, q.Kind)
	*p = clamp(*p)
}

func fillOpt[T any](p *Opt[T], q Opt[T]) {
	if !p.OK {
		*p = q
	}
}
