package simulate

import "time"

// A Split is one limit that is kept on several servers behind a load balancer
// which takes them in turn. Each has its own share and knows nothing of the
// others, so its RetryAt is about itself, while the next call goes elsewhere.
type Split struct {
	shares []Server
	next   int
}

// NewSplit returns n servers in turn, each made by share. It returns the first
// error of share, or a [*ParamError] unless n is 1 to 1000.
func NewSplit(n int, share func() (Server, error)) (*Split, error) {
	if n < 1 || n > 1000 {
		return nil, &ParamError{Model: "split", Field: "n", Value: n, Want: "1 to 1000"}
	}
	s := &Split{shares: make([]Server, n)}
	for i := range s.shares {
		server, err := share()
		if err != nil {
			return nil, err
		}
		s.shares[i] = server
	}
	return s, nil
}

// Arrive implements [Server].
func (s *Split) Arrive(at time.Duration, cost int64) Verdict {
	v := s.shares[s.next].Arrive(at, cost)
	s.next = (s.next + 1) % len(s.shares)
	return v
}

// Peek implements [Server].
func (s *Split) Peek(at time.Duration, cost int64) Verdict {
	return s.shares[s.next].Peek(at, cost)
}

// Policy implements [Server]: that of the share which is next.
func (s *Split) Policy() Policy { return s.shares[s.next].Policy() }
