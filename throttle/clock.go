package throttle

import "time"

// The schedule counts in nanoseconds of the monotonic clock since the process
// began, so that a step of the wall clock changes nothing. Every instant and
// every length is kept within ±far (73 years): the sum of any three of them
// fits an int64, and the steps need no further care.
const far int64 = 1 << 61

var epoch = time.Now()

// now is one clock read. It may be negative: a synctest bubble lies decades
// before the process that runs it.
func now() int64 { return clamp(int64(time.Since(epoch))) }

func instant(t time.Time) int64 { return clamp(int64(t.Sub(epoch))) }

func clamp(ns int64) int64 { return max(-far, min(far, ns)) }
