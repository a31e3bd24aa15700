package throttle_test

import (
	"testing"
	"time"

	"github.com/headway-go/headway/throttle"
)

// What an answer costs beyond the reading of its header.
func BenchmarkAnswered(b *testing.B) {
	for name, p := range map[string]throttle.Policy{
		"bucket": {Limit: 1e8, Window: time.Second, Burst: 1e9, Remaining: 1e9 - 1, Reset: -1},
		"shared": {Limit: 1e8, Window: time.Second, Burst: 1e9, Remaining: 9e8, Reset: -1}, // others have taken a tenth
		"quota":  {Limit: 1e9, Remaining: 9e8, Reset: time.Hour},
	} {
		b.Run(name, func(b *testing.B) {
			call := answeredCall(b, p)
			b.ReportAllocs()
			for b.Loop() {
				call()
			}
		})
	}
}
