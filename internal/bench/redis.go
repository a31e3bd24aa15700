package main

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/go-redis/redis_rate/v10"
	"github.com/redis/go-redis/v9"

	"github.com/headway-go/headway/internal/redisserver"
	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/throttle/redisstore"
)

// redises are one limit in a Redis server on loopback, that is never reached.
func redises() []row {
	return []row{
		{
			name: "redis/call", unit: "µs", open: asking(taken), rounds: 21, aim: aim{peers: true, allocs: anyAllocs},
			about: "One call after the other, by the wall clock.",
		}, {
			name: "redis/operations", unit: "a call", open: asking(asked), rounds: 1, aim: aim{most: 0.1, peers: true, allocs: anyAllocs},
			about: "How often Redis is asked for each of them. Ours leases slots, up to 64 at a time.",
		},
	}
}

// An errand is many calls, each let go by Redis.
type errand struct {
	took       float64 // µs a call
	operations float64 // a call
}

func taken(e errand) sample { return only(e.took) }

func asked(e errand) sample { return only(e.operations) }

func asking(which func(errand) sample) func(*bench) ([]contender, error) {
	return func(b *bench) ([]contender, error) {
		server, err := redisserver.Start(b.ctx)
		if err != nil {
			return nil, err
		}
		b.cleanup(server.Close)
		client := redis.NewClient(&redis.Options{Addr: server.Addr})
		b.cleanup(func() { _ = client.Close() }) // the server ends anyway
		operations := new(counter)
		client.AddHook(operations)
		budget, err := shared(client)
		if err != nil {
			return nil, err
		}
		limiter := redis_rate.NewLimiter(client)
		limit := redis_rate.Limit{Rate: 1_000_000, Burst: 1_000_000, Period: time.Second}
		run := func(name string, as role, op func() error) contender {
			return contender{name, as, func(time.Duration) (sample, error) {
				e, err := operations.errand(b.size(2000), op)
				return which(e), err
			}}
		}
		return []contender{
			run("headway", ours, func() error { return budget.Wait(b.ctx) }),
			run("redis_rate", peer, func() error {
				res, err := limiter.Allow(b.ctx, "key", limit)
				if err == nil && res.Allowed == 0 {
					err = errDecision
				}
				return err
			}),
		}, nil
	}
}

// shared is a budget in Redis. Its calls fail if it goes on without Redis.
func shared(client *redis.Client) (*modeChecked, error) {
	store := &redisstore.Store{Client: client, Timeout: 10 * time.Second}
	budget, err := throttle.NewBudget(throttle.Limit{Rate: 1_000_000, Burst: 1_000_000})
	if err != nil {
		return nil, err
	}
	budget.SetStore(store, "key")
	return &modeChecked{budget, store}, nil
}

type modeChecked struct {
	budget *throttle.Budget
	store  *redisstore.Store
}

func (m *modeChecked) Wait(ctx context.Context) error {
	if err := m.budget.Wait(ctx); err != nil {
		return err
	}
	if mode := m.store.Mode(); mode != redisstore.Shared {
		return fmt.Errorf("it went on %s", mode)
	}
	return nil
}

// A counter is a hook that counts what a client sends.
type counter struct{ sent atomic.Int64 }

// errand makes n calls.
func (c *counter) errand(n int, op func() error) (errand, error) {
	before, start := c.sent.Load(), time.Now()
	err := repeat(n, op)
	took := time.Since(start)
	return errand{
		took:       float64(took) / float64(time.Microsecond) / float64(n),
		operations: float64(c.sent.Load()-before) / float64(n),
	}, err
}

// DialHook is of [redis.Hook].
func (c *counter) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessHook is of [redis.Hook].
func (c *counter) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		c.sent.Add(1)
		return next(ctx, cmd)
	}
}

// ProcessPipelineHook is of [redis.Hook].
func (c *counter) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		c.sent.Add(int64(len(cmds)))
		return next(ctx, cmds)
	}
}
