package backoff

import "time"

// Func returns p as the Backoff of a Client of
// github.com/hashicorp/go-retryablehttp:
//
//	client.Backoff = backoff.Func(policy, retryAfter)
//
// where R is *http.Response. A Min or Max of zero is taken from the client.
// That client itself counts attempts and does not know of MaxElapsed.
//
// The hint function returns the delay that the response asks for, and zero or
// less for none. It is not called with a nil response, which is what the client
// passes after a network error. A nil hint means that no response has a hint.
//
// The function returned may be shared between goroutines if hint may.
func Func[R comparable](p Policy, hint func(R) time.Duration) func(clientMin, clientMax time.Duration, attempt int, resp R) time.Duration {
	return func(clientMin, clientMax time.Duration, attempt int, resp R) time.Duration {
		var none R
		var asked time.Duration
		if hint != nil && resp != none {
			asked = hint(resp)
		}
		return p.within(clientMin, clientMax).Delay(attempt, asked)
	}
}

// within returns p with lo and hi for a Min and Max that are zero. Where they
// contradict, the field that is set counts; where both are the client's, hi.
func (p Policy) within(lo, hi time.Duration) Policy {
	if p.Max == 0 && hi > 0 {
		p.Max = max(hi, p.Min)
	}
	if p.Min == 0 {
		p.Min = lo
	}
	return p
}
