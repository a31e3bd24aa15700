package simulate

import "time"

// A Site is a server in a [Loop]: a model, what it publishes, and how long it
// works on a call. Processes share it, and neighbours may call [Site.Serve].
// Loop and Server must be set.
type Site struct {
	Loop    *Loop
	Server  Server
	Publish Publisher

	// Service is how long an admitted call takes in the server. A refusal is
	// sent at once. A Server that is a [Departer] hears of the end.
	Service time.Duration

	// Observe, if set, sees every arrival.
	Observe func(Step)

	Seen Summary // of all that arrived
	Herd Peak    // of arrivals; its Window is 100 ms unless set before the first
}

// Serve lets a call arrive now, and returns the verdict and what the caller
// gets to see of it.
func (s *Site) Serve(cost int64) (Verdict, Answer) {
	now := s.Loop.Now()
	v := s.Server.Arrive(now, cost)
	step := Step{Arrival{now, max(cost, 1)}, v}
	s.Seen.Add(step)
	if s.Herd.Window <= 0 {
		s.Herd.Window = 100 * time.Millisecond
	}
	s.Herd.Add(now, 1)
	if s.Observe != nil {
		s.Observe(step)
	}
	if d, ok := s.Server.(Departer); ok && v.Admitted {
		s.Loop.After(s.Service, func() { d.Depart(s.Loop.Now(), cost) })
	}
	return v, s.Publish.Answer(now, v, s.Server.Policy())
}
