package sim

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// What is written is read again as it was, to the last digit.
func FuzzDecimal(f *testing.F) {
	for _, v := range []int64{0, 1, -1, 999, 1000, 1001, 1732982400123456789, math.MaxInt64, math.MinInt64} {
		f.Add(v)
	}
	f.Fuzz(func(t *testing.T, v int64) {
		v /= 16 // the ends of the range are too large to be read
		text, err := json.Marshal([]any{Units(v), Seconds(max(v, 0))})
		if err != nil {
			t.Fatal(err)
		}
		var units Units
		var span Seconds
		if err := json.Unmarshal(text, &[]any{&units, &span}); err != nil || units != Units(v) || span != Seconds(max(v, 0)) {
			t.Errorf("%d becomes %s, and then %d and %d, %v", v, text, units, span, err)
		}
	})
}

func TestDecimal(t *testing.T) {
	for _, tt := range []struct {
		text     string
		decimals int
		want     int64
		err      error
	}{
		{"2.5", 3, 2500, nil},
		{".5", 3, 500, nil},
		{"5.", 3, 5000, nil},
		{"-0.0005", 3, -1, nil}, // to the nearest
		{"0.00049", 3, 0, nil},
		{"1e3", 3, 1_000_000, nil},
		{"-2.5E-1", 3, -250, nil},
		{"", 3, 0, errNoNumber},
		{".", 3, 0, errNoNumber},
		{"-", 3, 0, errNoNumber},
		{"1.2.3", 3, 0, errNoNumber},
		{"0x10", 3, 0, errNoNumber},
		{"1_0", 3, 0, errNoNumber},
		{"nan", 3, 0, errNotFinite},
		{"1e99", 9, 0, errTooLarge},
		{"9223372036854775807", 0, 0, errTooLarge}, // the last two digits are given up
	} {
		if got, err := parseDecimal([]byte(tt.text), tt.decimals); got != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("parseDecimal(%q, %d) = %d, %v; want %d, %v", tt.text, tt.decimals, got, err, tt.want, tt.err)
		}
	}
}

func TestMulDiv(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 10))
	most := big.NewInt(math.MaxInt64)
	for range 10_000 {
		a, b, c := rnd.Int64()>>rnd.IntN(63), rnd.Int64()>>rnd.IntN(63), 1+rnd.Int64()>>rnd.IntN(63)/2
		down, rest := new(big.Int).QuoRem(new(big.Int).Mul(big.NewInt(a), big.NewInt(b)), big.NewInt(c), new(big.Int))
		up := new(big.Int).Set(down)
		if rest.Sign() > 0 {
			up.Add(up, big.NewInt(1))
		}
		for _, v := range []*big.Int{down, up} {
			if v.Cmp(most) > 0 {
				v.Set(most)
			}
		}
		if got := mulDiv(a, b, c); got != down.Int64() {
			t.Errorf("%d*%d/%d is %d, want %v", a, b, c, got, down)
		}
		if got := mulDivUp(a, b, c); got != up.Int64() {
			t.Errorf("%d*%d/%d rounded up is %d, want %v", a, b, c, got, up)
		}
	}
}
