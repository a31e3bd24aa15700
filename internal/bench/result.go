package main

import (
	"encoding/json"
	"math"
	"slices"
)

// A result is a row as it was measured.
type result struct {
	Name       string    `json:"name"`
	About      string    `json:"about"`
	Unit       string    `json:"unit"`
	Rounds     int       `json:"rounds"`
	Contenders []figures `json:"contenders"`
	Goals      []outcome `json:"goals,omitempty"`
}

// An outcome is a goal and what one of ours made of it.
type outcome struct {
	Contender string `json:"contender"`
	Text      string `json:"goal"`
	Got       string `json:"got"`
	Met       bool   `json:"met"`
}

// figures are what a contender needs for one operation. Ratios and differences
// are medians over the rounds, of slices of one round: what slowed a whole round
// down is not in them.
type figures struct {
	Name      string  `json:"name"`
	Role      role    `json:"role"`
	Median    float64 `json:"median"`
	Low       float64 `json:"low_quartile"`
	High      float64 `json:"high_quartile"`
	ToFloor   float64 `json:"to_floor,omitempty"` // times the floor; zero if the row has none
	OverFloor float64 `json:"over_floor,omitempty"`
	ToPeer    float64 `json:"to_best_peer,omitempty"` // of ours
	Bytes     maybe   `json:"bytes"`
	Allocs    maybe   `json:"allocs"`
	Peak      maybe   `json:"heap_peak"`
}

// maybe is a number, or NaN where nobody looked, which is null in JSON.
type maybe float64

// MarshalJSON implements [json.Marshaler].
func (m maybe) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(m)) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(m))
}

func newResult(r *row, contenders []contender, samples [][]sample) result {
	res := result{Name: r.name, About: r.about, Unit: r.unit, Rounds: len(samples[0])}
	for i, c := range contenders {
		res.Contenders = append(res.Contenders, newFigures(c, samples[i]))
	}
	base, best := res.index(floor), res.index(peer)
	for i := range res.Contenders {
		f := &res.Contenders[i]
		if base >= 0 {
			f.ToFloor = median(paired(samples[i], samples[base], over))
			f.OverFloor = median(paired(samples[i], samples[base], minus))
		}
		if best >= 0 && f.Role == ours {
			f.ToPeer = median(paired(samples[i], samples[best], over))
		}
	}
	res.judge(r.aim, base)
	return res
}

func newFigures(c contender, samples []sample) figures {
	values := column(samples, func(s sample) float64 { return s.value })
	slices.Sort(values)
	return figures{
		Name: c.name, Role: c.role,
		Median: median(values), Low: values[len(values)/4], High: values[(3*len(values)-1)/4],
		Bytes:  maybe(median(column(samples, func(s sample) float64 { return s.bytes }))),
		Allocs: maybe(median(column(samples, func(s sample) float64 { return s.allocs }))),
		Peak:   maybe(median(column(samples, func(s sample) float64 { return s.peak }))),
	}
}

// index is the one of the role that needs least, or -1.
func (r *result) index(of role) int {
	least := -1
	for i, f := range r.Contenders {
		if f.Role == of && (least < 0 || f.Median < r.Contenders[least].Median) {
			least = i
		}
	}
	return least
}

// judge holds ours against the aim of the row.
func (r *result) judge(a aim, base int) {
	var least figures
	if base >= 0 {
		least = r.Contenders[base]
	}
	for _, f := range r.Contenders {
		if f.Role != ours {
			continue
		}
		for _, g := range a.goals(r.Unit, f, least) {
			r.Goals = append(r.Goals, outcome{f.Name, g.text, g.got, g.met})
		}
	}
}

func over(a, b float64) float64 { return a / b }

func minus(a, b float64) float64 { return a - b }

func paired(a, b []sample, f func(a, b float64) float64) []float64 {
	list := make([]float64, len(a))
	for i := range a {
		list[i] = f(a[i].value, b[i].value)
	}
	return list
}

func column(samples []sample, f func(sample) float64) []float64 {
	list := make([]float64, len(samples))
	for i, s := range samples {
		list[i] = f(s)
	}
	return list
}

func median(values []float64) float64 {
	values = slices.Sorted(slices.Values(values))
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}
