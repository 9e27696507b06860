package limits

import "time"

// settle hands the outcome of an operation to its waiters. It is called under the lock of the group.
func (g *group) settle(op *syncOp, r *syncReply, err error, sent, now time.Duration) {
	if err != nil || r.status == syncStale {
		g.unknown(op, now)
		return
	}
	g.backoff, g.retryAt = 0, 0
	g.assert = g.assert && !op.assert
	for i := range op.keys {
		e := &op.keys[i]
		op.lost = e.k.apply(&r.subjects[i], sent, now) || op.lost
		e.k.steps = op.steps
		if r.stepped != 0 { // the script has seen it by itself, and brought back what was forgotten
			e.k.steps = op.node.stepCount()
		}
	}
	for i := range op.demands {
		g.grant(op, r, i, now)
	}
}

// grant hands out the units of one demand, first come, first served.
func (g *group) grant(op *syncOp, r *syncReply, i int, now time.Duration) {
	d, dr := &op.demands[i], r.demands[i]
	l := g.l
	at := d.tier(dr.key) // before the first waiter is gone: its tiers are its own
	for n, w := range d.waiters {
		for j := range w.tiers {
			w.views[j] = w.keys[j].view
			w.stamps[j] = r.subjects[d.index[j]].stamp
		}
		if n < dr.granted {
			if l.o.granted != nil && !w.gone {
				l.o.granted(r.now)
			}
			for j := range w.tiers {
				k := w.keys[j]
				k.held += w.tiers[j].Slots
				k.own.add(now, l.o.window, 0, w.tiers[j].Cost)
			}
			w.finish()
			continue
		}
		k, t := w.keys[at], &w.tiers[at]
		switch dr.bound {
		case RPM:
			if wait := dr.wait; now+wait > k.denyUntil || k.denyRPM != t.RPM || k.denyCost != t.Cost {
				k.denyUntil, k.denyCost, k.denyRPM = now+wait, t.Cost, t.RPM
			}
			w.refuse(RPM, at, dr.wait)
		case Concurrency:
			w.refuse(Concurrency, at, k.hold.wait(t.Concurrency, l.o.Rand()))
		default:
			g.without(w, now)
		}
		w.finish()
	}
}

// tier returns which tier of the demand has subject key of the operation.
func (d *demand) tier(key int) int {
	for j := range d.waiters[0].tiers {
		if d.index[j] == key {
			return j
		}
	}
	return 0
}

const (
	minBackoff = 50 * time.Millisecond
	maxBackoff = 2 * time.Second
)

// unknown deals with an operation whose outcome is not known: it may have been executed, or still will be. What it
// granted is taken back by the next one, which says how many slots are held and writes its higher seq in any case.
func (g *group) unknown(op *syncOp, now time.Duration) {
	g.assert = true
	g.backoff = min(max(2*g.backoff, minBackoff), maxBackoff)
	g.retryAt = now + g.backoff
	for i := range op.keys {
		e := &op.keys[i]
		e.k.dirty = true
		e.k.debt.merge(&e.debt, now, g.l.o.window) // may count twice, never not at all
		// A refund is not sent twice: it could take back units of others.
	}
	for i := range op.demands {
		g.serveWithout(op.demands[i].waiters, now)
	}
	// Who waited behind it has waited long enough. The next to come tries again.
	g.serveWithout(g.queue, now)
	g.queue = nil
}

func (g *group) serveWithout(waiters []*waiter, now time.Duration) {
	for _, w := range waiters {
		if !w.gone {
			g.without(w, now)
			w.finish()
		}
	}
}
