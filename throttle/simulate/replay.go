package simulate

import (
	"iter"
	"time"
)

// An Arrival is one call that reaches a server.
type Arrival struct {
	At   time.Duration // since the start; not before the arrival in front of it
	Cost int64         // at least 1
}

// A Step is an arrival and what became of it.
type Step struct {
	Arrival
	Verdict
}

// Replay sends the arrivals to the server, one by one as they are asked for.
// It ends with an [*ArrivalError] at the first that goes back in time or does
// not cost at least 1.
func Replay(server Server, arrivals iter.Seq[Arrival]) iter.Seq2[Step, error] {
	return func(yield func(Step, error) bool) {
		var last time.Duration
		i := 0
		for a := range arrivals {
			if err := checkArrival(i, a, last); err != nil {
				yield(Step{Arrival: a}, err)
				return
			}
			if !yield(Step{a, server.Arrive(a.At, a.Cost)}, nil) {
				return
			}
			last = a.At
			i++
		}
	}
}

func checkArrival(i int, a Arrival, last time.Duration) error {
	switch {
	case a.At < 0 || a.At > Horizon:
		return &ArrivalError{Index: i, Field: "at", Arrival: a, Want: "0 to the horizon"}
	case a.At < last:
		return &ArrivalError{Index: i, Field: "at", Arrival: a, Want: "not before " + last.String()}
	case a.Cost < 1:
		return &ArrivalError{Index: i, Field: "cost", Arrival: a, Want: "at least 1"}
	}
	return nil
}

// Run replays the arrivals and returns the summary, up to the first arrival
// that has an error.
func Run(server Server, arrivals iter.Seq[Arrival]) (Summary, error) {
	var sum Summary
	for step, err := range Replay(server, arrivals) {
		if err != nil {
			return sum, err
		}
		sum.Add(step)
	}
	return sum, nil
}

// A Summary adds up steps. The zero Summary is ready to use.
type Summary struct {
	Allowed, Refused           int64 // calls
	AllowedUnits, RefusedUnits int64 // their cost
	First, Last                time.Duration

	// Burst keeps the most units allowed within one span of time, a second
	// unless its Window says otherwise before the first Add.
	Burst Peak
}

// Add counts a step.
func (s *Summary) Add(step Step) {
	if s.Allowed+s.Refused == 0 {
		s.First = step.At
	}
	s.Last = step.At
	if !step.Admitted {
		s.Refused++
		s.RefusedUnits = addUnits(s.RefusedUnits, step.Cost)
		return
	}
	s.Allowed++
	s.AllowedUnits = addUnits(s.AllowedUnits, step.Cost)
	s.Burst.Add(step.At, step.Cost)
}

// Rate returns the units allowed per second from the first call to the last,
// 0 if they all came at once.
func (s *Summary) Rate() float64 {
	if s.Last <= s.First {
		return 0
	}
	return float64(s.AllowedUnits) / (s.Last - s.First).Seconds()
}

// LargestBurst returns the most units allowed within Burst's window.
func (s *Summary) LargestBurst() int64 { return s.Burst.Max() }

func addUnits(a, b int64) int64 {
	return int64(addSat(time.Duration(a), time.Duration(b)))
}
