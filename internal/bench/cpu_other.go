//go:build !unix

package main

import "time"

const timeText = "Times are those of the clock on the wall"

var began = time.Now()

func cpuTime() time.Duration { return time.Since(began) }
