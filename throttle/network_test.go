package throttle

import (
	"testing"
	"time"
)

const msec = int64(time.Millisecond)

// How late a call may have come is what its trip took beyond the shortest, and
// a bit more while few were seen.
func TestNetworkLateness(t *testing.T) {
	var n network
	if got := n.trip(60*msec, 0); got != 50*msec {
		t.Errorf("the first trip: %dms late, want the prior of 50ms", got/msec)
	}
	for range 20 {
		n.trip(50*msec, 0)
	}
	if got := n.trip(80*msec, 0); got != 30*msec {
		t.Errorf("a trip of 80ms where 50ms is the least: %dms late, want 30ms", got/msec)
	}
	if got := n.jitter(); got < 29*msec || got > 30*msec {
		t.Errorf("jitter %dms, want 30ms", got/msec)
	}
	for range 2000 {
		n.trip(50*msec, 0)
	}
	if got := n.jitter(); got > msec {
		t.Errorf("jitter %dms after 2,000 even trips, want it forgotten", got/msec)
	}
}

// A route that has become longer for good is the shortest after two periods.
func TestNetworkForgetsAnOldRoute(t *testing.T) {
	var n network
	for i := range int64(30) {
		n.trip(10*msec, i)
	}
	for i := range int64(60) {
		n.trip(90*msec, i*networkPeriod/10)
	}
	if got := n.trip(90*msec, 7*networkPeriod); got != 0 {
		t.Errorf("%dms late on the new route, want 0", got/msec)
	}
}
