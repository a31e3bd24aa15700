//go:build unix

package main

import (
	"syscall"
	"time"
)

// timeText says what is measured, for the report.
const timeText = "Times are processor time of the whole process, its garbage collector included"

// cpuTime is the time that this process has had the processors for: what others
// do on the machine is not in it.
func cpuTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // fails for arguments that do not exist
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
