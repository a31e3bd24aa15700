package sim

import (
	"time"

	"github.com/headway-go/headway/throttle/simulate"
)

// Dots are values at instants, in their order.
type Dots struct {
	Time   []float64 `json:"time_seconds"`
	Tokens []float64 `json:"tokens"`
}

// A Curve is what a model looked like over time, for a plot: the tokens that a
// request would have found, and where requests were allowed and refused.
type Curve struct {
	Tokens  Dots `json:"tokens"`
	Allowed Dots `json:"allowed"` // at what was left
	Refused Dots `json:"refused"` // at what was there
}

// A recorder keeps the Curve of one model in bounded memory.
type recorder struct {
	tokens, allowed, refused thinned

	from, to    time.Duration // what there is to be seen
	first, last time.Duration // requests
	begun       bool
	turn        time.Duration // when the level stops rising
}

// before records how the level went from the last request to one at an instant.
// A gap that nobody could see in a plot is passed over.
func (c *recorder) before(v *server, at time.Duration) {
	if !c.begun {
		c.begun, c.first = true, at
		return
	}
	const samples, visible = 16, 200
	begin, end := max(c.last, c.from), min(at, c.to)
	gap := end - begin
	if gap <= (end-max(c.first, c.from))/visible {
		return
	}
	if begin > c.last {
		c.level(v, begin)
	}
	from := begin
	for i := range samples {
		to := begin + gap/samples*time.Duration(i+1)
		if i == samples-1 {
			to = end
		}
		if v.stairs {
			c.jumps(v, from, to)
		} else if c.turn > from && c.turn <= to {
			c.level(v, c.turn)
		}
		if from = to; to < at {
			c.level(v, to)
		}
	}
}

func (c *recorder) level(v *server, at time.Duration) { c.tokens.add(at, v.level(at)) }

// jumps records where the level rises between two instants. Of very many jumps
// the first will do.
func (c *recorder) jumps(v *server, from, to time.Duration) {
	const most = 8
	for range most {
		stands, next := v.level(from), to
		if v.level(to) == stands {
			return
		}
		for next-from > 1 {
			if middle := from + (next-from)/2; v.level(middle) == stands {
				from = middle
			} else {
				next = middle
			}
		}
		c.tokens.add(from, stands)
		c.level(v, next)
		from = next
	}
}

// level is what a request would find.
func (v *server) level(at time.Duration) float64 {
	return v.tokens(v.served.Peek(at, v.own(One)).Before)
}

func (c *recorder) after(at time.Duration, verdict simulate.Verdict, o Outcome) {
	c.last, c.turn = at, verdict.ResetAt
	if at < c.from || at > c.to {
		return
	}
	c.tokens.add(at, o.Before)
	if o.Left != o.Before {
		c.tokens.add(at, o.Left)
	}
	marks := &c.refused
	if o.Allowed {
		marks = &c.allowed
	}
	marks.add(at, o.Left)
}

func (c *recorder) curve() *Curve {
	return &Curve{Tokens: c.tokens.dots(), Allowed: c.allowed.dots(), Refused: c.refused.dots()}
}

// A dot is a value at an instant.
type dot struct {
	at    time.Duration
	value float64
}

// thinned keeps dots, and once there are too many, only those that a plot needs:
// of each span of time the first, the last, the least and the greatest (known as
// M4, after Jugel et al., "M4: A Visualization-Oriented Time Series Data
// Aggregation", 2014).
type thinned struct {
	most int // dots; at least 16
	list []dot
	cut  bool // once they were too many
}

func (t *thinned) add(at time.Duration, value float64) {
	t.list = append(t.list, dot{at, value})
	if len(t.list) >= t.most {
		t.thin()
	}
}

// thin leaves at most four dots in each of a number of spans.
func (t *thinned) thin() {
	t.cut = true
	first := t.list[0].at
	spans := time.Duration(t.most / 8)
	width := max((t.list[len(t.list)-1].at-first)/spans+1, 1)
	kept := t.list[:0]
	for from := 0; from < len(t.list); {
		to := from
		for to < len(t.list) && (t.list[to].at-first)/width == (t.list[from].at-first)/width {
			to++
		}
		kept = appendM4(kept, t.list[from:to])
		from = to
	}
	t.list = kept
}

// appendM4 appends the first, the last, the least and the greatest of a list, in
// their order.
func appendM4(to, list []dot) []dot {
	least, greatest := 0, 0
	for i, d := range list {
		if d.value < list[least].value {
			least = i
		}
		if d.value > list[greatest].value {
			greatest = i
		}
	}
	last := -1
	for _, i := range []int{0, min(least, greatest), max(least, greatest), len(list) - 1} {
		if i > last {
			to = append(to, list[i]) // never ahead of what is read: to is at most as long
			last = i
		}
	}
	return to
}

func (t *thinned) dots() Dots {
	if t.cut {
		t.thin() // or the end would be denser than the rest
	}
	d := Dots{Time: make([]float64, len(t.list)), Tokens: make([]float64, len(t.list))}
	for i, dot := range t.list {
		d.Time[i], d.Tokens[i] = dot.at.Seconds(), dot.value
	}
	return d
}
