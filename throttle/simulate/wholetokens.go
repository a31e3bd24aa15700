package simulate

import "time"

// wholeTokens is what a TickBucket and a StepRefill have in common: a bucket of
// whole tokens. When it gets more of them is the model's own affair.
type wholeTokens struct {
	rate         Rate
	size, tokens int64
	last         time.Duration
}

// take admits a call if the bucket holds the cost. due tells when n more tokens
// will have come.
func (b *wholeTokens) take(cost int64, due func(n int64) time.Duration) Verdict {
	cost = max(cost, 1)
	v := Verdict{Before: float64(b.tokens), RetryAt: b.last}
	switch {
	case cost > b.size:
		v.RetryAt = Never
	case cost > b.tokens:
		v.RetryAt = due(cost - b.tokens)
	default:
		b.tokens -= cost
		v.Admitted = true
	}
	v.Left = float64(b.tokens)
	return v
}

func (b *wholeTokens) charge(cost int64) { b.tokens -= min(b.tokens, max(cost, 1)) }

func (b *wholeTokens) resize(p Policy) {
	b.rate, b.size = p.Rate, p.Burst
	b.tokens = min(b.tokens, b.size)
}

func (b *wholeTokens) checkLevel(model string, tokens int64) error {
	if tokens < 0 || tokens > b.size {
		return &ParamError{Model: model, Field: "level", Value: tokens, Want: "0 to the size"}
	}
	return nil
}
