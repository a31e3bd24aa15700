package simulate

import (
	"math"
	"math/rand/v2"
	"time"
)

// A Network says how long calls and answers take, and which of them get lost.
// The zero Network takes no time and loses nothing. A Network is a plain value.
//
// Delays are drawn for each message, so messages overtake each other as soon as
// there is jitter. The same random numbers give the same delays; between
// processor architectures, floating point may differ by a nanosecond.
type Network struct {
	RTT time.Duration // there and back, half each way

	// Jitter is the median of a lognormal delay on top, drawn for each way,
	// and Sigma the deviation of its logarithm; zero means 1.
	Jitter time.Duration
	Sigma  float64

	// Spikes is the share of round trips that get an exponential delay of
	// mean Spike as well, there or back.
	Spikes float64
	Spike  time.Duration

	// Late is the share of answers that come LateBy later than they would.
	Late   float64
	LateBy time.Duration

	Loss float64 // share of messages lost, each way

	// Handshake is how much longer the first call of a connection takes to
	// get there, and Reconnect the share of later ones that need another.
	Handshake time.Duration
	Reconnect float64
}

// Validate returns a [*ParamError] for the first field that is out of range:
// shares are 0 to 1, spans 0 to 36 years, Sigma 0 to 10.
func (n Network) Validate() error {
	share := func(field string, x float64) error { return checkFloat("network", field, x, 0, 1) }
	span := func(field string, d time.Duration) error { return checkSpan("network", field, d, 0) }
	return firstError(
		span("RTT", n.RTT), span("jitter", n.Jitter), checkFloat("network", "sigma", n.Sigma, 0, 10),
		share("spikes", n.Spikes), span("spike", n.Spike),
		share("late", n.Late), span("late by", n.LateBy), share("loss", n.Loss),
		span("handshake", n.Handshake), share("reconnect", n.Reconnect),
	)
}

// A Trip is the fate of one call on the network.
type Trip struct {
	Up, Down               time.Duration // to the server, and back
	RequestLost, ReplyLost bool
}

// Trip draws the fate of a call; first is whether it opens a connection.
func (n Network) Trip(r *rand.Rand, first bool) Trip {
	var t Trip
	t.Up = addSat(n.RTT/2, n.jitter(r))
	t.Down = addSat(n.RTT-n.RTT/2, n.jitter(r))
	if first || happens(r, n.Reconnect) {
		t.Up = addSat(t.Up, n.Handshake)
	}
	if happens(r, n.Spikes) {
		spike := span(r.ExpFloat64() * float64(n.Spike))
		if r.Uint64()&1 == 0 {
			t.Up = addSat(t.Up, spike)
		} else {
			t.Down = addSat(t.Down, spike)
		}
	}
	if happens(r, n.Late) {
		t.Down = addSat(t.Down, n.LateBy)
	}
	t.RequestLost = happens(r, n.Loss)
	t.ReplyLost = !t.RequestLost && happens(r, n.Loss)
	return t
}

func (n Network) jitter(r *rand.Rand) time.Duration {
	if n.Jitter <= 0 {
		return 0
	}
	sigma := n.Sigma
	if sigma == 0 {
		sigma = 1
	}
	return span(float64(n.Jitter) * math.Exp(sigma*r.NormFloat64()))
}

// happens draws only where there is something to decide, so that a field that
// is not set leaves the random numbers of the others alone.
func happens(r *rand.Rand, share float64) bool {
	return share > 0 && r.Float64() < share
}

// span converts nanoseconds, saturating.
func span(ns float64) time.Duration {
	if !(ns < float64(maxSpan)) {
		return maxSpan
	}
	return time.Duration(max(ns, 0))
}

// NewRand returns the random numbers of one part of a run: the same for the
// same seed and stream, and unlike those of other streams.
func NewRand(seed, stream uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, stream))
}
