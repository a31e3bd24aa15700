package redisstore

import (
	"testing"
	"time"

	"github.com/headway-go/headway/throttle"
	"github.com/redis/go-redis/v9"
	"golang.org/x/time/rate"
)

// A call of all the burst goes without Redis as well, though its slot is but an
// instant.
func TestWholeBurstAlone(t *testing.T) {
	client := redis.NewClient(&redis.Options{Addr: "127.0.0.1:1", MaxRetries: -1})
	t.Cleanup(func() { _ = client.Close() })
	b := budget(t, &Store{Client: client, Processes: 2}, "k", throttle.Limit{Rate: rate.Every(2 * time.Millisecond), Burst: 10})
	for range 5 {
		ticket, err := b.Acquire(t.Context(), throttle.Call{Cost: 10})
		if err != nil {
			t.Fatal(err)
		}
		ticket.Done()
	}
}
