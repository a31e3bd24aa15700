package sim

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"
)

// Units are calls, or what they cost, in thousandths: 2500 is 2.5. In JSON they
// are a decimal number.
type Units int64

// One is one unit.
const One Units = 1000

// Float returns the units as a number.
func (u Units) Float() float64 { return float64(u) / float64(One) }

func (u Units) String() string { return string(appendDecimal(nil, int64(u), 3)) }

// MarshalJSON implements [json.Marshaler].
func (u Units) MarshalJSON() ([]byte, error) { return []byte(u.String()), nil }

// UnmarshalJSON implements [json.Unmarshaler].
func (u *Units) UnmarshalJSON(text []byte) error {
	return unmarshal(u, text, ParseUnits)
}

// Seconds are a span of time, or an instant since the start. In JSON they are a
// decimal number of seconds, exact to the nanosecond, and null for None.
type Seconds time.Duration

// None is no instant at all.
const None Seconds = -1

func (s Seconds) String() string { return string(appendDecimal(nil, int64(s), 9)) }

// MarshalJSON implements [json.Marshaler].
func (s Seconds) MarshalJSON() ([]byte, error) {
	if s < 0 {
		return []byte("null"), nil
	}
	return []byte(s.String()), nil
}

// UnmarshalJSON implements [json.Unmarshaler].
func (s *Seconds) UnmarshalJSON(text []byte) error {
	return unmarshal(s, text, parseSeconds)
}

func parseSeconds(text string) (Seconds, error) {
	v, err := parseDecimal([]byte(text), 9)
	return Seconds(v), err
}

// unmarshal leaves a value as it is for null, as package json does.
func unmarshal[T any](to *T, text []byte, parse func(string) (T, error)) error {
	if bytes.Equal(text, []byte("null")) {
		return nil
	}
	v, err := parse(string(text))
	if err != nil {
		return fmt.Errorf("%.40s %w", text, err)
	}
	*to = v
	return nil
}

// ParseUnits reads a decimal number with no more than three decimals.
func ParseUnits(text string) (Units, error) {
	v, err := parseDecimal([]byte(text), 3)
	if err != nil {
		return 0, err
	}
	if fine, err := parseDecimal([]byte(text), 9); err == nil && fine != v*1e6 {
		return 0, errTooFine
	}
	return Units(v), nil
}

// What a number can be wrong for.
var (
	errNoNumber    = errors.New("is not a number")
	errNotFinite   = errors.New("is not a finite number")
	errTooLarge    = errors.New("is too large")
	errTooFine     = errors.New("has more than three decimals")
	errNotPositive = errors.New("is not positive")
	errNotWhole    = errors.New("is not a whole number")
	errNoRate      = errors.New("is not a rate such as 5 or 100/min")
	errNoBool      = errors.New("is neither true nor false")
)

// parseDecimal returns a decimal number times ten to the power of decimals,
// rounded to the nearest. What is written without an exponent is exact, where a
// float64 would no longer tell the microseconds of a Unix time apart.
func parseDecimal(text []byte, decimals int) (int64, error) {
	digits, negative := text, false
	if len(digits) > 0 && (digits[0] == '-' || digits[0] == '+') {
		negative, digits = digits[0] == '-', digits[1:]
	}
	whole, fraction, _ := bytes.Cut(digits, []byte{'.'})
	if len(whole)+len(fraction) == 0 || !onlyDigits(whole) || !onlyDigits(fraction) {
		return parseFloat(string(text), decimals)
	}
	var v int64
	for i := range len(whole) + decimals {
		d := int64(0)
		switch {
		case i < len(whole):
			d = int64(whole[i] - '0')
		case i-len(whole) < len(fraction):
			d = int64(fraction[i-len(whole)] - '0')
		}
		if v > (math.MaxInt64-10)/10 {
			return 0, errTooLarge
		}
		v = 10*v + d
	}
	if len(fraction) > decimals && fraction[decimals] >= '5' {
		v++
	}
	if negative {
		v = -v
	}
	return v, nil
}

func onlyDigits(text []byte) bool {
	for _, c := range text {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// parseFloat is for what is no plain decimal number.
func parseFloat(text string, decimals int) (int64, error) {
	f, err := parseNumber(text)
	if err != nil {
		return 0, err
	}
	if f = math.Round(f * math.Pow10(decimals)); math.Abs(f) >= math.MaxInt64 {
		return 0, errTooLarge
	}
	return int64(f), nil
}

// parseNumber reads a number as people and JSON write it, unlike Go's own, which
// may be hexadecimal or have underscores.
func parseNumber(text string) (float64, error) {
	f, err := strconv.ParseFloat(text, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, errTooLarge
	case err != nil || bytes.ContainsAny([]byte(text), "xX_"):
		return 0, errNoNumber
	case math.IsNaN(f) || math.IsInf(f, 0):
		return 0, errNotFinite
	}
	return f, nil
}

// appendDecimal appends v divided by ten to the power of decimals, with as many
// decimals as it needs.
func appendDecimal(to []byte, v int64, decimals int) []byte {
	abs := uint64(v)
	if v < 0 {
		to, abs = append(to, '-'), -abs
	}
	scale := uint64(math.Pow10(decimals))
	to = strconv.AppendUint(to, abs/scale, 10)
	rest := abs % scale
	if rest == 0 {
		return to
	}
	at := len(to)
	to = strconv.AppendUint(to, scale+rest, 10) // a digit too many, where the point goes
	to[at] = '.'
	return bytes.TrimRight(to, "0")
}
