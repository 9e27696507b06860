package limits

import (
	"context"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// Redis limits across all processes that share a Redis. Its state survives a change of limits: they come with each call.
type Redis struct {
	o      RedisOptions
	client redis.UniversalClient
	script *redis.Script
	source string
	id     string
	window int64 // ms
	lease  int64 // ms
	kept   any   // ms, a string, as the script takes it
	hash   any   // of the script, a string
	hasher *Hasher

	// together: all keys are at one node, so one script may have keys of several tags.
	together atomic.Bool

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
	l.hash = l.script.Hash()
	_, one := client.(*redis.Client)
	l.together.Store(one)
	l.hasher = NewHasher(o.Secret)
	l.agreed.Store(len(o.Secret) > 0)
	for i := range l.shards {
		l.shards[i].groups = make(map[[16]byte]*group)
	}
	l.nodes.init(client, o.MaxInFlight)
	l.flush.init(l)
	if len(o.Secret) == 0 {
		l.agree()
	}
	if !o.manual {
		l.wg.Add(2)
		go l.flush.loop()
		go l.maintain()
		if len(o.Secret) == 0 {
			l.wg.Go(l.keepSecret)
		}
	}
	return l, nil
}

// Hasher implements [Limiter].
func (l *Redis) Hasher() *Hasher { return l.hasher }

// Close implements [Limiter]. Slots that were released are given back first, in one attempt; those still held are
// given up by their lease.
func (l *Redis) Close() error {
	if l.closed.Swap(true) {
		return nil
	}
	close(l.stop)
	l.wg.Wait()
	l.sweep(l.o.Clock(), true)
	l.flush.drain()
	l.nodes.each(func(n *node) {
		if away, d := n.close(l.o.Clock()); away {
			l.o.Observer.fallback(n.addr, false, d, ErrClosed)
		}
	})
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
		h := newHandle(w.since, w.fallback)
		h.take(w)
		d.Lease = Lease{h: h, gen: h.gen, owner: l}
		return d
	}
	d := refusal(tiers, views, w.bound, w.at)
	d.RetryAfter, d.Fallback = w.wait, w.fallback
	return d
}
