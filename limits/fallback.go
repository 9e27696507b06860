package limits

import (
	"math"
	"time"
)

// without decides a call while Redis does not answer. It is called under the lock of the group.
//
// The local rule: this process has its share of each limit, and all that it admitted in the last minute counts against
// the share, whoever decided it. With k of N processes cut off, at most limit x (1 + k/N) units are admitted in any
// minute. What is admitted is kept as a debt that Redis is told with the next operation.
func (g *group) without(w *waiter, now time.Duration) {
	l := g.l
	w.fallback = true
	views := w.views[:len(w.tiers)]
	for i := range w.tiers {
		k := w.keys[i]
		views[i] = view{k.own.sum(now, l.o.window), k.held}
	}
	switch l.o.OnFailure {
	case Deny:
		w.bound, w.at, w.wait = Unavailable, 0, unavailableWait
		return
	case Local:
		if g.refuseLocally(w, now) {
			return
		}
	}
	for i := range w.tiers {
		k, t := w.keys[i], &w.tiers[i]
		k.held += t.Slots
		k.dirty = k.dirty || t.Slots > 0 || t.Cost > 0
		k.own.add(now, l.o.window, 0, t.Cost)
		k.debt.add(now, l.o.window, 0, t.Cost)
		views[i].rpm += t.Cost
		views[i].conc += t.Slots
	}
}

func (g *group) refuseLocally(w *waiter, now time.Duration) bool {
	l := g.l
	for i := range w.tiers {
		t := &w.tiers[i]
		local := *t
		local.RPM, local.Concurrency = share(t.RPM, l.o.Replicas), share(t.Concurrency, l.o.Replicas)
		if t.Shadow {
			continue
		}
		k := w.keys[i]
		switch v := w.views[i]; {
		case local.overRPM(v):
			w.bound, w.at = RPM, i
			w.wait = max(k.own.wait(now, l.o.window, v.rpm+t.Cost-local.RPM), time.Millisecond)
			return true
		case local.overConcurrency(v):
			w.bound, w.at = Concurrency, i
			w.wait = k.hold.wait(local.Concurrency, l.o.Rand())
			return true
		}
	}
	return false
}

// share is this process's part of a limit, rounded up: a limit smaller than the number of processes still lets one
// call through. 0 stays 0, no limit.
func share(limit, replicas int) int {
	return int(math.Ceil(float64(limit) / float64(replicas)))
}
