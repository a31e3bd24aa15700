package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"github.com/headway-go/headway/cmd/headway/internal/sim"
	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/transport"
)

// limitHelp tells what a --limit may be, for the help of commands that have one.
const limitHelp = `A --limit is what it holds for, in the patterns of net/http, and how much: 'api.test/=10/s burst 5' lets ten calls a second go to a host, and five at once; 'POST api.test/login=1/min' holds for one method and path; 'api.test/=5000 in 24h' for no more than so many in any such time. Of several patterns the most specific holds, with all that is given for it, and what the server publishes as well.`

// A handLimit is one --limit.
type handLimit struct {
	pattern string
	limit   throttle.Limit
}

// UnmarshalText is called by kong.
func (h *handLimit) UnmarshalText(text []byte) error {
	at := strings.LastIndexByte(string(text), '=') // there may be one in the path
	if at < 0 {
		return errors.New("want PATTERN=RATE, as 'api.test/=10/s burst 5'")
	}
	limit, err := parseLimit(string(text[at+1:]))
	if err != nil {
		return fmt.Errorf("%q: %w", shorten(string(text[at+1:]), 40), err)
	}
	*h = handLimit{strings.TrimSpace(string(text[:at])), limit}
	bad, ok := errors.AsType[*transport.ConfigError]((&transport.Transport{Limits: byHand([]handLimit{*h})}).Validate())
	if ok {
		return fmt.Errorf("%q: %w", shorten(h.pattern, 80), bad.Err)
	}
	return nil
}

// byHand puts the limits of each pattern together.
func byHand(given []handLimit) transport.Limits {
	limits := transport.Limits{}
	for _, h := range given {
		limits[h.pattern] = append(limits[h.pattern], h.limit)
	}
	return limits
}

// What a limit can be wrong for.
var (
	errNoLimit = errors.New("want a rate, as 10/s or 100/min, and perhaps burst 5; or 5000 in 24h")
	errNoBurst = errors.New("want a whole number above zero after burst")
	errNoQuota = errors.New("want a whole number above zero, in, and a length of time, as 5000 in 24h")
)

// parseLimit reads "10/s", "10/s burst 5" and "5000 in 24h".
func parseLimit(text string) (throttle.Limit, error) {
	words := strings.Fields(text)
	switch {
	case len(words) == 1:
		return parseBurst(words[0], "1")
	case len(words) == 3 && words[1] == "burst":
		return parseBurst(words[0], words[2])
	case len(words) == 3 && words[1] == "in":
		return parseQuota(words[0], words[2])
	}
	return throttle.Limit{}, errNoLimit
}

func parseBurst(perSecond, burst string) (throttle.Limit, error) {
	r, err := sim.ParseRate(perSecond)
	if err != nil || r <= 0 {
		return throttle.Limit{}, errNoLimit
	}
	b, err := strconv.Atoi(burst)
	if err != nil || b < 1 {
		return throttle.Limit{}, errNoBurst
	}
	return throttle.Limit{Rate: rate.Limit(r), Burst: b}, nil
}

func parseQuota(calls, window string) (throttle.Limit, error) {
	n, err := strconv.Atoi(calls)
	if err != nil || n < 1 {
		return throttle.Limit{}, errNoQuota
	}
	w, err := sim.ParseSpan(window)
	if err != nil || w <= 0 {
		return throttle.Limit{}, errNoQuota
	}
	return throttle.Per(n, time.Duration(w)), nil
}
