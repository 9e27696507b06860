package limits

import (
	"context"
	"math/rand/v2"
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
func (m *Memory) Acquire(ctx context.Context, call Call) (d Decision, err error) {
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
	if len(call.Tiers) == 1 && m.acquireOne(&d, &call.Tiers[0], now) {
		return d, nil
	}
	var held lockSet
	held.lock(m, call.Tiers)
	defer held.unlock()
	return m.decide(call.Tiers, now), nil
}

// acquireOne is the way of nearly every call: one tier, admitted. It reports false, with nothing done, when it is not that.
// d is filled in place because copies of a Decision cost as much as the locks.
func (m *Memory) acquireOne(d *Decision, t *Tier, now time.Duration) bool {
	ms := now.Milliseconds()
	s := &m.shards[m.shard(t.Subject.ID)]
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.keys[t.Subject.ID]
	if k == nil || t.Shadow {
		return false
	}
	v := view{rpm: k.log.count(ms, m.window), conc: k.held}
	if t.overRPM(v) || t.overConcurrency(v) {
		return false
	}
	k.tier, k.limits, k.used = t.Name, Count{t.RPM, t.Concurrency}, ms
	h := s.take()
	h.since = -1
	m.hold(h, 0, k, t, now, ms)
	h.n = 1
	d.Allowed = true
	d.Lease.h, d.Lease.gen, d.Lease.owner = h, h.gen, m
	if t.RPM > 0 || t.Concurrency > 0 {
		d.Tier = t.Name
		d.Current.RPM, d.Current.Concurrency = v.rpm+t.Cost, k.held
		d.Limits.RPM, d.Limits.Concurrency = t.RPM, t.Concurrency
	}
	return true
}

// hold counts an admitted call in one tier, as part i of its lease.
func (m *Memory) hold(h *handle, i int, k *memoryKey, t *Tier, now time.Duration, ms int64) {
	k.log.add(ms, t.Cost, grain(t.RPM, m.window, k.log.n))
	k.held += t.Slots
	k.calls++
	if t.Slots > 0 && (k.calls&15 == 1 || t.Concurrency > 0 && 2*k.held > t.Concurrency) {
		h.since = now // measuring each of them would cost a clock read more
	}
	h.parts[i].mem, h.parts[i].slots = k, int32(t.Slots) // bounded by maxUnits; the rest is Redis's
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
	h := keys[0].shard.take()
	h.since = -1
	for i := range tiers {
		t := &tiers[i]
		m.hold(h, i, keys[i], t, now, ms)
		views[i].rpm += t.Cost
		views[i].conc += t.Slots
	}
	h.n = len(tiers)
	d := admission(tiers, views[:len(tiers)])
	d.Lease = Lease{h: h, gen: h.gen, owner: m}
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

func (m *Memory) release(l Lease) {
	h, s := l.h, l.h.home
	s.mu.Lock()
	if h.gen != l.gen {
		s.mu.Unlock()
		return
	}
	h.gen++
	held := time.Duration(-1)
	if h.since >= 0 {
		held = m.o.Clock() - h.since
	}
	h.parts[0].giveBack(held)
	if h.n == 1 {
		s.put(h)
		s.mu.Unlock()
		return
	}
	s.mu.Unlock() // one shard at a time: no order of locks to keep
	for i := 1; i < h.n; i++ {
		other := h.parts[i].mem.shard
		other.mu.Lock()
		h.parts[i].giveBack(held)
		other.mu.Unlock()
	}
	s.mu.Lock()
	s.put(h)
	s.mu.Unlock()
}

// giveBack returns the slots of one tier. held is negative when it was not measured.
func (p *part) giveBack(held time.Duration) {
	p.mem.held -= int(p.slots)
	p.mem.hold.observe(held)
	p.mem = nil
}

func (m *Memory) lost(Lease) <-chan struct{} { return nil }
