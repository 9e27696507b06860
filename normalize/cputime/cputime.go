// Package cputime tells tests how long a computation took on the processor:
// unlike the clock on the wall it does not count the work of others.
package cputime

import (
	"runtime"
	"time"
)

// Of runs f and returns the processor time that its thread took for it. Where
// the system does not tell, it is the time on the clock.
func Of(f func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	start := thread()
	f()
	return thread() - start
}

// Ratio returns how much longer two takes than one, each the least of up to
// tries runs; it stops as soon as the ratio is at most enough. Times below a
// millisecond count as one: there the clock counts more than the work.
func Ratio(one, two func(), enough float64, tries int) float64 {
	a, b := max(Of(one), time.Millisecond), max(Of(two), time.Millisecond)
	for ; tries > 1 && float64(b) > enough*float64(a); tries-- {
		a, b = min(a, max(Of(one), time.Millisecond)), min(b, max(Of(two), time.Millisecond))
	}
	return float64(b) / float64(a)
}
