package sim

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// ParseSpec reads a Spec as a flag or a URL has it: the name of a model, and its
// parameters behind it, with commas between them, such as
// "gcra,t=1s,tau=4s". Spans are a number of seconds or as Go writes them, a
// refill is a number per second or one such as 100/min. What the text does not
// give is taken from base. It does not look at what they mean: see
// [Spec.Validate].
func ParseSpec(text string, base Spec) (Spec, error) {
	parts := strings.Split(text, ",")
	s := base
	s.Model = strings.TrimSpace(parts[0])
	model, err := s.model()
	if err != nil {
		return Spec{}, err
	}
	seen := map[string]bool{}
	for _, part := range parts[1:] {
		key, value, given := strings.Cut(part, "=")
		key = normal(key)
		if seen[key] {
			return Spec{}, s.wrong(key, "is given twice")
		}
		seen[key] = true
		if !model.has(key) {
			return Spec{}, s.wrong(key, "there is no such parameter, but %s", strings.Join(append(model.Keys, common...), ", "))
		}
		if !given && key != "count_refused" {
			return Spec{}, s.wrong(key, "has no value: want %s=…", key)
		}
		if err := s.Set(key, strings.TrimSpace(value)); err != nil {
			return Spec{}, err
		}
	}
	return s, nil
}

// normal is how a key is written, for those who write T or count-refused.
func normal(key string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimSpace(key)), "-", "_")
}

// Set gives a parameter the value that a text holds.
func (s *Spec) Set(key, value string) error {
	var err error
	switch key {
	case "bucket":
		s.Bucket, err = positive(ParseUnits(value))
	case "limit":
		s.Limit, err = positive(ParseUnits(value))
	case "start":
		s.Start, err = pointer(ParseUnits(value))
	case "refill":
		s.Refill, err = positive(ParseRate(value))
	case "t":
		s.T, err = positive(ParseSpan(value))
	case "tau":
		s.Tau, err = pointer(ParseSpan(value))
	case "window":
		s.Window, err = positive(ParseSpan(value))
	case "tick":
		s.Tick, err = positive(ParseSpan(value))
	case "servers":
		s.Servers, err = positive(parseInt(value))
	case "count_refused":
		s.CountRefused, err = parseBool(value)
	default:
		return s.wrong(key, "there is no such parameter")
	}
	if err != nil {
		return s.wrong(key, "%.40q %v", value, err)
	}
	return nil
}

func pointer[T any](v T, err error) (*T, error) { return &v, err }

// positive is for what zero would say that it is not given.
func positive[T int | Units | Seconds | float64](v T, err error) (T, error) {
	if err == nil && v <= 0 {
		return v, errNotPositive
	}
	return v, err
}

// ParseSpan reads a span of time, as "1.5" for seconds or as "1m30s".
func ParseSpan(text string) (Seconds, error) {
	if d, err := time.ParseDuration(text); err == nil {
		return Seconds(d), nil
	}
	return parseSeconds(text)
}

var perSecond = map[string]float64{
	"s": 1, "sec": 1, "second": 1,
	"m": 60, "min": 60, "minute": 60,
	"h": 3600, "hour": 3600,
	"d": 86400, "day": 86400,
}

// ParseRate reads a rate per second, as "1.5", "100/min" or "100/7s".
func ParseRate(text string) (float64, error) {
	count, span, has := strings.Cut(text, "/")
	n, err := parseNumber(strings.TrimSpace(count))
	if err != nil || !has {
		return n, err
	}
	span = strings.TrimSpace(span)
	if seconds := perSecond[span]; seconds > 0 {
		return n / seconds, nil
	}
	d, err := ParseSpan(span)
	if err != nil || d <= 0 {
		return 0, errNoRate
	}
	return n / time.Duration(d).Seconds(), nil
}

// rateText is a rate as parseRate reads it, to the last digit. What has many of
// them was often given per minute, hour or day.
func rateText(perSec float64) string {
	text := strconv.FormatFloat(perSec, 'f', -1, 64)
	const long = 9
	for _, span := range []string{"min", "h", "day"} {
		count := math.Round(perSec * perSecond[span])
		whole := strconv.FormatFloat(count, 'f', -1, 64) + "/" + span
		if len(text) >= long && len(whole) < len(text) && count/perSecond[span] == perSec {
			text = whole
		}
	}
	return text
}

func parseInt(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, errNotWhole
	}
	return n, nil
}

func parseBool(text string) (bool, error) {
	if text == "" {
		return true, nil
	}
	v, err := strconv.ParseBool(text)
	if err != nil {
		return false, errNoBool
	}
	return v, nil
}

// String returns the Spec as ParseSpec reads it, with what its model uses.
func (s Spec) String() string {
	text := s.Name()
	add := func(key, value string, given bool) {
		if given {
			text += "," + key + "=" + value
		}
	}
	m, _ := s.model()
	add("t", s.T.String()+"s", m.has("t") && s.T != 0)
	add("tau", s.tau(0).String()+"s", m.has("tau") && s.Tau != nil)
	add("limit", s.Limit.String(), m.has("limit") && s.Limit != 0)
	add("window", s.Window.String()+"s", m.has("window") && s.Window != 0)
	add("bucket", s.Bucket.String(), m.has("bucket") && s.Bucket != 0)
	add("refill", rateText(s.Refill), m.has("refill") && s.Refill != 0)
	add("tick", s.Tick.String()+"s", m.has("tick") && s.Tick != 0)
	if s.Start != nil {
		add("start", s.Start.String(), true)
	}
	add("servers", strconv.Itoa(s.Servers), s.Servers > 1)
	add("count_refused", "true", s.CountRefused)
	return text
}
