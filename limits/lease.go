package limits

import (
	"sync"
	"time"
)

// Lease holds the slots of an allowed call. It is a small value; copies are the same lease.
type Lease struct {
	h     *handle
	gen   uint64
	owner leaser
}

// Release gives the slots back. It never blocks on Redis, may be called more than once and from any goroutine; only the
// first call counts. The zero Lease does nothing.
func (l Lease) Release() {
	if l.h != nil {
		l.owner.release(l)
	}
}

// Lost returns a channel that is closed when the slots could not be renewed in time, so that other replicas may soon hand
// them to somebody else. It is nil, and so never ready, for the memory store, for a call that was admitted while Redis was
// away, and after Release.
func (l Lease) Lost() <-chan struct{} {
	if l.h == nil {
		return nil
	}
	return l.owner.lost(l)
}

// leaser is a store that hands out leases.
type leaser interface {
	release(l Lease)
	lost(l Lease) <-chan struct{}
}

// handle is the pooled part of a Lease. Its generation tells a lease from a later one that got the same handle.
type handle struct {
	// gen is guarded by the lock of home for the memory store, by mu for Redis.
	gen  uint64
	home *memoryShard
	mu   sync.Mutex
	// since is when the lease was granted, -1 when the holding time is not measured.
	since time.Duration
	n     int
	parts [MaxTiers]part
	// fallback is set when Redis did not grant every part.
	fallback bool
	cut      *cutter
	next     *handle // in a free list
}

// part is one tier's share of a lease.
type part struct {
	mem   *memoryKey
	key   *redisKey
	slots int32
	cost  int32
	stamp int64
}

var handles = sync.Pool{New: func() any { return new(handle) }}

func (h *handle) recycle() {
	for i := range h.n {
		h.parts[i] = part{}
	}
	h.n, h.fallback, h.cut = 0, false, nil
	handles.Put(h)
}
