package limits

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/caddymcp/gateway/limits/redistest"
)

// TestBoundsOfTiers: callers that are counted under several limits, more of them than there is room for, push each other
// out, and none is refused for it. The bound holds though many come at once.
func TestBoundsOfTiers(t *testing.T) {
	const room, callers = 64 * memoryShards, 2 * 64 * memoryShards
	s := redistest.Start(t)
	l := newGateway(t, ClientOptions{Addresses: []string{s.Addr}, Timeout: patience},
		RedisOptions{Secret: []byte("for tests"), Timeout: patience, MaxKeys: room})
	m := NewMemory(MemoryOptions{MaxKeys: room})
	for _, l := range []Limiter{l, m} {
		var mu sync.Mutex
		refused := 0
		var wg sync.WaitGroup
		const workers = 8
		for w := range workers {
			wg.Go(func() {
				for i := w; i < callers; i += workers {
					who := fmt.Sprint(i)
					outer := one(l, who, 10, 0)
					tool := Tier{Name: "tool", Subject: l.Hasher().Under(outer.Subject, "tool", who), RPM: 5, Concurrency: 2, Cost: 1, Slots: 1}
					d, err := l.Acquire(context.Background(), Call{Tiers: []Tier{outer, tool}})
					d.Lease.Release()
					mu.Lock()
					if err != nil || !d.Allowed {
						refused++
					}
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		if kept := l.Stats().Keys; refused > 0 || kept > room || kept < room/2 {
			t.Errorf("%T refused %d of %d callers and keeps %d subjects, at most %d", l, refused, callers, kept, room)
		}
	}
}
