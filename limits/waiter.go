package limits

import (
	"sync"
	"time"
)

// waiter is one call that waits for its group.
type waiter struct {
	store    [MaxTiers]Tier
	tiers    []Tier
	keys     [MaxTiers]*redisKey
	since    time.Duration
	ch       chan struct{}
	finished bool
	gone     bool // the client left

	views    [MaxTiers]view
	stamps   [MaxTiers]int64
	bound    Bound
	at       int
	wait     time.Duration
	fallback bool
}

var waiters = sync.Pool{New: func() any { return &waiter{ch: make(chan struct{}, 1)} }}

func newWaiter(tiers []Tier, now time.Duration) *waiter {
	w := waiters.Get().(*waiter)
	w.tiers = w.store[:copy(w.store[:], tiers)]
	w.since = now
	return w
}

func (w *waiter) recycle() {
	for i := range w.tiers { // the rest was never used
		w.store[i], w.keys[i] = Tier{}, nil
		w.views[i], w.stamps[i] = view{}, 0
	}
	w.tiers = nil
	w.finished, w.gone, w.fallback = false, false, false
	w.bound, w.at, w.wait = None, 0, 0
	waiters.Put(w)
}

// refuse is called under the lock of the group.
func (w *waiter) refuse(bound Bound, at int, wait time.Duration) {
	w.bound, w.at, w.wait = bound, at, wait
	for i := range w.tiers {
		w.views[i] = w.keys[i].view
	}
}

// finish hands the answer to whoever waits. A client that has left cannot release what it was granted: the group does.
func (w *waiter) finish() {
	w.finished = true
	if !w.gone {
		w.ch <- struct{}{} // room for one, sent once
		return
	}
	if w.bound == None {
		for i := range w.tiers {
			w.keys[i].giveBack(w.tiers[i].Slots, nil)
		}
	}
}

func (w *waiter) fromCache(now time.Duration) bool {
	at, wait := -1, time.Duration(0)
	for i := range w.tiers {
		if k := w.keys[i]; k.cached(&w.tiers[i], now) && k.denyUntil-now > wait {
			at, wait = i, k.denyUntil-now
		}
	}
	if at < 0 {
		return false
	}
	w.refuse(RPM, at, wait)
	return true
}
