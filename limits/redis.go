package limits

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	mrand "math/rand/v2"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// OnFailure says what happens to calls while Redis is away.
type OnFailure uint8

const (
	// Local goes on with this process's own share of the limits: 1/Replicas of each. Calls that this process admitted
	// in the last minute count, whoever decided them. The default.
	Local OnFailure = iota
	// Allow admits everything. What was admitted is reported to Redis when it is back.
	Allow
	// Deny refuses everything with Bound Unavailable.
	Deny
)

// ParseOnFailure reads "local", "allow" or "deny".
func ParseOnFailure(s string) (OnFailure, error) {
	switch s {
	case "local":
		return Local, nil
	case "allow":
		return Allow, nil
	case "deny":
		return Deny, nil
	}
	return Local, fmt.Errorf("on_failure is local, allow or deny, not %q", s)
}

// String is the inverse of ParseOnFailure.
func (f OnFailure) String() string { return [...]string{"local", "allow", "deny"}[f%3] }

const (
	// DefaultPrefix begins every key; the hash tag follows it.
	DefaultPrefix = "mg:v1:"
	// DefaultTimeout bounds one operation, DefaultLease is how long a silent process keeps its slots.
	DefaultTimeout = 100 * time.Millisecond
	DefaultLease   = 15 * time.Second
	minLease       = time.Second
	gatewayIDSize  = 8
	redisShards    = 64
)

// RedisOptions configure [NewRedis]. The zero value of every field is its default.
type RedisOptions struct {
	// Prefix of all keys, DefaultPrefix.
	Prefix string
	// Secret keys the HMAC of the subjects. Without one, the replicas agree on a random one through Redis.
	Secret []byte
	// Timeout bounds one operation; so long does the first call wait that finds Redis away. 100 ms.
	Timeout time.Duration
	// Lease is how long the slots of a silent process are kept, 15 s. They are renewed after a third of it.
	Lease time.Duration
	// Replicas is how many processes share the limits: each has 1/Replicas of them while Redis is away. 1.
	Replicas  int
	OnFailure OnFailure
	// MaxKeys bounds the subjects kept in this process, DefaultMaxKeys.
	MaxKeys int
	// MaxInFlight bounds the operations at one node at a time; make it the size of the client's pool per node.
	// 10 x GOMAXPROCS, as go-redis does.
	MaxInFlight int
	// Clock is Monotonic() by default, Rand the global source of math/rand/v2. Rand returns numbers in [0,1) and must be
	// safe for concurrent use.
	Clock    Clock
	Rand     func() float64
	Observer *Observer

	// For tests: a shorter minute, a source of time inside the script, no background work, a fixed process id, and the
	// Redis time in ms of every call that was granted.
	window  time.Duration
	source  func(string) string
	manual  bool
	id      string
	granted func(ms int64)
}

func (o *RedisOptions) defaults() error {
	if o.Prefix == "" {
		o.Prefix = DefaultPrefix
	}
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Lease == 0 {
		o.Lease = DefaultLease
	}
	if o.Replicas == 0 {
		o.Replicas = 1
	}
	if o.MaxKeys <= 0 {
		o.MaxKeys = DefaultMaxKeys
	}
	if o.MaxInFlight <= 0 {
		o.MaxInFlight = 10 * runtime.GOMAXPROCS(0)
	}
	if o.Clock == nil {
		o.Clock = Monotonic()
	}
	if o.Rand == nil {
		o.Rand = mrand.Float64
	}
	if o.window == 0 {
		o.window = Window
	}
	if o.id == "" {
		b := make([]byte, gatewayIDSize)
		_, _ = rand.Read(b) // never fails, crypto/rand
		o.id = string(b)
	}
	switch {
	case o.Timeout < 0:
		return fmt.Errorf("timeout must be above 0, not %s", o.Timeout)
	case o.Lease < minLease:
		return fmt.Errorf("lease must be at least %s, not %s", minLease, o.Lease)
	case o.Replicas < 0:
		return fmt.Errorf("replicas must be at least 1, not %d", o.Replicas)
	case o.OnFailure > Deny:
		return errors.New("on_failure is local, allow or deny")
	case len(o.id) != gatewayIDSize:
		// A longer id would shift every field behind it in the stored value.
		return fmt.Errorf("the id of a process has %d bytes, not %d", gatewayIDSize, len(o.id))
	}
	return nil
}

// Redis limits across all processes that share a Redis. Its state survives a change of limits: they come with each call.
type Redis struct {
	o      RedisOptions
	client redis.UniversalClient
	script *redis.Script
	source string
	id     string
	window int64  // ms
	lease  int64  // ms
	kept   string // ms, as the script takes it
	hasher *Hasher

	seq    atomic.Uint32
	count  atomic.Int64 // keys
	closed atomic.Bool
	shards [redisShards]redisShard
	nodes  nodeSet
	flush  flusher
	stop   chan struct{}
	wg     sync.WaitGroup
	// agreed is set once the secret of the configuration or of Redis is in use.
	agreed atomic.Bool
}

type redisShard struct {
	mu     sync.Mutex
	groups map[[16]byte]*group
}

// NewRedis starts a limiter on a client, which it does not close. It does not need Redis to be there: until it is, calls
// are decided by OnFailure.
func NewRedis(client redis.UniversalClient, o RedisOptions) (*Redis, error) {
	if err := o.defaults(); err != nil {
		return nil, err
	}
	l := &Redis{o: o, client: client, id: o.id, source: syncSource,
		window: o.window.Milliseconds(), lease: o.Lease.Milliseconds(), stop: make(chan struct{})}
	if o.source != nil {
		l.source = o.source(syncSource)
	}
	l.kept = strconv.FormatInt(max(l.lease, (l.keep()+time.Second).Milliseconds()+coarse(l.window)), 10)
	l.script = redis.NewScript(l.source)
	l.hasher = NewHasher(o.Secret)
	l.agreed.Store(len(o.Secret) > 0)
	for i := range l.shards {
		l.shards[i].groups = make(map[[16]byte]*group)
	}
	l.nodes.init(client, o.MaxInFlight)
	l.flush.init(l)
	if len(o.Secret) == 0 {
		ctx, cancel := context.WithTimeout(context.Background(), 5*o.Timeout)
		defer cancel()
		l.agree(ctx)
	}
	if !o.manual {
		l.wg.Add(2)
		go l.flush.loop()
		go l.maintain()
	}
	return l, nil
}

// Hasher implements [Limiter].
func (l *Redis) Hasher() *Hasher { return l.hasher }

// Close implements [Limiter]. Slots that were released are given back first, within one time-out; those still held are
// given up by their lease.
func (l *Redis) Close() error {
	if l.closed.Swap(true) {
		return nil
	}
	close(l.stop)
	l.wg.Wait()
	l.sweep(l.o.Clock(), true)
	l.flush.drain()
	return nil
}

// Acquire implements [Limiter].
func (l *Redis) Acquire(ctx context.Context, call Call) (Decision, error) {
	if err := ctx.Err(); err != nil {
		return Decision{}, err
	}
	if l.closed.Load() {
		return Decision{}, ErrClosed
	}
	if err := call.check(); err != nil {
		return Decision{}, err
	}
	if len(call.Tiers) == 0 {
		return Decision{Allowed: true}, nil
	}
	if oneTag(call.Tiers) {
		w, err := l.acquireGroup(ctx, call.Tiers)
		if err != nil {
			return Decision{}, err
		}
		defer w.recycle()
		return l.decision(call.Tiers, w), nil
	}
	return l.acquireSeveral(ctx, call.Tiers)
}

func oneTag(tiers []Tier) bool {
	for i := 1; i < len(tiers); i++ {
		if tiers[i].Subject.Tag != tiers[0].Subject.Tag {
			return false
		}
	}
	return true
}

// decision turns what one group answered into a Decision, with a lease when it is allowed.
func (l *Redis) decision(tiers []Tier, w *waiter) Decision {
	views := w.views[:len(tiers)]
	if w.bound == None {
		d := admission(tiers, views)
		d.Fallback = w.fallback
		h := l.handle(w.fallback)
		h.take(w)
		d.Lease = Lease{h: h, gen: h.gen, owner: l}
		return d
	}
	d := refusal(tiers, views, w.bound, w.at)
	d.RetryAfter, d.Fallback = w.wait, w.fallback
	return d
}

// acquireSeveral asks one group after the other and gives back what the first ones granted when a later one refuses.
// Refusals that are known here come first: they cost no round trip and take nothing from anybody.
func (l *Redis) acquireSeveral(ctx context.Context, tiers []Tier) (Decision, error) {
	parts, order := split(tiers)
	for i := range parts {
		if w := l.knownRefusal(parts[i]); w != nil {
			defer w.recycle()
			return l.decision(parts[i], w), nil
		}
	}
	h := l.handle(false)
	var views [MaxTiers]view
	for i := range parts {
		w, err := l.acquireGroup(ctx, parts[i])
		if err != nil {
			l.refund(h)
			return Decision{}, err
		}
		if w.bound != None {
			l.refund(h)
			defer w.recycle()
			return l.decision(parts[i], w), nil
		}
		for j := range parts[i] {
			views[order[i][j]] = w.views[j]
		}
		h.fallback = h.fallback || w.fallback
		h.take(w)
		w.recycle()
	}
	d := admission(tiers, views[:len(tiers)])
	d.Fallback = h.fallback
	d.Lease = Lease{h: h, gen: h.gen, owner: l}
	return d, nil
}

// split groups tiers by tag, in order of first appearance; order tells where each came from.
func split(tiers []Tier) (parts [][]Tier, order [][]int) {
	for i := range tiers {
		at := -1
		for j := range parts {
			if parts[j][0].Subject.Tag == tiers[i].Subject.Tag {
				at = j
			}
		}
		if at < 0 {
			parts, order = append(parts, nil), append(order, nil)
			at = len(parts) - 1
		}
		parts[at], order[at] = append(parts[at], tiers[i]), append(order[at], i)
	}
	return parts, order
}

func (l *Redis) handle(fallback bool) *handle {
	h := handles.Get().(*handle)
	h.since, h.fallback = l.o.Clock(), fallback
	return h
}

// take moves the slots of an admitted waiter into the lease.
func (h *handle) take(w *waiter) {
	for i := range w.tiers {
		t := &w.tiers[i]
		h.parts[h.n] = part{key: w.keys[i], slots: int32(t.Slots), cost: int32(t.Cost), stamp: w.stamps[i]} //nolint:gosec // maxUnits
		h.n++
	}
}

// release gives slots back; Redis hears of it with the next operation on the subject, or soon.
func (l *Redis) release(lease Lease) {
	h := lease.h
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.gen != lease.gen {
		return
	}
	h.gen++
	defer h.recycle()
	held := l.o.Clock() - h.since
	for i := range h.n {
		p := &h.parts[i]
		p.key.g.mu.Lock()
		p.key.hold.observe(held)
		p.key.giveBack(int(p.slots), h.cut)
		p.key.g.mu.Unlock()
	}
}

// refund gives back slots and units of a call that another tier refused: it has not taken place.
func (l *Redis) refund(h *handle) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.gen++
	defer h.recycle()
	for i := range h.n {
		p := &h.parts[i]
		p.key.g.mu.Lock()
		p.key.takeBack(int(p.cost), p.stamp)
		p.key.giveBack(int(p.slots), nil)
		p.key.g.mu.Unlock()
	}
}

// cutter closes the channel of Lease.Lost once, whichever subject is lost first.
type cutter struct {
	once sync.Once
	ch   chan struct{}
}

func (c *cutter) cut() { c.once.Do(func() { close(c.ch) }) }

func (l *Redis) lost(lease Lease) <-chan struct{} {
	h := lease.h
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.gen != lease.gen || h.fallback {
		return nil
	}
	if h.cut == nil {
		h.cut = &cutter{ch: make(chan struct{})}
		for i := range h.n {
			h.parts[i].key.watch(h.cut)
		}
	}
	return h.cut.ch
}
