package limits

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// The one script; its head documents arguments, value and reply.
//
//go:embed scripts/sync.lua
var syncSource string

const (
	syncDone   = 0
	syncReplay = 1
	syncStale  = 2

	// What one operation carries at most.
	opUnits   = 256
	opKeys    = 16
	opDemands = 16

	knownForce = -1 // "count again what I have seen"
)

// syncOp is one run of the script: what this process says of its subjects, and what the calls waiting want.
type syncOp struct {
	g       *group
	node    *node
	seq     uint32
	steps   int64
	assert  bool
	keys    []opKey
	demands []demand
}

type opKey struct {
	k      *redisKey
	held   int
	known  int64
	seen   int
	debt   buckets
	owed   int // sum of debt
	refund refund
}

// demand is a group of waiters that want the same.
type demand struct {
	waiters []*waiter
	index   [MaxTiers]int // of op.keys, for each tier
}

// subjectReply and demandReply mirror the reply of the script.
type subjectReply struct {
	n, live  int
	gen      int64
	cum      uint32
	stamp    int64
	left     time.Duration
	lost     bool
	idle     time.Duration
	answered bool
}

type demandReply struct {
	granted int
	bound   Bound
	key     int
	wait    time.Duration
}

type syncReply struct {
	status   int
	now      int64
	stepped  int64
	subjects []subjectReply
	demands  []demandReply
}

// args returns KEYS and ARGV. expected is the Redis time at which the operation should run.
func (o *syncOp) args(l *Redis, expected int64) ([]string, []any) {
	keys := make([]string, len(o.keys))
	argv := make([]any, 0, 8+6*len(o.keys)+7*len(o.demands))
	assert := 0
	if o.assert {
		assert = 1
	}
	argv = append(argv, l.id, o.seq, l.window, l.lease, expected, assert, clockTolerance.Milliseconds())
	for i := range o.keys {
		k := &o.keys[i]
		keys[i] = k.k.name
		argv = append(argv, k.held, k.known, k.seen, k.owed, k.refund.units, k.refund.stamp)
	}
	argv = append(argv, len(o.demands))
	for i := range o.demands {
		d := &o.demands[i]
		tiers := d.waiters[0].tiers
		argv = append(argv, len(d.waiters), len(tiers))
		for j := range tiers {
			t := &tiers[j]
			rpm, conc := t.RPM, t.Concurrency
			if t.Shadow {
				rpm, conc = 0, 0
			}
			argv = append(argv, d.index[j]+1, t.Cost, t.Slots, rpm, conc)
		}
	}
	return keys, argv
}

// decisions is the number of calls that the operation decides.
func (o *syncOp) decisions() int {
	n := 0
	for i := range o.demands {
		n += len(o.demands[i].waiters)
	}
	return n
}

func (o *syncOp) parse(flat []int64) (*syncReply, error) {
	const head, perKey, perDemand = 3, 8, 4
	if want := head + perKey*len(o.keys) + perDemand*len(o.demands); len(flat) != want {
		return nil, fmt.Errorf("the limits script answered %d numbers, not %d", len(flat), want)
	}
	r := &syncReply{status: int(flat[0]), now: flat[1], stepped: flat[2],
		subjects: make([]subjectReply, len(o.keys)), demands: make([]demandReply, len(o.demands))}
	flat = flat[head:]
	for i := range r.subjects {
		f := flat[i*perKey:]
		r.subjects[i] = subjectReply{n: int(f[0]), live: int(f[1]), gen: f[2], cum: uint32(f[3]), stamp: f[4], //nolint:gosec // u32
			left: time.Duration(f[5]) * time.Millisecond, lost: f[6] == 1, idle: time.Duration(f[7]) * time.Millisecond, answered: true}
	}
	flat = flat[perKey*len(o.keys):]
	for i := range r.demands {
		f := flat[i*perDemand:]
		r.demands[i] = demandReply{granted: int(f[0]), key: int(f[2]) - 1, wait: time.Duration(f[3]) * time.Millisecond}
		switch f[1] {
		case 0:
		case 1:
			r.demands[i].bound = RPM
		case 2:
			r.demands[i].bound = Concurrency
		default:
			r.demands[i].bound = Unavailable
		}
		if r.demands[i].key < 0 || r.demands[i].key >= len(o.keys) {
			return nil, fmt.Errorf("the limits script answered for subject %d of %d", f[2], len(o.keys))
		}
	}
	return r, nil
}

// run sends one operation. EVALSHA first, EVAL when the node does not know the script: it was not executed then.
func (l *Redis) run(ctx context.Context, o *syncOp) (*syncReply, error) {
	keys, argv := o.args(l, o.node.expect(l.o.Clock()))
	cmd := l.client.EvalSha(ctx, l.script.Hash(), keys, argv...)
	if redis.HasErrorPrefix(cmd.Err(), "NOSCRIPT") {
		cmd = l.client.Eval(ctx, l.source, keys, argv...)
	}
	flat, err := cmd.Int64Slice()
	if err != nil {
		return nil, err
	}
	return o.parse(flat)
}
