package tune

import (
	"fmt"
	"testing"
	"time"

	"github.com/headway-go/headway/throttle/tune/accesslog"
)

func BenchmarkAdd(b *testing.B) {
	for name, pause := range map[string]time.Duration{"pages": 20 * time.Second, "loops": 0} {
		b.Run(name, func(b *testing.B) {
			t, err := New(Options{})
			if err != nil {
				b.Fatal(err)
			}
			var clients [][]byte
			for i := range 1000 {
				clients = append(clients, fmt.Append(nil, "10.0.0.", i))
			}
			e := accesslog.Entry{Method: []byte("GET"), Path: []byte("/api/widgets/17"), Cost: 1, At: time.Unix(1_700_000_000, 0)}
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				e.Client = clients[n/9%len(clients)]
				e.At = e.At.Add(4 * time.Millisecond)
				if n++; n%9000 == 0 {
					e.At = e.At.Add(pause)
				}
				t.Add(&e)
			}
		})
	}
}
