package headers

import (
	"math"
	"strconv"
	"testing"
	"time"
)

const noDelay = time.Duration(-1)

var delayCases = []struct {
	value, date string
	unit, want  time.Duration
}{
	{"30", "", 0, 30 * time.Second},
	{"0", "", 0, 0},
	{"0.25", "", 0, 250 * time.Millisecond},
	{"31622400", "", 0, horizon},
	{"31622400.1", "", 0, noDelay},
	{"999999999", "", 0, noDelay},
	{"1500", "", time.Millisecond, 1500 * time.Millisecond},
	{"31622400000", "", time.Millisecond, horizon},
	{"99999999999", "", time.Millisecond, noDelay},
	{"15", "", time.Minute, 15 * time.Minute},
	{"1796050830", "", 0, 30 * time.Second},
	{"1796050830.5", "", 0, 30500 * time.Millisecond},
	{"1796050830", "Mon, 30 Nov 2026 14:59:00 GMT", 0, 90 * time.Second},
	{"1796050830", "Thu, 01 Jan 1970 00:00:10 GMT", 0, 30 * time.Second},
	{"1796050830", "garbage", 0, 30 * time.Second},
	{"1796050790", "", 0, 0},
	{"1795964400", "", 0, 0},
	{"1795964399", "", 0, noDelay},
	{"1796050830500", "", 0, 30500 * time.Millisecond},
	{"1796050830500", "", time.Minute, 30500 * time.Millisecond},
	{"100000000000000", "", 0, noDelay},
	{"2026-11-30T15:00:30Z", "", 0, 30 * time.Second},
	{"2026-11-30t15:00:30z", "", 0, 30 * time.Second},
	{"2026-11-30T15:01Z", "", 0, time.Minute},
	{"2026-11-30 15:01:00 +0000", "", 0, time.Minute},
	{"2026-11-30T15:00:30.9440478+00:00", "", 0, 30944047800 * time.Nanosecond},
	{"2026-11-30T15:00:30,5Z", "", 0, noDelay},
	{"2026-11-30T15:00:30", "", 0, noDelay},
	{"2026-11-31T15:00:30Z", "", 0, noDelay},
	{"2026-11-30T24:00:30Z", "", 0, noDelay},
	{"2026-11-30T15:00:60Z", "", 0, 59 * time.Second},
	{"2026-00-30T15:00:30Z", "", 0, noDelay},
	{"2026-11-30T15:00:30+25:00", "", 0, noDelay},
	{"Mon, 30 Nov 2026 15:00:30 GMT", "", 0, 30 * time.Second},
	{"Mon, 30 Nov 2026 15:00:30 UTC", "", 0, 30 * time.Second},
	{"Mon, 30 Nov 2026 15:00:30 CET", "", 0, noDelay},
	{"Mon, 30 Foo 2026 15:00:30 GMT", "", 0, noDelay},
	{"Mon, 30 Nov 2026 15:00:30", "", 0, noDelay},
	{"1h2m3s", "", 0, 3723 * time.Second},
	{"2m59.56s", "", 0, 179560 * time.Millisecond},
	{"17ms", "", 0, 17 * time.Millisecond},
	{"1d", "", 0, day},
	{"367d", "", 0, noDelay},
	{"6m0x", "", 0, noDelay},
	{"-5s", "", 0, noDelay},
	{"1m-5s", "", 0, noDelay},
	{"s", "", 0, noDelay},
	{"00:01:30.5", "", 0, 90500 * time.Millisecond},
	{"00:61:30", "", 0, noDelay},
	{"", "", 0, noDelay},
	{"never", "", 0, noDelay},
}

// Numbers, instants and durations become delays from noon.
func TestDelay(t *testing.T) {
	for _, tt := range delayCases {
		c := clock{now: noon, dateText: tt.date}
		got, ok := c.delay(tt.value, tt.unit)
		if !ok {
			got = noDelay
		}
		if got != tt.want {
			t.Errorf("delay(%q, %v) at %q = %v, want %v", tt.value, tt.unit, tt.date, got, tt.want)
		}
	}
}

// y2k is when the bubbles of synctest begin.
var y2k = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// A clock that is set before 2001 still meets instants: the numbers are smaller
// then, but much too large for delays.
func TestDelayByAnOldClock(t *testing.T) {
	for _, tt := range []struct {
		now         time.Time
		value, date string
		unit, want  time.Duration
	}{
		{y2k, "946684830", "", 0, 30 * time.Second},
		{y2k, "946684830.5", "", time.Second, 30500 * time.Millisecond},
		{y2k, "946684830", "", time.Minute, 30 * time.Second},
		{y2k, "946684830", "", time.Millisecond, 946684830 * time.Millisecond},
		{y2k, "946684830500", "", 0, 30500 * time.Millisecond},
		{y2k, "946684830500.25", "", time.Millisecond, 30500250 * time.Microsecond},
		{y2k, "946684830", "Sat, 01 Jan 2000 00:00:10 GMT", 0, 20 * time.Second},
		{y2k, "946598400", "", 0, 0},        // a day ago
		{y2k, "946598399", "", 0, noDelay},  // longer ago
		{y2k, "978307200", "", 0, horizon},  // 366 days ahead: 2000 is a leap year
		{y2k, "978307201", "", 0, noDelay},  // further ahead
		{y2k, "1796050830", "", 0, noDelay}, // the clock is decades off
		{y2k, "1796050830", "Mon, 30 Nov 2026 15:00:00 GMT", 0, 30 * time.Second},
		{y2k, "31622401", "", 0, noDelay}, // neither a delay nor an instant
		{noon, "946684830", "", 0, noDelay},
		{time.Unix(70_000_000, 0), "70000030", "", 0, 30 * time.Second},
		{time.Unix(70_000_000, 0), "70000030000", "", 0, 30 * time.Second},
		{time.Time{}, "999999999999999999", "", 0, noDelay},
	} {
		c := clock{now: tt.now, dateText: tt.date}
		got, ok := c.delay(tt.value, tt.unit)
		if !ok {
			got = noDelay
		}
		if got != tt.want {
			t.Errorf("delay(%q, %v) at %v, Date %q = %v, want %v", tt.value, tt.unit, tt.now, tt.date, got, tt.want)
		}
	}
	h := header("X-RateLimit-Limit: 10\nX-RateLimit-Remaining: 3\nX-RateLimit-Reset: 946684860")
	if got := brief(Parse(h, y2k)); got[0] != "limit=10 remaining=3 reset=1m0s" {
		t.Errorf("Parse in 2000 = %q", got)
	}
}

// Whatever the year, a Unix time is an instant, in seconds and in milliseconds.
func TestUnixTimes(t *testing.T) {
	for year := 1972; year < 2200; year++ {
		now := time.Date(year, 7, 1, 12, 0, 0, 0, time.UTC)
		for _, want := range []time.Duration{0, time.Second, time.Hour, 365 * day, horizon} {
			at := now.Add(want)
			for _, unix := range []int64{at.Unix(), at.UnixMilli()} {
				c := clock{now: now}
				if got, ok := c.delay(strconv.FormatInt(unix, 10), 0); !ok || got != want {
					t.Errorf("delay(%d) at %v = %v, %t; want %v", unix, now, got, ok, want)
				}
			}
		}
	}
}

func TestReadNumber(t *testing.T) {
	for _, tt := range []struct {
		s    string
		want float64
	}{
		{"0", 0}, {"007", 7}, {"4.2", 4.2}, {"0.0167", 0.0167}, {"57.0", 57}, {"8388608.5", 8388608.5},
		{"999999999999999999", 1e18}, {"0.1234567891234", 0.123456789},
	} {
		if n, ok := readNumber(tt.s); !ok || n.float() != tt.want {
			t.Errorf("readNumber(%q) = %v, %v; want %v", tt.s, n.float(), ok, tt.want)
		}
	}
	for _, s := range []string{
		"", " 1", "-1", "+1", "1e9", "0x10", "1_000", "1,000", "NaN", "Inf", ".5", "5.", "1.2.3", "1000000000000000000", "٣", `"1"`, "1\x00",
	} {
		if n, ok := readNumber(s); ok {
			t.Errorf("readNumber(%q) = %v", s, n.float())
		}
	}
}

func TestTimesSaturates(t *testing.T) {
	for _, s := range []string{"9223372036.854775807", "9223372036.854775808", "999999999999999999", "999999999999999999.999999999"} {
		n, _ := readNumber(s)
		if d := n.times(time.Second); d != math.MaxInt64 {
			t.Errorf("%s seconds = %v", s, d)
		}
	}
}

// RetryAfter takes the best field and the longest of its values.
func TestRetryAfter(t *testing.T) {
	for _, tt := range []struct {
		fields string
		want   Opt[time.Duration]
	}{
		{"Retry-After: 5", Some(5 * time.Second)},
		{"Retry-After: 5\nX-Retry-After: 9", Some(5 * time.Second)},
		{"Retry-After: 5\nRetry-After-Ms: 4500", Some(4500 * time.Millisecond)},
		{"Retry-After: 5\nx-ms-retry-after-ms: 4500", Some(4500 * time.Millisecond)},
		{"Retry-After: -5\nX-RateLimit-Retry-After: 9", Some(9 * time.Second)},
		{"X-Retry-After: 3\nX-RateLimit-Retry-After: 9", Some(9 * time.Second)},
		{"Retry-After: 5, 7, soon", Some(7 * time.Second)},
		{"Retry-After: 1000000", Some(1000000 * time.Second)},
		{"Retry-After: 9223372036854775807", Opt[time.Duration]{}},
		{"Beta-Retry-After: 5", Opt[time.Duration]{}},
		{"Age: 9\nRetry-After: 5", Some(5 * time.Second)},
		{"", Opt[time.Duration]{}},
	} {
		if got := RetryAfter(header(tt.fields), noon); got != tt.want {
			t.Errorf("RetryAfter(%q) = %v, want %v", tt.fields, got, tt.want)
		}
	}
}
