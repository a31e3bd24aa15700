package simulate

import (
	"math"
	"math/big"
	"testing"
	"time"
)

// Against numbers of any size, saturated.
func FuzzArith(f *testing.F) {
	f.Add(int64(7), int64(3), int64(2))
	f.Add(int64(math.MaxInt64), int64(math.MaxInt64), int64(1))
	f.Add(int64(math.MaxInt64), int64(1), int64(1))
	f.Add(int64(1)<<62, int64(6), int64(4))
	f.Fuzz(func(t *testing.T, a, b, c int64) {
		a, b, c = max(a, 0), max(b, 0), max(c, 1)
		product := new(big.Int).Mul(big.NewInt(a), big.NewInt(b))
		down, rest := new(big.Int).QuoRem(product, big.NewInt(c), new(big.Int))
		up := new(big.Int).Set(down)
		if rest.Sign() > 0 {
			up.Add(up, big.NewInt(1))
		}
		for _, tt := range []struct {
			name string
			got  int64
			want *big.Int
			most int64
		}{
			{"mulDiv", mulDiv(a, b, c), down, math.MaxInt64},
			{"mulDivUp", mulDivUp(a, b, c), up, math.MaxInt64},
			{"mulCap", mulCap(a, b, c), product, c},
			{"divUp", divUp(a, c), new(big.Int).Quo(new(big.Int).Add(big.NewInt(a), big.NewInt(c-1)), big.NewInt(c)), math.MaxInt64},
			{"addSat", int64(addSat(time.Duration(a), time.Duration(b))), new(big.Int).Add(big.NewInt(a), big.NewInt(b)), math.MaxInt64 - 1},
		} {
			want := tt.most
			if tt.want.Cmp(big.NewInt(tt.most)) < 0 {
				want = tt.want.Int64()
			}
			if tt.got != want {
				t.Errorf("%s of %d, %d, %d = %d, want %d", tt.name, a, b, c, tt.got, want)
			}
		}
	})
}
