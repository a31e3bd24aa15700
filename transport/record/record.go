// Package record writes what a transport saw into a file, as lines of JSON, and
// reads them again.
//
// Most programs open a [File] and give it to the Transport:
//
//	file, err := record.Open("calls.jsonl", 0)
//	…
//	defer file.Close()
//	client := &http.Client{Transport: &transport.Transport{Record: file}}
//
// A line is one attempt of a call:
//
//	{"time":"2026-11-30T12:00:00.5Z","key":"api.example.com","class":"GET api.example.com/v1/","method":"GET","cost":1,"attempt":1,"wait_s":0.25,"status":200}
//
// It holds nothing of the request but its method: no URL, no header, no body. To
// tell routes apart, give them patterns in the Limits of the Transport; one
// without a limit, or with a rate of rate.Inf, names a class and limits nothing.
//
// The call came to the Transport at time less wait_s, if attempt is 1.
package record

import (
	"encoding/json"
	"errors"
	"math"
	"time"
)

// A Line is one attempt of a call, or a call that was refused before anything
// was sent.
type Line struct {
	Time    time.Time     // when it was sent, or refused
	Key     string        // of its budget
	Class   string        // the pattern of its limits; empty if there is none
	Method  string        // of the request
	Cost    int           // of a limit
	Attempt int           // 1 for the first
	Wait    time.Duration // how long this attempt waited before it was sent, or refused
	Status  int           // of the answer; 0 if there is none

	Throttled bool // the answer was a refusal, because of a limit
	Failed    bool // it was sent, and there is no answer
	// Refused is why it was not sent, empty if it was: what it would have had to
	// wait for, which is limit, cool-down, concurrency or queue; or never, if no
	// wait would help; or context, if its caller gave up.
	Refused string

	// What would have become of a call that was not held to the schedule, or was
	// refused.
	WouldWait   time.Duration // how long it would have had to wait
	WouldRefuse string        // as Refused

	// Dropped is how many lines before this one are missing, because the disk
	// was too slow or full.
	Dropped int
}

// wire is a Line in the form of its JSON.
type wire struct {
	Time        time.Time `json:"time"`
	Key         string    `json:"key"`
	Class       string    `json:"class"`
	Method      string    `json:"method"`
	Cost        int       `json:"cost"`
	Attempt     int       `json:"attempt"`
	Wait        float64   `json:"wait_s"`
	Status      int       `json:"status"`
	Throttled   bool      `json:"throttled,omitempty"`
	Failed      bool      `json:"failed,omitempty"`
	Refused     string    `json:"refused,omitempty"`
	WouldWait   float64   `json:"would_wait_s,omitempty"`
	WouldRefuse string    `json:"would_refuse,omitempty"`
	Dropped     int       `json:"dropped,omitempty"`
}

// MarshalJSON writes waits in seconds, and the time in UTC, to the nanosecond.
func (l Line) MarshalJSON() ([]byte, error) {
	return json.Marshal(wire{
		l.Time.UTC().Round(0), l.Key, l.Class, l.Method, l.Cost, l.Attempt, l.Wait.Seconds(), l.Status,
		l.Throttled, l.Failed, l.Refused, l.WouldWait.Seconds(), l.WouldRefuse, l.Dropped,
	})
}

// UnmarshalJSON reads what MarshalJSON wrote. Fields that it does not know are
// passed over; those without which a line says nothing must be there.
func (l *Line) UnmarshalJSON(data []byte) error {
	w := wire{Cost: 1, Attempt: 1}
	if err := json.Unmarshal(data, &w); err != nil {
		return err
	}
	switch {
	case w.Time.IsZero():
		return errors.New("no time")
	case w.Cost < 1:
		return errors.New("cost is below 1")
	case w.Attempt < 1:
		return errors.New("attempt is below 1")
	case w.Wait < 0 || w.WouldWait < 0:
		return errors.New("a wait is negative")
	}
	*l = Line{
		w.Time, w.Key, w.Class, w.Method, w.Cost, w.Attempt, duration(w.Wait), w.Status,
		w.Throttled, w.Failed, w.Refused, duration(w.WouldWait), w.WouldRefuse, w.Dropped,
	}
	return nil
}

// duration is the nearest whole number of nanoseconds, so that what was written
// is read again.
func duration(seconds float64) time.Duration {
	if seconds >= math.MaxInt64/1e9-1 {
		return math.MaxInt64
	}
	whole := math.Floor(seconds) // apart, so that a float64 can hold the nanoseconds
	return time.Duration(int64(whole)*1e9 + int64((seconds-whole)*1e9+0.5))
}
