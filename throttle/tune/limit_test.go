package tune

import (
	"encoding/json"
	"math"
	"testing"
	"time"
)

func TestLimit(t *testing.T) {
	for _, tt := range []struct {
		text  string
		limit Limit
		t     time.Duration
		again string
	}{
		{"60/1m", Limit{60, time.Minute}, time.Second, "60/1m"},
		{"7/1m0s", Limit{7, time.Minute}, 8571428572, "7/1m"}, // rounded up
		{"5000/1h", Limit{5000, time.Hour}, 720 * time.Millisecond, "5000/1h"},
		{"1/8760h", Limit{1, 8760 * time.Hour}, 8760 * time.Hour, "1/8760h"},
		{"1000000000/1s", Limit{1e9, time.Second}, 1, "1000000000/1s"},
	} {
		var l Limit
		if err := l.UnmarshalText([]byte(tt.text)); err != nil || l != tt.limit || l.Interval() != tt.t || l.String() != tt.again {
			t.Errorf("%s: %v, T = %v, %v", tt.text, l, l.Interval(), err)
		}
	}
	for _, text := range []string{"", "60", "60/", "/1m", "0/1m", "-1/1m", "1.5/1m", "60/0s", "60/-1m", "60/m", "60/1d", "1/8761h", "2/1ns", "99999999999999999999/1m"} {
		l := DefaultLimit
		if err := l.UnmarshalText([]byte(text)); err == nil || l != DefaultLimit {
			t.Errorf("%q is %v, %v; want an error", text, l, err)
		}
	}
}

func TestJSON(t *testing.T) {
	text, err := json.Marshal(map[string]any{"limit": Limit{60, time.Minute}, "span": Span(1500 * time.Millisecond)})
	if want := `{"limit":{"count":60,"window_seconds":60,"interval_seconds":1},"span":1.5}`; err != nil || string(text) != want {
		t.Errorf("%s, %v; want %s", text, err, want)
	}
}

func TestSaturation(t *testing.T) {
	const most = math.MaxInt64
	for _, tt := range []struct{ got, want int64 }{
		{times(0, time.Hour), 0}, {times(3, 7), 21}, {times(most, 1), most}, {times(most, 2), most}, {times(1<<40, 1<<40), most},
		{plus(1, 2), 3}, {plus(most, 1), most}, {plus(most-1, 1), most}, {plus(math.MinInt64, most), -1},
	} {
		if tt.got != tt.want {
			t.Errorf("%d, want %d", tt.got, tt.want)
		}
	}
}
