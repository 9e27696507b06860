package limits

import (
	"context"
	"time"
)

// BreakerMemory keeps breakers in this process. Safe for concurrent use.
type BreakerMemory struct{ t *breakerTable }

// NewBreakerMemory returns a store of at most entries failing keys (0 is
// DefaultBreakerEntries). Beyond that the key that changed longest ago is
// forgotten, one that is not open first. onChange, which may be nil, is called
// without a lock held.
func NewBreakerMemory(entries int, onChange func(BreakerEvent)) *BreakerMemory {
	return &BreakerMemory{newBreakerTable(entries, onChange)}
}

// Breaker implements BreakerStore.
func (m *BreakerMemory) Breaker(rules BreakerRules) Breaker { return memoryBreaker{m.t, rules} }

// Reset implements BreakerStore; the error is always nil.
func (m *BreakerMemory) Reset(_ context.Context, f BreakerFilter, _ time.Time) (int, error) {
	return m.t.drop(false, false, func(e *breakerEntry) bool { return f.match(e.key) }), nil
}

// State implements BreakerStore.
func (m *BreakerMemory) State(limit int) []BreakerState { return m.t.state(limit) }

type memoryBreaker struct {
	t *breakerTable
	r BreakerRules
}

func (b memoryBreaker) Allow(_ context.Context, key BreakerKey, now time.Time) BreakerDecision {
	if b.r.Failures <= 0 || b.t.n.Load() == 0 {
		return BreakerDecision{}
	}
	id, ok := key.id()
	if !ok {
		return BreakerDecision{}
	}
	e, ok := b.t.peek(id)
	switch {
	case !ok || !e.open:
		return BreakerDecision{}
	case e.waiting(now):
		return e.refusal(now)
	}
	return b.t.localProbe(id, key, b.r, now)
}

func (b memoryBreaker) Record(_ context.Context, key BreakerKey, ticket uint64, o BreakerOutcome, now time.Time) {
	if b.r.Failures <= 0 || o != BreakerFailure && b.t.n.Load() == 0 {
		return
	}
	id, ok := key.id()
	if !ok {
		return
	}
	if o == BreakerSuccess {
		if _, failing := b.t.peek(id); !failing {
			return
		}
	}
	b.t.localRecord(id, key, b.r, ticket, o, false, now)
}
