package limits

import (
	"context"
	"sync"
	"time"
)

// group is all subjects of one tag. At most one operation of a group is in flight; calls that arrive meanwhile wait
// and travel together in the next one. That is what makes a hot key cheap, and it needs no timer.
type group struct {
	l   *Redis
	tag [16]byte

	mu       sync.Mutex
	keys     []*redisKey
	spare    int // room that is reserved for keys to come
	queue    []*waiter
	inflight bool
	listed   listing // where the flusher has it
	assert   bool    // an outcome is not known: the next operation must write
	retryAt  time.Duration
	backoff  time.Duration
	dead     bool
	node     *node
	asked    time.Duration // where, last
}

// acquireGroup decides tiers of one tag. The waiter that it returns is the caller's to recycle.
func (l *Redis) acquireGroup(ctx context.Context, tiers []Tier) (*waiter, error) {
	now := l.o.Clock()
	w := newWaiter(tiers, now)
	g := l.lockGroup(tiers, w, now)
	if g == nil {
		w.bound, w.wait = Unavailable, unavailableWait
		l.o.Observer.overload("")
		return w, nil
	}
	if w.fromCache(now) {
		g.mu.Unlock()
		return w, nil
	}
	n := g.where(now)
	if n.away(now) {
		g.without(w, now)
		g.mu.Unlock()
		return w, nil
	}
	if !g.inflight {
		g.inflight = true
		g.queue = append(g.queue, w)
		op := g.next(now, n)
		if op == nil {
			g.inflight = false
		}
		g.mu.Unlock()
		l.post(op) // has its own deadline: a client that leaves must not fail the others
		<-w.ch
		return w, nil
	}
	if len(g.queue) >= maxQueue {
		g.without(w, now)
		g.mu.Unlock()
		l.o.Observer.overload(n.addr)
		return w, nil
	}
	g.queue = append(g.queue, w)
	g.mu.Unlock()
	left := ctx.Done()
	if left == nil { // a select costs more than all the rest here
		<-w.ch
		return w, nil
	}
	select {
	case <-w.ch:
		return w, nil
	case <-left:
	}
	g.mu.Lock()
	if !w.finished {
		w.gone = true
		g.mu.Unlock()
		return nil, ctx.Err()
	}
	g.mu.Unlock()
	<-w.ch
	return w, nil
}

// maxQueue bounds the calls that wait for one group.
const maxQueue = 1 << 14

// knownRefusal answers from the cache only.
func (l *Redis) knownRefusal(tiers []Tier) *waiter {
	now := l.o.Clock()
	w := newWaiter(tiers, now)
	if g := l.lockGroup(tiers, w, now); g != nil {
		defer g.mu.Unlock()
		if w.fromCache(now) {
			return w
		}
	}
	w.recycle()
	return nil
}

// next takes from the queue what one operation can carry. Nil: there was nothing left to ask. It is called under the
// lock, by whoever holds the inflight flag.
func (g *group) next(now time.Duration, n *node) *syncOp {
	op := newOp(g, n)
	units := 0
	for len(g.queue) > 0 && units < opUnits {
		w := g.queue[0]
		if !w.gone && now-w.since > 2*g.l.o.Timeout {
			g.without(w, now)
			w.finish()
		} else if !w.gone {
			if w.fromCache(now) {
				w.finish()
			} else if !op.add(w) {
				break
			} else {
				units++
			}
		} else {
			w.recycle()
		}
		g.queue[0] = nil
		g.queue = g.queue[1:]
	}
	if len(g.queue) == 0 {
		g.queue = nil
	}
	if len(op.demands) == 0 {
		return nil
	}
	g.seal(op, now)
	return op
}

// seal puts what this process says of itself into the operation.
func (g *group) seal(op *syncOp, now time.Duration) {
	l := g.l
	for _, k := range g.keys { // releases and debts travel along
		if len(op.keys) < opKeys && k.wanting(now) {
			op.key(k)
		}
	}
	op.sealed, op.assert = now, g.assert
	op.seq = l.seq.Add(1)
	op.steps = op.node.stepCount()
	for i := range op.keys {
		op.sealKey(i, now)
	}
}

func (o *syncOp) sealKey(i int, now time.Duration) {
	e := &o.keys[i]
	k := e.k
	window := k.g.l.o.window
	e.held, e.known = k.held, k.gen
	if k.steps != o.steps && k.gen != 0 {
		e.known = knownForce
	}
	e.seen = k.seen.sum(now, window)
	e.owed = k.debt.sum(now, window)
	e.debt, k.debt = k.debt, buckets{}
	e.refund, k.refund = k.refund, refund{}
	k.dirty = false
}

// where returns the node of the group. A cluster is asked for it once a second.
func (g *group) where(now time.Duration) *node {
	if g.node == nil || g.l.nodes.cluster != nil && now-g.asked > time.Second {
		g.node, g.asked = g.l.nodes.of(now, g.keys[0].name, g.l.o.Timeout), now
	}
	return g.node
}

// after starts the next operation or gives up the inflight flag. It is called under the lock.
func (g *group) after(now time.Duration) *syncOp {
	if len(g.queue) > 0 {
		n := g.where(now)
		if n.away(now) {
			g.serveWithout(g.queue, now)
			g.queue = nil
		} else if op := g.next(now, n); op != nil {
			return op
		}
	}
	g.inflight = false
	if g.wanting(now) {
		g.schedule(g.full())
	}
	return nil
}

// full tells whether somebody may be waiting for the slots that are to be given back.
func (g *group) full() bool {
	for _, k := range g.keys {
		if k.dirty && k.full() {
			return true
		}
	}
	return false
}

// wanting tells whether Redis has to be told something.
func (g *group) wanting(now time.Duration) bool {
	if g.assert {
		return true
	}
	for _, k := range g.keys {
		if k.wanting(now) {
			return true
		}
	}
	return false
}
