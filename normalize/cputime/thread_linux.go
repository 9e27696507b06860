package cputime

import (
	"syscall"
	"time"
	"unsafe"
)

// clockThread is CLOCK_THREAD_CPUTIME_ID of clock_gettime(2).
const clockThread = 3

func thread() time.Duration {
	var ts syscall.Timespec
	if _, _, errno := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockThread, uintptr(unsafe.Pointer(&ts)), 0); errno != 0 {
		return time.Duration(time.Now().UnixNano())
	}
	return time.Duration(ts.Nano())
}
