package simulate

import (
	"errors"
	"math"
	"slices"
	"testing"
	"time"
)

// lan is the network of the published experiments: 50 ms, a lognormal delay of
// median 5 ms each way, and one spike in a hundred.
var lan = Network{RTT: 50 * ms, Jitter: 5 * ms, Spikes: 0.01, Spike: 200 * ms}

// Median, mean and spikes of the round trip are those of the distributions.
func TestNetworkStatistics(t *testing.T) {
	r := NewRand(13, 1)
	const n = 200_000
	var ups []time.Duration
	var sum float64
	slow, spikesUp := 0, 0
	for range n {
		trip := lan.Trip(r, false)
		if trip.Up < 25*ms || trip.Down < 25*ms || trip.RequestLost || trip.ReplyLost {
			t.Fatalf("%+v", trip)
		}
		ups = append(ups, trip.Up-25*ms)
		sum += float64(trip.Up + trip.Down)
		if trip.Up+trip.Down > 350*ms {
			slow++
			if trip.Up > trip.Down {
				spikesUp++
			}
		}
	}
	if share := float64(spikesUp) / float64(slow); share < 0.4 || share > 0.6 {
		t.Errorf("%v of the spikes are on the way there, want half", share)
	}
	slices.Sort(ups)
	if median := ups[n/2]; median < 4900*time.Microsecond || median > 5150*time.Microsecond {
		t.Errorf("median of the jitter is %v, want 5ms", median)
	}
	// One standard deviation of the logarithm above the median is a factor e.
	if q := float64(ups[int(0.8413*n)]) / float64(5*ms); math.Abs(q-math.E) > 0.1 {
		t.Errorf("the quantile of one sigma is %v medians, want e", q)
	}
	// 50 + 2*5*exp(1/2) + 0.01*200 ms
	if mean := sum / n / 1e6; math.Abs(mean-68.49) > 0.3 {
		t.Errorf("mean round trip %v ms, want 68.49", mean)
	}
	// A spike above 300 ms less the usual jitter: 1 % of exp(-283/200).
	if share := float64(slow) / n; share < 0.0020 || share > 0.0032 {
		t.Errorf("%v of round trips above 350 ms, want 0.0025", share)
	}
}

// Losses, late answers and new connections come as often as they should.
func TestNetworkShares(t *testing.T) {
	n := Network{RTT: 3, Loss: 0.1, Late: 0.2, LateBy: sec, Handshake: time.Minute, Reconnect: 0.3}
	r := NewRand(13, 2)
	var lost, unanswered, late, fresh float64
	for range 100_000 {
		trip := n.Trip(r, false)
		lost += b2f(trip.RequestLost)
		unanswered += b2f(trip.ReplyLost)
		late += b2f(trip.Down > sec)
		fresh += b2f(trip.Up > time.Minute)
		if trip.RequestLost && trip.ReplyLost {
			t.Fatal("an answer to a lost request")
		}
	}
	for _, tt := range []struct {
		name      string
		got, want float64
	}{{"requests lost", lost, 0.1}, {"answers lost", unanswered, 0.09}, {"late", late, 0.2}, {"reconnected", fresh, 0.3}} {
		if got := tt.got / 100_000; math.Abs(got-tt.want) > 0.005 {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
	if trip := n.Trip(r, true); trip.Up < time.Minute {
		t.Errorf("a first call without a handshake: %+v", trip)
	}
}

func b2f(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// The zero Network takes no time, loses nothing and needs no random numbers.
func TestZeroNetwork(t *testing.T) {
	if trip := (Network{}).Trip(nil, true); trip != (Trip{}) {
		t.Errorf("%+v", trip)
	}
	if err := (Network{}).Validate(); err != nil {
		t.Error(err)
	}
}

// Validate names a field, or the network gives trips that take time and end.
func FuzzNetwork(f *testing.F) {
	f.Add(int64(50e6), int64(5e6), 1.0, 0.01, int64(200e6), 0.01)
	f.Add(int64(math.MaxInt64), int64(math.MaxInt64), math.Inf(1), math.NaN(), int64(-1), 2.0)
	f.Add(int64(1)<<60, int64(1)<<60, 10.0, 1.0, int64(1)<<60, 1.0)
	f.Fuzz(func(t *testing.T, rtt, jitter int64, sigma, share float64, spike int64, loss float64) {
		n := Network{
			RTT: time.Duration(rtt), Jitter: time.Duration(jitter), Sigma: sigma,
			Spikes: share, Spike: time.Duration(spike), Late: share, LateBy: time.Duration(spike),
			Loss: loss, Handshake: time.Duration(rtt), Reconnect: share,
		}
		err := n.Validate()
		if pe, ok := errors.AsType[*ParamError](err); err != nil && (!ok || pe.Field == "") {
			t.Fatalf("%v names no field", err)
		}
		r := NewRand(1, 1)
		for range 10 {
			if trip := n.Trip(r, false); err == nil && (trip.Up < 0 || trip.Down < 0) {
				t.Errorf("%+v: %+v", n, trip)
			}
		}
	})
}
