package limits

import "time"

const dropEvery = 5 * time.Second

// sweepEvery is how often renewals are looked for.
func (l *Redis) sweepEvery() time.Duration {
	return min(max(l.o.Lease/30, 20*time.Millisecond), 500*time.Millisecond)
}

// fenceMargin is how long before its end a lease counts as lost: time to cut what it covers.
func (l *Redis) fenceMargin() time.Duration {
	return min(time.Second, l.o.Lease/5) + l.sweepEvery()
}

func (l *Redis) maintain() {
	defer l.wg.Done()
	t := time.NewTicker(l.sweepEvery())
	defer t.Stop()
	var dropped time.Duration
	for {
		select {
		case <-l.stop:
			return
		case <-t.C:
		}
		now := l.o.Clock()
		l.sweep(now, now-dropped >= dropEvery)
		if now-dropped >= dropEvery {
			dropped = now
		}
	}
}

// sweep lists what has to be renewed or said again, fences leases that were not renewed, and drops idle subjects.
func (l *Redis) sweep(now time.Duration, drop bool) {
	margin := l.fenceMargin()
	l.eachGroup(func(g *group) {
		for _, k := range g.keys {
			k.fence(now, margin, l.o.Observer)
		}
		g.ask(now)
		if !g.inflight && g.wanting(now) {
			g.schedule(false)
		}
		if drop && !g.inflight {
			g.trim(now)
		}
	})
	if !drop {
		return
	}
	for i := range l.shards {
		s := &l.shards[i]
		s.mu.Lock()
		for _, g := range s.groups {
			l.drop(s, g, now, l.keep())
		}
		s.mu.Unlock()
	}
}

// ask has Redis told of one subject when its node was not heard of for a while. So a process that nobody calls notices
// too that Redis has lost its memory, and says what it knows before others have given it away. It is called under the lock
// of the group.
func (g *group) ask(now time.Duration) {
	if g.node == nil || g.inflight || !g.node.quiet(now) {
		return
	}
	for _, k := range g.keys {
		if k.knows(now) {
			k.dirty = true
			g.node.ask(now)
			return
		}
	}
}

// keep is how long an idle subject may still know units of the window.
func (l *Redis) keep() time.Duration { return l.o.window + 2*bucketWidth(l.o.window) }

// trim drops idle subjects of a group that is in use.
func (g *group) trim(now time.Duration) {
	if len(g.keys) < 2 || len(g.queue) > 0 || g.assert {
		return
	}
	kept := g.keys[:0]
	for _, k := range g.keys {
		if len(kept) > 0 && k.idle(now, g.l.keep()) {
			g.l.count.Add(-1)
			continue
		}
		kept = append(kept, k)
	}
	clear(g.keys[len(kept):])
	g.keys = kept
}
