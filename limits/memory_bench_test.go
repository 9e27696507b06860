package limits

import (
	"context"
	"strconv"
	"testing"
)

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
			b.ReportAllocs()
			b.ResetTimer()
			for i := range b.N {
				d, err := m.Acquire(ctx, calls[i%keys])
				if err != nil || !d.Allowed {
					b.Fatal(d, err)
				}
				d.Lease.Release()
			}
		})
	}
}

func BenchmarkSubject(b *testing.B) {
	h := NewHasher(nil)
	b.ReportAllocs()
	for b.Loop() {
		h.Subject("key", "a credential of ordinary length")
	}
}
