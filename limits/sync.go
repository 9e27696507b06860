package limits

import (
	"context"
	_ "embed"

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

// args returns KEYS and the argument. expected is the Redis time at which the operation should run.
func (o *syncOp) args(l *Redis, expected int64) ([]string, []byte) {
	keys := make([]string, len(o.keys))
	h := syncHeader{l.id, o.seq, l.window, l.lease, expected, clockTolerance.Milliseconds(), o.assert}
	b := h.append(make([]byte, 0, 128))
	for i := range o.keys {
		k := &o.keys[i]
		keys[i] = k.k.name
		s := syncSubject{int64(k.held), k.known, int64(k.seen), int64(k.owed), int64(k.refund.units), k.refund.stamp}
		b = s.append(b)
	}
	b = put16(b, len(o.demands))
	for i := range o.demands {
		d := &o.demands[i]
		tiers := d.waiters[0].tiers
		b = put16(put32(b, len(d.waiters)), len(tiers))
		for j := range tiers {
			t := &tiers[j]
			p := syncPart{d.index[j], int64(t.Cost), int64(t.Slots), int64(t.RPM), int64(t.Concurrency)}
			if t.Shadow {
				p.rpm, p.conc = 0, 0
			}
			b = p.append(b)
		}
	}
	return keys, b
}

// decisions is the number of calls that the operation decides.
func (o *syncOp) decisions() int {
	n := 0
	for i := range o.demands {
		n += len(o.demands[i].waiters)
	}
	return n
}

func (o *syncOp) parse(cmd *redis.Cmd) (*syncReply, error) {
	raw, err := cmd.Text()
	if err != nil {
		return nil, err
	}
	return parseReply(raw, len(o.keys), len(o.demands))
}

// run sends one operation. EVALSHA first, EVAL when the node does not know the script: it was not executed then.
func (l *Redis) run(ctx context.Context, o *syncOp) (*syncReply, error) {
	keys, arg := o.args(l, o.node.expect(l.o.Clock()))
	cmd := l.client.EvalSha(ctx, l.script.Hash(), keys, arg, l.kept)
	if redis.HasErrorPrefix(cmd.Err(), "NOSCRIPT") {
		cmd = l.client.Eval(ctx, l.source, keys, arg, l.kept)
	}
	return o.parse(cmd)
}
