package limits

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// errAway and errOverload are outcomes of operations that were not sent.
var (
	errAway     = errors.New("redis is away")
	errOverload = errors.New("no connection to redis came free in time")
)

// nodeSet knows the servers behind a client: one, or the masters of a cluster.
type nodeSet struct {
	cluster    *redis.ClusterClient
	concurrent int
	single     *node
	byAddr     sync.Map     // string -> *node; as many as the cluster has had masters
	blind      atomic.Int64 // until when the topology is not asked for again
}

func (s *nodeSet) init(client redis.UniversalClient, concurrent int) {
	s.concurrent = concurrent
	s.single = newNode("redis", concurrent)
	switch c := client.(type) {
	case *redis.ClusterClient:
		s.cluster = c
	case *redis.Client:
		if addr := c.Options().Addr; addr != "" {
			s.single.addr = addr
		}
	}
}

// of returns the node that has a key. Before the topology of a cluster is known, that is a placeholder for all of it.
func (s *nodeSet) of(now time.Duration, key string, timeout time.Duration) *node {
	if s.cluster == nil || int64(now) < s.blind.Load() {
		return s.single
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	c, err := s.cluster.MasterForKey(ctx, key)
	if err != nil {
		s.blind.Store(int64(now + nodePause))
		return s.single
	}
	addr := c.Options().Addr
	if n, ok := s.byAddr.Load(addr); ok {
		return n.(*node)
	}
	n, _ := s.byAddr.LoadOrStore(addr, newNode(addr, s.concurrent))
	return n.(*node)
}

// each calls f for every node.
func (s *nodeSet) each(f func(*node)) {
	f(s.single)
	s.byAddr.Range(func(_, n any) bool {
		f(n.(*node))
		return true
	})
}

// enter waits for one of the node's connections, at most d.
func (n *node) enter(d time.Duration) bool {
	select {
	case n.sem <- struct{}{}:
		return true
	default:
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case n.sem <- struct{}{}:
		return true
	case <-t.C:
		return false
	}
}

func (n *node) leave() { <-n.sem }

// observe tells breaker, clock and observer of operations that had the same outcome.
func (l *Redis) observe(ops []*syncOp, r *syncReply, err error, sent, now time.Duration, scripts int) {
	n, decisions := ops[0].node, 0
	for _, op := range ops {
		decisions += op.decisions()
	}
	if errors.Is(err, redis.ErrPoolTimeout) || errors.Is(err, redis.ErrPoolExhausted) {
		n.skip() // too many calls here say nothing about the server
		l.o.Observer.overload(n.addr)
		return
	}
	l.o.Observer.redis(n.addr, now-sent, scripts, decisions, err)
	if changed, away, d := n.done(now, err); changed {
		l.o.Observer.fallback(n.addr, away, d, err)
		if !away {
			l.reassert(n.addr)
		}
	}
	if err != nil {
		l.reload(err)
		return
	}
	step := n.clock(r.now, sent, now)
	if step == 0 && r.stepped != 0 {
		step = time.Duration(r.stepped) * time.Millisecond
	}
	if step != 0 {
		l.o.Observer.clockStep(n.addr, step)
	}
}

// reload asks for the topology of the cluster when a node cannot be reached: go-redis does so only when it is told MOVED.
func (l *Redis) reload(err error) {
	var ne net.Error
	if l.nodes.cluster != nil && (errors.As(err, &ne) || errors.Is(err, context.DeadlineExceeded)) {
		l.nodes.cluster.ReloadState(context.Background())
	}
}

// reassert has every subject of a node that is back say what it knows, called for or not: the node may have lost it,
// and somebody else may ask for it first.
func (l *Redis) reassert(addr string) {
	now := l.o.Clock()
	l.eachGroup(func(g *group) {
		if g.node == nil || g.node.addr != addr || g.dead {
			return
		}
		for _, k := range g.keys {
			if k.knows(now) {
				k.dirty = true
			}
		}
		if g.wanting(now) {
			g.retryAt, g.backoff = 0, 0
			g.schedule(true)
		}
	})
}

// eachGroup calls f for every group under its lock.
func (l *Redis) eachGroup(f func(*group)) {
	var list []*group
	for i := range l.shards {
		s := &l.shards[i]
		s.mu.Lock()
		list = list[:0]
		for _, g := range s.groups {
			list = append(list, g)
		}
		s.mu.Unlock()
		for _, g := range list {
			g.mu.Lock()
			f(g)
			g.mu.Unlock()
		}
	}
}
