package limits

import (
	"sync"
	"time"
)

// newHandle begins a lease at the time of the call.
func newHandle(since time.Duration, fallback bool) *handle {
	h := handles.Get().(*handle)
	h.since, h.fallback = since, fallback
	return h
}

// take moves the slots of an admitted waiter into the lease.
func (h *handle) take(w *waiter) {
	for i := range w.tiers {
		t := &w.tiers[i]
		h.parts[h.n] = part{key: w.keys[i], slots: int32(t.Slots), cost: int32(t.Cost), stamp: w.stamps[i]} // maxUnits
		h.n++
	}
}

// release gives slots back; Redis hears of it with the next operation on the subject, or soon.
func (l *Redis) release(lease Lease) {
	h := lease.h
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.gen != lease.gen {
		return
	}
	h.gen++
	defer h.recycle()
	held := l.o.Clock() - h.since
	for i := range h.n {
		p := &h.parts[i]
		p.key.g.mu.Lock()
		p.key.hold.observe(held)
		p.key.giveBack(int(p.slots), h.cut)
		p.key.g.mu.Unlock()
	}
}

// refund gives back slots and units of a call that another tier refused: it has not taken place.
func (l *Redis) refund(h *handle) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.gen++
	defer h.recycle()
	for i := range h.n {
		p := &h.parts[i]
		p.key.g.mu.Lock()
		p.key.takeBack(int(p.cost), p.stamp)
		p.key.giveBack(int(p.slots), nil)
		p.key.g.mu.Unlock()
	}
}

// cutter closes the channel of Lease.Lost once, whichever subject is lost first.
type cutter struct {
	once sync.Once
	ch   chan struct{}
}

func (c *cutter) cut() { c.once.Do(func() { close(c.ch) }) }

func (l *Redis) lost(lease Lease) <-chan struct{} {
	h := lease.h
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.gen != lease.gen || h.fallback {
		return nil
	}
	if h.cut == nil {
		h.cut = &cutter{ch: make(chan struct{})}
		for i := range h.n {
			h.parts[i].key.watch(h.cut)
		}
	}
	return h.cut.ch
}
