package limited

import (
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"time"

	"github.com/headway-go/headway/throttle/simulate"
)

// The units of time in a rate, besides those of [time.ParseDuration].
var units = map[string]time.Duration{
	"s": time.Second, "sec": time.Second, "second": time.Second,
	"m": time.Minute, "min": time.Minute, "minute": time.Minute,
	"h": time.Hour, "hour": time.Hour,
	"d": 24 * time.Hour, "day": 24 * time.Hour,
}

var errRate = errors.New("want calls in a time, as 10/s, 600/min, 5000/h or 1/30s")

// ParseRate reads a rate as people write it. Without a unit it is per second.
func ParseRate(text string) (simulate.Rate, error) {
	number, unit, found := strings.Cut(text, "/")
	if !found {
		unit = "s"
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil {
		return simulate.Rate{}, errRate
	}
	unit = strings.TrimSpace(unit)
	per, known := units[unit]
	if !known {
		if per, err = time.ParseDuration(unit); err != nil || per <= 0 {
			return simulate.Rate{}, errRate
		}
	}
	if whole := int64(n); n >= 1 && n <= 1e9 && float64(whole) == n {
		return simulate.Rate{Count: whole, Per: per}, nil
	}
	rate, err := simulate.PerSecond(n / per.Seconds())
	if err != nil {
		return simulate.Rate{}, errors.New("want from 1e-9 to 1e9 calls a second")
	}
	return rate, nil
}

// Over returns the same rate as a count of a window. It has to be a whole one.
func Over(rate simulate.Rate, window time.Duration) (simulate.Rate, error) {
	hi, lo := bits.Mul64(uint64(rate.Count), uint64(window))
	if hi >= uint64(rate.Per) {
		return simulate.Rate{}, errors.New("too many calls in one window")
	}
	count, rest := bits.Div64(hi, lo, uint64(rate.Per))
	if rest != 0 {
		return simulate.Rate{}, fmt.Errorf("%v has no whole number of calls at this rate", window)
	}
	return simulate.Rate{Count: int64(count), Per: window}, nil // too large a count is the model's to refuse
}
