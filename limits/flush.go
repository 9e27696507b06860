package limits

import (
	"sync"
	"time"
)

// listing tells in which list of the flusher a group is.
type listing uint8

const (
	unlisted listing = iota
	lazy
	urgent
)

const (
	// Slots of a subject that is nearly full are given back after urgentDelay, others after lazyDelay at most.
	urgentDelay = time.Millisecond
	lazyDelay   = 20 * time.Millisecond
	// pipelineOps bounds the operations of one round trip, and so how long Redis is busy with it when a call comes.
	pipelineOps = 32
)

// flusher tells Redis what no call has carried along: releases, renewals, and what is to be said again.
type flusher struct {
	l          *Redis
	mu         sync.Mutex
	lists      [urgent + 1][]*group
	urgentKick chan struct{}
	lazyKick   chan struct{}
}

func (f *flusher) init(l *Redis) {
	f.l = l
	f.urgentKick, f.lazyKick = make(chan struct{}, 1), make(chan struct{}, 1)
}

// schedule lists a group. It is called under the group's lock, and again after every operation that left something.
func (g *group) schedule(soon bool) {
	want := lazy
	if soon {
		want = urgent
	}
	if g.dead || g.listed >= want || g.l.o.Clock() < g.retryAt {
		return
	}
	g.listed = want
	f := &g.l.flush
	f.mu.Lock()
	f.lists[want] = append(f.lists[want], g)
	f.mu.Unlock()
	kick := f.lazyKick
	if soon {
		kick = f.urgentKick
	}
	select {
	case kick <- struct{}{}:
	default:
	}
}

func (f *flusher) take(which listing) []*group {
	f.mu.Lock()
	defer f.mu.Unlock()
	list := f.lists[which]
	f.lists[which] = nil
	return list
}

func (f *flusher) loop() {
	defer f.l.wg.Done()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	timer.Stop()
	armed := false
	for {
		select {
		case <-f.l.stop:
			return
		case <-f.urgentKick:
			time.Sleep(urgentDelay)
			f.run(f.take(urgent))
		case <-f.lazyKick:
			if !armed {
				timer.Reset(lazyDelay)
				armed = true
			}
		case <-timer.C:
			armed = false
			f.run(f.take(lazy))
		}
	}
}

// drain runs what is listed, once.
func (f *flusher) drain() {
	f.run(f.take(urgent))
	f.run(f.take(lazy))
}

// run sends what the groups have to say, many at a time, one node apart from the other. A group is held up only while its
// own round trip is under way.
func (f *flusher) run(groups []*group) {
	l := f.l
	byNode := make(map[*node][]*group)
	for _, g := range groups {
		g.mu.Lock()
		g.listed = unlisted
		n := g.where(l.o.Clock())
		g.mu.Unlock()
		byNode[n] = append(byNode[n], g)
	}
	var wg sync.WaitGroup
	for n, list := range byNode {
		wg.Go(func() {
			for len(list) > 0 {
				chunk := list[:min(len(list), pipelineOps)]
				list = list[len(chunk):]
				now := l.o.Clock()
				var ops []*syncOp
				for _, g := range chunk {
					if op := g.flushOp(n, now); op != nil {
						ops = append(ops, op)
					}
				}
				if len(ops) > 0 {
					l.send(n, ops)
				}
			}
		})
	}
	wg.Wait()
}

// flushOp returns an operation without demands, nil when there is nothing to say or not now.
func (g *group) flushOp(n *node, now time.Duration) *syncOp {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.inflight || g.dead || now < g.retryAt || !g.wanting(now) {
		return nil // what is in flight lists the group again
	}
	if n.away(now) || g.where(now) != n {
		return nil // the sweep lists it again
	}
	g.inflight = true
	op := newOp(g, n)
	g.seal(op, now)
	if len(op.keys) == 0 {
		op.key(g.keys[0])
		op.sealKey(0, now)
	}
	return op
}
