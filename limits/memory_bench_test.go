package limits

import (
	"context"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// cpu returns the processor time of this thread: it does not see what else the machine does.
func cpu(b *testing.B) time.Duration {
	const thread = 1 // RUSAGE_THREAD of Linux
	var u syscall.Rusage
	if err := syscall.Getrusage(thread, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// onCPU reports the processor time per operation of f.
func onCPU(b *testing.B, f func(i int)) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	b.ReportAllocs()
	b.ResetTimer()
	start := cpu(b)
	for i := range b.N {
		f(i)
	}
	b.ReportMetric(float64(cpu(b)-start)/float64(b.N), "cpu-ns/op")
}

func BenchmarkMemory(b *testing.B) {
	for _, keys := range []int{1, 10_000} {
		b.Run("keys="+strconv.Itoa(keys), func(b *testing.B) {
			m := NewMemory(MemoryOptions{})
			calls := make([]Call, keys)
			for i := range calls {
				calls[i] = Call{Tiers: []Tier{{Name: "k", Subject: m.Hasher().Subject("k", strconv.Itoa(i)),
					RPM: maxUnits, Concurrency: 100, Cost: 1, Slots: 1}}}
			}
			ctx := context.Background()
			onCPU(b, func(i int) {
				d, err := m.Acquire(ctx, calls[i%keys])
				if err != nil || !d.Allowed {
					b.Fatal(d, err)
				}
				d.Lease.Release()
			})
		})
	}
}

func BenchmarkSubject(b *testing.B) {
	h := NewHasher(nil)
	onCPU(b, func(int) { h.Subject("key", "a credential of ordinary length") })
}

func BenchmarkClock(b *testing.B) {
	now := Monotonic()
	onCPU(b, func(int) { now() })
}
