package sim

import (
	"math"
	"time"

	"github.com/headway-go/headway/throttle/simulate"
)

// A server is what a Spec describes, ready for requests.
type server struct {
	spec   Spec // with all that follows from what was given, and nothing else
	share  func() (simulate.Charger, error)
	unit   int64 // a call of cost 1, in what the model counts
	holds  int64 // the most that one of the servers has, in the same
	whole  bool  // costs must be
	stairs bool  // the level stands until whole units come back
	served simulate.Server
}

// build returns the server at time 0.
func (s Spec) build() (*server, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	m, err := s.model()
	if err != nil {
		return nil, err
	}
	v, err := m.build(s)
	if err != nil {
		return nil, err
	}
	v.spec.Model, v.spec.Start, v.spec.CountRefused, v.spec.Servers = m.Name, s.Start, s.CountRefused, s.Servers
	used, err := s.used(v)
	if err != nil {
		return nil, err
	}
	v.served, err = v.start(used)
	return v, err
}

// start makes the servers, from each of which so much is used already.
func (v *server) start(used int64) (simulate.Server, error) {
	one := func() (simulate.Server, error) {
		c, err := v.share()
		if err != nil {
			return nil, err
		}
		if used > 0 {
			c.Charge(0, used)
		}
		if v.spec.CountRefused {
			return simulate.CountRefused{Charger: c}, nil
		}
		return c, nil
	}
	if v.spec.Servers <= 1 {
		return one()
	}
	return simulate.NewSplit(v.spec.Servers, one)
}

// used returns how much of what a server holds is not there at the start.
func (s Spec) used(v *server) (int64, error) {
	if s.Start == nil {
		return 0, nil
	}
	start, all := *s.Start, s.servers()*int64(One)
	most := Units(mulDiv(v.holds, all, v.unit))
	if start < 0 || start > most {
		return 0, s.wrong("start", "%v is not from 0 to %v, which is all it holds", start, most)
	}
	if v.whole && int64(start)%all != 0 {
		return 0, s.wrong("start", "%v is not a whole number for each server", start)
	}
	return v.holds - min(v.holds, mulDiv(int64(start), v.unit, all)), nil
}

func (s Spec) servers() int64 { return int64(max(s.Servers, 1)) }

// each returns what each server has of a limit of whole units.
func (s Spec) each(field string, limit int64) (int64, error) {
	if limit%s.servers() != 0 {
		return 0, s.wrong(field, "%d is not a whole number for each of %d servers", limit, s.servers())
	}
	return limit / s.servers(), nil
}

// newBucket makes a model of a bucket.
type newBucket func(simulate.Rate, int64) (simulate.Charger, error)

func buildTokenBucket(s Spec) (*server, error) {
	return s.continuous(func(r simulate.Rate, size int64) (simulate.Charger, error) { return simulate.NewTokenBucket(r, size) })
}

func buildLeakyBucket(s Spec) (*server, error) {
	return s.continuous(func(r simulate.Rate, size int64) (simulate.Charger, error) { return simulate.NewLeakyBucket(r, size) })
}

// continuous is for buckets that hold fractions. They are counted in
// thousandths where the model can count so far, else in whole units. A server
// that has a part of the limit is one that has all of it, with calls that cost
// so many times as much: then nothing has to be divided.
func (s Spec) continuous(model newBucket) (*server, error) {
	bucket, refill, err := s.needBucket()
	if err != nil {
		return nil, err
	}
	v := &server{spec: Spec{Bucket: bucket, Refill: refill}, unit: int64(One) * s.servers(), holds: int64(bucket)}
	if v.share, err = sharesOf(model, refill*float64(One), v.holds); err == nil {
		return v, nil
	}
	v.unit, v.holds, v.whole = s.servers(), int64(bucket/One), true
	if v.share, err = sharesOf(model, refill, v.holds); err != nil || bucket%One != 0 {
		return nil, s.wrong("bucket", "%v is more than can be counted with a refill of %v", bucket, refill)
	}
	return v, nil
}

// sharesOf returns what makes such buckets, once one was made to see if it can be.
func sharesOf(model newBucket, perSecond float64, size int64) (func() (simulate.Charger, error), error) {
	rate, err := simulate.PerSecond(perSecond)
	if err != nil {
		return nil, err
	}
	share := func() (simulate.Charger, error) { return model(rate, size) }
	_, err = share()
	return share, err
}

// buildGCRA counts in nanoseconds of the schedule, of which a call of cost 1
// takes T: so costs may be fractions.
func buildGCRA(s Spec) (*server, error) {
	t, err := s.interval()
	if err != nil {
		return nil, err
	}
	tau, err := s.tolerance(t)
	if err != nil {
		return nil, err
	}
	if int64(t) > int64(maxSpan)/s.servers() {
		return nil, s.wrong("servers", "on %d servers each has a T of more than 10 years", s.servers())
	}
	tolerance := Seconds(tau)
	v := &server{spec: Spec{T: Seconds(t), Tau: &tolerance}, unit: int64(t) * s.servers(), holds: int64(t + tau)}
	v.share = func() (simulate.Charger, error) { return simulate.NewGCRA(1, t+tau-1) }
	return v, nil
}

func buildTicks(s Spec) (*server, error) {
	bucket, refill, err := s.needBucket()
	if err != nil {
		return nil, err
	}
	if bucket%One != 0 {
		return nil, s.wrong("bucket", "%v is not whole", bucket)
	}
	v := &server{spec: Spec{Bucket: bucket, Refill: refill, Tick: s.Tick}, unit: 1, whole: true, stairs: true}
	if v.holds, err = s.each("bucket", int64(bucket/One)); err != nil {
		return nil, err
	}
	if s.Tick > 0 {
		return s.steps(v)
	}
	v.share, err = sharesOf(func(r simulate.Rate, size int64) (simulate.Charger, error) { return simulate.NewTickBucket(r, size) },
		refill/float64(s.servers()), v.holds)
	if err != nil {
		return nil, s.wrong("bucket", "%v is more than can be counted with a refill of %v", bucket, refill)
	}
	return v, nil
}

// steps is for several tokens at each tick.
func (s Spec) steps(v *server) (*server, error) {
	exact := s.Refill * time.Duration(s.Tick).Seconds() / float64(s.servers())
	count := math.Round(exact)
	if count < 1 || math.Abs(exact-count) > 1e-9*count {
		return nil, s.wrong("tick", "%v s brings each server %.6g tokens: want a whole number", s.Tick, exact)
	}
	rate := simulate.Rate{Count: int64(count), Per: time.Duration(s.Tick)}
	v.share = func() (simulate.Charger, error) { return simulate.NewStepRefill(rate, v.holds, 0) }
	if _, err := v.share(); err != nil {
		return nil, s.wrong("bucket", "%v is more than can be counted with such ticks", s.Bucket)
	}
	return v, nil
}

func buildFixedWindow(s Spec) (*server, error) {
	return s.windows(true, func(r simulate.Rate) (simulate.Charger, error) { return simulate.NewFixedWindow(r, 0) })
}

func buildSlidingLog(s Spec) (*server, error) {
	return s.windows(true, func(r simulate.Rate) (simulate.Charger, error) { return simulate.NewSlidingLog(r) })
}

func buildSlidingCounter(s Spec) (*server, error) {
	return s.windows(false, func(r simulate.Rate) (simulate.Charger, error) { return simulate.NewSlidingCounter(r) })
}

func (s Spec) windows(stairs bool, model func(simulate.Rate) (simulate.Charger, error)) (*server, error) {
	limit, window, err := s.window()
	if err != nil {
		return nil, err
	}
	v := &server{spec: Spec{Limit: Units(limit) * One, Window: Seconds(window)}, unit: 1, whole: true, stairs: stairs}
	if v.holds, err = s.each("limit", limit); err != nil {
		return nil, err
	}
	v.share = func() (simulate.Charger, error) { return model(simulate.Rate{Count: v.holds, Per: window}) }
	if _, err := v.share(); err != nil {
		return nil, s.wrong("limit", "%d is more than can be counted in %v s", limit, Seconds(window))
	}
	return v, nil
}
