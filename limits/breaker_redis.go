package limits

import (
	"context"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

//go:embed scripts/breaker.lua
var breakerLua string

// DefaultBreakerTimeout bounds the wait for one answer of Redis.
const DefaultBreakerTimeout = 100 * time.Millisecond

// BreakerPoll is how often Run should tick. What one replica does to a breaker
// the others see after at most one tick and one round trip.
const BreakerPoll = 250 * time.Millisecond

// pollPage bounds one answer of a poll.
const pollPage = 512

// errBreakerAway is returned while Redis is known to be away.
var errBreakerAway = errors.New("breaker: redis is away, only this process was changed")

// BreakerRedisOptions configures NewBreakerRedis. Client is required.
type BreakerRedisOptions struct {
	Client redis.UniversalClient

	// Prefix of the three keys, for example "mg:". Default "mg:".
	Prefix string

	// Entries bounds the state in Redis and in this process.
	// Default DefaultBreakerEntries.
	Entries int

	// Timeout of one answer of Redis. Default DefaultBreakerTimeout.
	Timeout time.Duration

	// OnChange, which may be nil, is told of changes of phase.
	OnChange func(BreakerEvent)

	// OnRedis, which may be nil, is told when Redis goes away (the error) and
	// when it is back (nil), once each time.
	OnRedis func(error)
}

// BreakerRedis keeps breakers in Redis, so that replicas open and close
// together, and a copy in this process, from which calls are answered.
//
// Healthy calls cost no round trip: Redis is asked on a failure, on a success
// after failures, once per cool-down for the probe, and by Run, which learns
// what the other replicas did. Between a change elsewhere and the next tick of
// Run this process may still act on the old state: it may let a call pass to a
// breaker that has just opened, and a success may miss a count that another
// replica has just begun. Cool-downs run on the clock of Redis.
//
// Without Redis the process goes on alone with what it knows; when Redis is
// back it is told what was missed, and state that Redis lost is brought back.
// A failure whose answer was lost may then be counted twice: a breaker opens
// one failure too early rather than too late.
// Safe for concurrent use. Run must run.
type BreakerRedis struct {
	t      *breakerTable
	c      redis.UniversalClient
	script *redis.Script
	keys   []string
	opts   BreakerRedisOptions
	away   atomic.Bool

	poll  sync.Mutex // one poll at a time; guards the fields below
	epoch string
	meta  string // as last read
	seen  int64  // version up to which changes were read
}

// NewBreakerRedis returns a store; it does not connect.
func NewBreakerRedis(o BreakerRedisOptions) *BreakerRedis {
	if o.Prefix == "" {
		o.Prefix = "mg:"
	}
	if o.Entries <= 0 {
		o.Entries = DefaultBreakerEntries
	}
	if o.Timeout <= 0 {
		o.Timeout = DefaultBreakerTimeout
	}
	if o.OnRedis == nil {
		o.OnRedis = func(error) {}
	}
	p := o.Prefix + "{breaker}:"
	return &BreakerRedis{
		t: newBreakerTable(o.Entries, o.OnChange), c: o.Client, opts: o,
		script: redis.NewScript(breakerLua), keys: []string{p + "state", p + "index", p + "meta"},
	}
}

// Breaker implements BreakerStore.
func (s *BreakerRedis) Breaker(rules BreakerRules) Breaker { return &redisBreaker{s, rules} }

// State implements BreakerStore, with what this process knows.
func (s *BreakerRedis) State(limit int) []BreakerState { return s.t.state(limit) }

// Reset implements BreakerStore. The count is that of Redis when it answers.
func (s *BreakerRedis) Reset(ctx context.Context, f BreakerFilter, _ time.Time) (int, error) {
	match := func(e *breakerEntry) bool { return f.match(e.key) }
	n, err := s.do(ctx, "reset", 0, f.Service, f.Tool, f.Scope).Int()
	if err != nil {
		// This process closes now; Redis is told when it is back.
		return s.t.drop(true, false, match), err
	}
	return max(n, s.t.drop(false, false, match)), nil
}

// do runs one operation, bounded by time-outs and not by the caller's
// leaving: a client that goes away must not leave the state half told.
func (s *BreakerRedis) do(ctx context.Context, op string, expiry time.Duration, args ...any) *redis.Cmd {
	if s.away.Load() {
		cmd := redis.NewCmd(ctx)
		cmd.SetErr(errBreakerAway)
		return cmd
	}
	cmd := s.run(ctx, op, expiry, args...)
	s.note(cmd.Err())
	return cmd
}

func (s *BreakerRedis) run(ctx context.Context, op string, expiry time.Duration, args ...any) *redis.Cmd {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), roundTrips*s.opts.Timeout)
	defer cancel()
	expiry = max(expiry, 24*time.Hour)
	all := append([]any{op, s.opts.Entries, expiry.Milliseconds()}, args...)
	return s.script.Run(ctx, s.c, s.keys, all...)
}

func (s *BreakerRedis) note(err error) {
	if err != nil {
		if s.away.CompareAndSwap(false, true) {
			s.opts.OnRedis(err)
		}
		return
	}
	if s.away.CompareAndSwap(true, false) {
		s.opts.OnRedis(nil)
	}
}

// remoteState is an entry as Redis sees it.
type remoteState struct {
	failures     int
	open, manual bool
	rest, lease  time.Duration
	ticket       uint64
	granted      bool
	version      int64 // every change up to it is in here
}

func readRemote(cmd *redis.Cmd) (remoteState, error) {
	v, err := cmd.Int64Slice()
	if err != nil {
		return remoteState{}, err
	}
	if len(v) != 8 {
		return remoteState{}, fmt.Errorf("breaker: redis answered %d values, want 8", len(v))
	}
	return remoteState{
		failures: int(v[0]), open: v[1] == 1, manual: v[2] == 1, rest: time.Duration(v[3]) * time.Millisecond,
		ticket: uint64(v[4]), lease: time.Duration(v[5]) * time.Millisecond, granted: v[6] == 1, version: v[7],
	}, nil
}

// apply makes the local entry agree with Redis.
func (s *BreakerRedis) apply(id breakerID, key BreakerKey, r remoteState, remote bool, now time.Time) {
	healthy := r.failures == 0 && !r.open
	s.t.update(id, key, !healthy, remote, func(e *breakerEntry) {
		if e.debt != 0 || e.cleared {
			return // not told yet: ours is newer
		}
		if r.version < e.version {
			return // answers may overtake each other
		}
		last := e.last
		if r.failures > e.failures {
			last = now
		}
		*e = breakerEntry{
			id: e.id, key: e.key, failures: r.failures, open: r.open, manual: r.manual,
			until: now.Add(r.rest), ticket: r.ticket, last: last, version: r.version,
		}
		if r.ticket != 0 {
			e.lease = now.Add(r.lease)
		}
	})
}

type redisBreaker struct {
	s *BreakerRedis
	r BreakerRules
}

func (b *redisBreaker) Allow(ctx context.Context, key BreakerKey, now time.Time) BreakerDecision {
	t := b.s.t
	if b.r.Failures <= 0 || t.n.Load() == 0 {
		return BreakerDecision{}
	}
	id, ok := key.id()
	if !ok {
		return BreakerDecision{}
	}
	e, ok := t.peek(id)
	switch {
	case !ok || !e.open:
		return BreakerDecision{}
	case e.waiting(now):
		return e.refusal(now)
	}
	return b.probe(ctx, id, key, now)
}

// probe asks Redis for the one probe of the cool-down. One call asks, the
// others are refused meanwhile.
func (b *redisBreaker) probe(ctx context.Context, id breakerID, key BreakerKey, now time.Time) BreakerDecision {
	s := b.s
	ask, d := false, BreakerDecision{}
	s.t.update(id, key, false, false, func(e *breakerEntry) {
		switch {
		case !e.open:
		case e.waiting(now):
			d = e.refusal(now)
		default:
			ask = true
			e.lease = now.Add((roundTrips + 1) * s.opts.Timeout)
		}
	})
	if !ask {
		return d
	}
	r, err := readRemote(s.do(ctx, "probe", 0, id.String(), b.r.lease().Milliseconds()))
	if err != nil {
		// Nobody else in this process asks before the lease: it is ours.
		s.t.update(id, key, false, false, func(e *breakerEntry) { e.lease = time.Time{} })
		return s.t.localProbe(id, key, b.r, now)
	}
	s.apply(id, key, r, !r.granted, now)
	switch {
	case r.granted:
		return BreakerDecision{Ticket: r.ticket}
	case !r.open:
		return BreakerDecision{}
	}
	e := breakerEntry{failures: r.failures, manual: r.manual, until: now.Add(r.rest)}
	return e.refusal(now)
}

func (b *redisBreaker) Record(ctx context.Context, key BreakerKey, ticket uint64, o BreakerOutcome, now time.Time) {
	s := b.s
	if b.r.Failures <= 0 || o != BreakerFailure && s.t.n.Load() == 0 {
		return
	}
	id, ok := key.id()
	if !ok {
		return
	}
	known, failing := s.t.peek(id)
	var cmd *redis.Cmd
	switch {
	case known.debt != 0 || known.cleared:
		// Redis has not been told of the earlier ones: keep the order.
	case o == BreakerFailure:
		cmd = s.fail(ctx, id, key, b.r, ticket, 1)
	case !failing:
		return
	case o == BreakerSuccess:
		cmd = s.do(ctx, "ok", 0, id.String())
	case ticket != 0:
		cmd = s.do(ctx, "free", 0, id.String(), ticket)
	default:
		return
	}
	if cmd != nil {
		if r, err := readRemote(cmd); err == nil {
			s.apply(id, key, r, false, now)
			return
		}
	}
	s.t.localRecord(id, key, b.r, ticket, o, true, now)
}

func (s *BreakerRedis) fail(ctx context.Context, id breakerID, key BreakerKey, r BreakerRules, ticket uint64, weight int) *redis.Cmd {
	if ticket&localTicket != 0 {
		ticket = 0 // Redis did not give it
	}
	return s.do(ctx, "fail", r.forget()+r.Cooldown, id.String(), ticket, weight, r.Failures,
		r.Cooldown.Milliseconds(), r.forget().Milliseconds(), key.Service, key.Tool, key.Scope)
}

// String is the field under which the id stands in Redis.
func (id breakerID) String() string { return base64.RawURLEncoding.EncodeToString(id[:]) }

func parseBreakerID(s string) (id breakerID, ok bool) {
	b, err := base64.RawURLEncoding.DecodeString(s)
	return id, err == nil && copy(id[:], b) == len(id) && len(b) == len(id)
}

// storedBreaker is the JSON of scripts/breaker.lua.
type storedBreaker struct {
	Service  string  `json:"s"`
	Tool     string  `json:"t"`
	Scope    string  `json:"k"`
	Failures int     `json:"n"`
	Open     int     `json:"o"`
	Manual   int     `json:"m"`
	Until    float64 `json:"u"`
	Ticket   float64 `json:"p"`
	Lease    float64 `json:"l"`
}

func (b storedBreaker) remote(nowMS, version int64) remoteState {
	rest := func(at float64) time.Duration {
		return max(0, time.Duration(int64(at)-nowMS)*time.Millisecond)
	}
	return remoteState{
		failures: b.Failures, open: b.Open == 1, manual: b.Manual == 1,
		rest: rest(b.Until), ticket: uint64(b.Ticket), lease: rest(b.Lease), version: version,
	}
}

func decodeBreaker(v any) (storedBreaker, bool) {
	text, ok := v.(string)
	var b storedBreaker
	return b, ok && json.Unmarshal([]byte(text), &b) == nil
}
