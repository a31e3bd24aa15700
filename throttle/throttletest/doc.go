// Package throttletest is a rate-limited HTTP server to test clients against.
//
// A client that paces itself is hard to test: the service it is written for is
// not yours to flood, and a stub that counts to ten and says 429 proves little.
// The server of this package keeps a real limit to the nanosecond, publishes it
// in the header fields of your choice, refuses what comes too early, and tells
// afterwards when each call arrived:
//
//	func TestClientKeepsTheLimit(t *testing.T) {
//		synctest.Test(t, func(t *testing.T) {
//			srv := throttletest.NewMemoryServer(t, throttletest.Config{Rate: 10, Burst: 5})
//			client := newClient(srv.Client().Transport) // the code under test
//			start := time.Now()
//			for range 105 {
//				client.fetch(t.Context(), srv.URL)
//			}
//			if n := srv.Refused(); n != 0 {
//				t.Errorf("the server refused %d calls, want 0", n)
//			}
//			if took, best := time.Since(start), srv.Bound(105); took > best+best/1000 {
//				t.Errorf("105 calls took %v, the limit allows %v", took, best)
//			}
//		})
//	}
//
// The test above covers ten seconds of traffic and takes milliseconds: inside a
// [testing/synctest] bubble time is virtual. Real sockets do not work there, so
// [NewMemoryServer] listens in memory. [NewServer] is the same on a real
// loopback socket, and [NewHandler] the same as a plain [http.Handler], for
// programs that are no tests.
//
// Most tests need a [Config] with a Rate and a Burst, [Handler.Refused] and
// [Handler.Bound].
//
// # The limit
//
// The server enforces GCRA, which is a token bucket without a ticking clock: up
// to Burst calls may come back to back, and Rate calls a second for ever after.
// In any window of time w it admits at most Burst + Rate·w calls, and it never
// refuses one that this allows. What it publishes is true of its own state at
// the instant of the call: whole numbers of calls are rounded down, times are
// rounded up.
//
// The package shares no code with any client or limiter, so that a mistake
// cannot excuse itself.
package throttletest
