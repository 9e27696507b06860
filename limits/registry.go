package limits

import (
	"slices"
	"time"
)

// lockGroup finds or makes the group and the subjects of a call and returns it locked, with w.keys set. Nil: there is
// no room.
func (l *Redis) lockGroup(tiers []Tier, w *waiter, now time.Duration) *group {
	tag := tiers[0].Subject.Tag
	s := &l.shards[tag[0]%redisShards]
	for {
		s.mu.Lock()
		g := s.groups[tag]
		if g == nil {
			if !l.reserve(tag, true, now) {
				s.mu.Unlock()
				return nil
			}
			g = &group{l: l, tag: tag, spare: 1}
			s.groups[tag] = g
		}
		s.mu.Unlock()
		g.mu.Lock()
		if g.dead { // dropped in between
			g.mu.Unlock()
			continue
		}
		for i := range w.tiers {
			k := g.key(w.tiers[i].Subject, now)
			if k == nil {
				g.mu.Unlock()
				return nil
			}
			t := &w.tiers[i]
			k.used, k.tier, k.limits = now, t.Name, Count{t.RPM, t.Concurrency}
			w.keys[i] = k
		}
		return g
	}
}

// key finds or makes a subject of a group, which is locked. Nil: there is no room.
func (g *group) key(s Subject, now time.Duration) *redisKey {
	for _, k := range g.keys {
		if k.id == s.ID {
			return k
		}
	}
	switch {
	case g.spare > 0:
		g.spare--
	case !g.l.reserve(s.ID, false, now):
		return nil
	}
	k := &redisKey{g: g, id: s.ID, name: s.redisKey(g.l.o.Prefix)}
	g.keys = append(g.keys, k)
	return k
}

// reserve makes room for one subject, if it has to by dropping a group. locked: the shard of id is.
func (l *Redis) reserve(id [16]byte, locked bool, now time.Duration) bool {
	if l.count.Add(1) <= int64(l.o.MaxKeys) || l.evict(int(id[0]%redisShards), locked, now) {
		return true
	}
	l.count.Add(-1)
	return false
}

// evict drops a group of a shard, which may be locked, or of another. Redis has the counts; what is lost here is the memory
// of them that would repair a loss of Redis.
func (l *Redis) evict(from int, locked bool, now time.Duration) bool {
	if locked && l.evictFrom(&l.shards[from], now) {
		return true
	}
	for i := range l.shards {
		other := &l.shards[(from+i)%redisShards]
		if locked && i == 0 || !other.mu.TryLock() { // never waits with a lock held
			continue
		}
		ok := l.evictFrom(other, now)
		other.mu.Unlock()
		if ok {
			return true
		}
	}
	return false
}

func (l *Redis) evictFrom(s *redisShard, now time.Duration) bool {
	n := 0
	for _, g := range s.groups {
		if n++; n > evictScan {
			return false
		}
		if l.drop(s, g, now, -1) {
			l.o.Observer.evicted()
			return true
		}
	}
	return false
}

// drop removes a group that is idle for longer than keep. The shard is locked; the group is not waited for.
func (l *Redis) drop(s *redisShard, g *group, now, keep time.Duration) bool {
	if !g.mu.TryLock() {
		return false
	}
	defer g.mu.Unlock()
	if g.inflight || g.assert || len(g.queue) > 0 || g.listed != unlisted {
		return false
	}
	for _, k := range g.keys {
		if !k.idle(now, keep) || k.debt.sum(now, l.o.window) > 0 {
			return false
		}
	}
	g.dead = true
	delete(s.groups, g.tag)
	l.count.Add(-int64(len(g.keys) + g.spare))
	return true
}

// State implements [Limiter]. Counts are as of the last answer of Redis.
func (l *Redis) State(limit int) []KeyState {
	now := l.o.Clock()
	var top ranking
	top.max = limit
	for i := range l.shards {
		s := &l.shards[i]
		s.mu.Lock()
		for _, g := range s.groups {
			g.mu.Lock()
			for _, k := range g.keys {
				top.add(KeyState{Tier: k.tier, Key: Subject{ID: k.id}.String(), Limits: k.limits,
					Current: Count{k.view.rpm, k.view.conc}, Held: k.held, Age: now - k.used})
			}
			g.mu.Unlock()
		}
		s.mu.Unlock()
	}
	return top.sorted()
}

// Stats implements [Limiter].
func (l *Redis) Stats() Stats {
	st := Stats{}
	for i := range l.shards {
		s := &l.shards[i]
		s.mu.Lock()
		for _, g := range s.groups {
			g.mu.Lock()
			st.Keys += len(g.keys)
			for _, k := range g.keys {
				st.Held += k.held
			}
			g.mu.Unlock()
		}
		s.mu.Unlock()
	}
	return st
}

// State implements [Limiter].
func (m *Memory) State(limit int) []KeyState {
	now := m.o.Clock().Milliseconds()
	var top ranking
	top.max = limit
	for i := range m.shards {
		s := &m.shards[i]
		s.mu.Lock()
		for _, k := range s.keys {
			top.add(KeyState{Tier: k.tier, Key: Subject{ID: k.id}.String(), Limits: k.limits,
				Current: Count{k.log.count(now, m.window), k.held}, Held: k.held,
				Age: time.Duration(now-k.used) * time.Millisecond})
		}
		s.mu.Unlock()
	}
	return top.sorted()
}

// Stats implements [Limiter].
func (m *Memory) Stats() Stats {
	st := Stats{}
	for i := range m.shards {
		s := &m.shards[i]
		s.mu.Lock()
		st.Keys += len(s.keys)
		for _, k := range s.keys {
			st.Held += k.held
		}
		s.mu.Unlock()
	}
	return st
}

// ranking keeps the busiest subjects in bounded memory: at most twice max at a time.
type ranking struct {
	max  int
	list []KeyState
}

func (r *ranking) add(k KeyState) {
	if r.max <= 0 {
		return
	}
	r.list = append(r.list, k)
	if len(r.list) >= 2*r.max {
		r.cut()
	}
}

func (r *ranking) cut() {
	slices.SortFunc(r.list, func(a, b KeyState) int {
		if a.Current.RPM != b.Current.RPM {
			return b.Current.RPM - a.Current.RPM
		}
		if a.Current.Concurrency != b.Current.Concurrency {
			return b.Current.Concurrency - a.Current.Concurrency
		}
		switch {
		case a.Key < b.Key:
			return -1
		case a.Key > b.Key:
			return 1
		}
		return 0
	})
	if len(r.list) > r.max {
		r.list = r.list[:r.max]
	}
}

func (r *ranking) sorted() []KeyState {
	r.cut()
	return r.list
}
