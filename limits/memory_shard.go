package limits

import "sync"

type memoryShard struct {
	mu   sync.Mutex
	keys map[[16]byte]*memoryKey
	max  int
	free *handle // of leases that have ended; under the lock anyway, so cheaper than a pool
	idle int
	_    [64]byte // one cache line per lock
}

// maxFree bounds the handles that a shard keeps for later.
const maxFree = 64

func (s *memoryShard) take() *handle {
	h := s.free
	if h == nil {
		return &handle{home: s}
	}
	s.free, h.next = h.next, nil
	s.idle--
	return h
}

func (s *memoryShard) put(h *handle) {
	if s.idle == maxFree {
		return
	}
	h.next, s.free = s.free, h
	s.idle++
}

type memoryKey struct {
	shard  *memoryShard
	id     [16]byte
	log    windowLog
	held   int
	used   int64 // ms
	calls  uint32
	hold   holdTime
	tier   string
	limits Count
}

func (m *Memory) shard(id [16]byte) int { return int(id[0] & (memoryShards - 1)) }

// key finds or makes the subject. Nil means that every subject of the shard holds slots.
func (m *Memory) key(id [16]byte, now int64) *memoryKey {
	s := &m.shards[m.shard(id)]
	if k := s.keys[id]; k != nil {
		return k
	}
	s.shrink(now, m.window, m.o.Observer)
	if len(s.keys) >= s.max {
		return nil
	}
	k := &memoryKey{shard: s, id: id}
	s.keys[id] = k
	return k
}

// evictScan is how many subjects are looked at for each new one: enough to keep the map near what is in use.
const evictScan = 16

// shrink drops idle subjects that it happens on, and when the shard is full the one that was not used for longest.
// A subject that holds slots is never dropped; one that is still counted only when there is no other way.
func (s *memoryShard) shrink(now, window int64, o *Observer) {
	var oldest *memoryKey
	n := 0
	for id, k := range s.keys {
		if n++; n > evictScan && (len(s.keys) < s.max || oldest != nil) {
			break
		}
		if k.held > 0 {
			continue
		}
		if k.used+2*window <= now {
			delete(s.keys, id)
			continue
		}
		if oldest == nil || k.used < oldest.used {
			oldest = k
		}
	}
	if len(s.keys) >= s.max && oldest != nil {
		delete(s.keys, oldest.id)
		o.evicted()
	}
}

// lockSet locks the shards of a call in one order, each once.
type lockSet struct {
	m *Memory
	i [MaxTiers]int
	n int
}

func (l *lockSet) lock(m *Memory, tiers []Tier) {
	l.m = m
	for i := range tiers {
		l.insert(m.shard(tiers[i].Subject.ID))
	}
	for i := range l.n {
		m.shards[l.i[i]].mu.Lock()
	}
}

func (l *lockSet) insert(s int) {
	at := l.n
	for at > 0 && l.i[at-1] >= s {
		if l.i[at-1] == s {
			return
		}
		at--
	}
	copy(l.i[at+1:l.n+1], l.i[at:l.n])
	l.i[at] = s
	l.n++
}

func (l *lockSet) unlock() {
	for i := range l.n {
		l.m.shards[l.i[i]].mu.Unlock()
	}
}
