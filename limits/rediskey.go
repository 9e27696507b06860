package limits

import "time"

// refund is units to take back, with the stamp under which the script counted them.
type refund struct {
	units int
	stamp int64
}

// redisKey is what this process knows of one subject. The lock of its group guards it.
type redisKey struct {
	g    *group
	id   [16]byte
	name string

	held  int  // slots of this process, absolute; what it asserts with every operation
	dirty bool // held differs from what Redis was told last

	gen       int64  // state that Redis had last, 0 none
	cum       uint32 // its counter
	steps     int64  // clock steps of the node that were repaired
	view      view   // as of the last reply
	leaseEnd  time.Duration
	leased    bool
	seen      buckets // units known to be in the window, whoever admitted them
	own       buckets // units that this process admitted
	debt      buckets // units admitted without Redis and not yet reported
	refund    refund
	denyUntil time.Duration
	denyCost  int
	denyRPM   int

	hold     holdTime
	used     time.Duration
	tier     string
	limits   Count
	watchers map[*cutter]struct{}
}

// cached tells whether a reply has already refused this tier until an instant that is still to come. Nothing can leave
// the window before, so the answer is exact.
func (k *redisKey) cached(t *Tier, now time.Duration) bool {
	return now < k.denyUntil && !t.Shadow && t.RPM > 0 && t.Cost >= k.denyCost && t.Cost > 0 && t.RPM <= k.denyRPM
}

// giveBack returns slots. It is called under the lock of the group.
func (k *redisKey) giveBack(slots int, c *cutter) {
	if c != nil {
		delete(k.watchers, c)
	}
	if slots == 0 {
		return
	}
	k.held -= slots
	k.dirty = true
	k.g.schedule(k.full())
}

// full tells whether the subject has at least 80 % of its slots taken.
func (k *redisKey) full() bool {
	limit := k.limits.Concurrency
	return limit > 0 && 5*k.view.conc >= 4*limit
}

// wanting tells whether Redis has to be told something of the subject, or its lease renewed.
func (k *redisKey) wanting(now time.Duration) bool {
	return k.dirty || k.refund.units > 0 || k.held > 0 && 3*(k.leaseEnd-now) < 2*k.g.l.o.Lease
}

// takeBack returns units that were granted under stamp. Those of another stamp, still waiting to be sent, are let go:
// they then count although nothing was done, which errs on the safe side.
func (k *redisKey) takeBack(units int, stamp int64) {
	if units == 0 || stamp == 0 {
		return
	}
	if k.refund.stamp != stamp {
		k.refund = refund{stamp: stamp}
	}
	k.refund.units += units
	k.g.schedule(false)
}

func (k *redisKey) watch(c *cutter) {
	k.g.mu.Lock()
	defer k.g.mu.Unlock()
	if k.watchers == nil {
		k.watchers = make(map[*cutter]struct{})
	}
	k.watchers[c] = struct{}{}
}

// fence tells the holders that the lease is as good as gone: it was not renewed and runs out within margin.
func (k *redisKey) fence(now, margin time.Duration, o *Observer) {
	if !k.leased || k.held == 0 || now < k.leaseEnd-margin {
		return
	}
	k.leased = false
	o.leaseLost(k.held)
	for c := range k.watchers {
		c.cut()
	}
	clear(k.watchers)
}

func (k *redisKey) idle(now, keep time.Duration) bool {
	return k.held == 0 && !k.dirty && k.refund.units == 0 && now-k.used > keep
}

// apply takes in what the script said of this subject. lost: Redis had forgotten what was known here.
func (k *redisKey) apply(r *subjectReply, sent, now time.Duration) (lost bool) {
	l := k.g.l
	if r.gen != k.gen {
		if k.gen != 0 {
			lost = k.knows(now)
			// What was seen before is in the new state now, brought back by whoever came first.
			k.seen = buckets{}
		}
		k.seen.add(now, l.o.window, r.idle, r.n)
	} else if delta := int32(r.cum - k.cum); delta > 0 { // wraps by design
		k.seen.add(now, l.o.window, r.idle, min(int(delta), r.n))
	}
	k.gen, k.cum = r.gen, r.cum
	k.view = view{r.n, r.live}
	if r.left > 0 {
		k.leaseEnd, k.leased = sent+r.left, true
	}
	if r.lost {
		l.o.Observer.stateLost(k.g.node.addr)
	}
	return lost
}

// knows tells whether there is something that Redis would have to be told again if it forgot it.
func (k *redisKey) knows(now time.Duration) bool {
	w := k.g.l.o.window
	return k.held > 0 || k.seen.sum(now, w) > 0 || k.debt.sum(now, w) > 0
}
