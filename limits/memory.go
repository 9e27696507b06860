package limits

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

// Window is the span that RPM counts over.
const Window = time.Minute

const (
	memoryShards = 64
	// DefaultMaxKeys is how many subjects a limiter keeps at once. A subject takes about 200 bytes when it is idle and at
	// most 4 KiB.
	DefaultMaxKeys = 1 << 17
)

// MemoryOptions configure [NewMemory]. The zero value is ready to use.
type MemoryOptions struct {
	// Hasher makes the subjects; one with a random secret by default.
	Hasher *Hasher
	// Clock is Monotonic() by default, Rand the global source of math/rand/v2. Rand returns numbers in [0,1) and must be
	// safe for concurrent use.
	Clock Clock
	Rand  func() float64
	// MaxKeys bounds the subjects; DefaultMaxKeys when 0.
	MaxKeys  int
	Observer *Observer

	// window shortens the minute for tests.
	window time.Duration
}

// Memory limits within one process. Acquire and Release take about 0.1 µs and do not allocate.
type Memory struct {
	o      MemoryOptions
	window int64 // ms
	closed atomic.Bool
	shards [memoryShards]memoryShard
}

type memoryShard struct {
	mu   sync.Mutex
	keys map[[16]byte]*memoryKey
	max  int
	_    [64]byte // one cache line per lock
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

// NewMemory returns an empty limiter.
func NewMemory(o MemoryOptions) *Memory {
	if o.Hasher == nil {
		o.Hasher = NewHasher(nil)
	}
	if o.Clock == nil {
		o.Clock = Monotonic()
	}
	if o.Rand == nil {
		o.Rand = rand.Float64
	}
	if o.MaxKeys <= 0 {
		o.MaxKeys = DefaultMaxKeys
	}
	if o.window == 0 {
		o.window = Window
	}
	m := &Memory{o: o, window: o.window.Milliseconds()}
	for i := range m.shards {
		m.shards[i].keys = make(map[[16]byte]*memoryKey)
		m.shards[i].max = max(o.MaxKeys/memoryShards, 1)
	}
	return m
}

// Hasher implements [Limiter].
func (m *Memory) Hasher() *Hasher { return m.o.Hasher }

// Close implements [Limiter].
func (m *Memory) Close() error {
	m.closed.Store(true)
	return nil
}

// Acquire implements [Limiter].
func (m *Memory) Acquire(ctx context.Context, call Call) (Decision, error) {
	if err := ctx.Err(); err != nil {
		return Decision{}, err
	}
	if m.closed.Load() {
		return Decision{}, ErrClosed
	}
	if err := call.check(); err != nil {
		return Decision{}, err
	}
	if len(call.Tiers) == 0 {
		return Decision{Allowed: true}, nil
	}
	now := m.o.Clock()
	var held lockSet
	held.lock(m, call.Tiers)
	defer held.unlock()
	return m.decide(call.Tiers, now), nil
}

// decide runs under the locks of all shards involved.
func (m *Memory) decide(tiers []Tier, now time.Duration) Decision {
	ms := now.Milliseconds()
	var keys [MaxTiers]*memoryKey
	var views [MaxTiers]view
	for i := range tiers {
		k := m.key(tiers[i].Subject.ID, ms)
		if k == nil {
			return Decision{Bound: Unavailable, Tier: tiers[i].Name, RetryAfter: unavailableWait}
		}
		k.tier, k.limits, k.used = tiers[i].Name, Count{tiers[i].RPM, tiers[i].Concurrency}, ms
		keys[i] = k
		views[i] = view{rpm: k.log.count(ms, m.window), conc: k.held}
	}
	if bound, at := judge(tiers, views[:len(tiers)]); bound != None {
		d := refusal(tiers, views[:len(tiers)], bound, at)
		switch bound {
		case RPM:
			at, wait := m.rpmWait(tiers, keys[:len(tiers)], ms)
			d = refusal(tiers, views[:len(tiers)], bound, at)
			d.RetryAfter = time.Duration(wait)*time.Millisecond - now%time.Millisecond
		case Concurrency:
			d.RetryAfter = keys[at].hold.wait(tiers[at].Concurrency, m.o.Rand())
		}
		return d
	}
	h := handles.Get().(*handle)
	h.since = -1
	for i := range tiers {
		k, t := keys[i], &tiers[i]
		k.log.add(ms, t.Cost, grain(t.RPM, m.window, k.log.n))
		k.held += t.Slots
		k.calls++
		if t.Slots > 0 && (k.calls&7 == 1 || 2*k.held > t.Concurrency) {
			h.since = now // measuring each of them would cost a clock read more
		}
		h.parts[i] = part{mem: k, slots: int32(t.Slots)} //nolint:gosec // bounded by maxUnits
		views[i].rpm += t.Cost
		views[i].conc += t.Slots
	}
	h.n = len(tiers)
	d := admission(tiers, views[:len(tiers)])
	d.Lease = Lease{h: h, gen: h.gen.Load(), owner: m}
	return d
}

// rpmWait returns the tier that has to be waited for longest, and the ms.
func (m *Memory) rpmWait(tiers []Tier, keys []*memoryKey, now int64) (at int, wait int64) {
	for i := range tiers {
		t := &tiers[i]
		if t.Shadow || t.RPM == 0 || t.Cost == 0 {
			continue
		}
		need := keys[i].log.count(now, m.window) + t.Cost - t.RPM
		if w := keys[i].log.wait(now, m.window, need); w > wait {
			at, wait = i, w
		}
	}
	return at, wait
}

func (m *Memory) release(h *handle) {
	now := time.Duration(-1)
	if h.since >= 0 {
		now = m.o.Clock()
	}
	for i := range h.n {
		p := &h.parts[i]
		k := p.mem
		k.shard.mu.Lock()
		k.held -= int(p.slots)
		if now >= 0 {
			k.hold.observe(now - h.since)
		}
		k.shard.mu.Unlock()
	}
	h.recycle()
}

func (m *Memory) lost(Lease) <-chan struct{} { return nil }

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
