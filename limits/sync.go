package limits

import (
	"context"
	_ "embed"
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
	sealed  time.Duration // when what it says was true
	seq     uint32
	steps   int64
	assert  bool
	lost    bool // Redis had forgotten a subject
	keys    []opKey
	demands []demand

	// Room for the usual case: one subject, one caller.
	room struct {
		keys    [1]opKey
		demands [1]demand
		waiters [2]*waiter
		names   [1]string
		arg     [128]byte
	}
}

func newOp(g *group, n *node) *syncOp {
	op := &syncOp{g: g, node: n}
	op.keys, op.demands = op.room.keys[:0], op.room.demands[:0]
	return op
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

// add puts a waiter into the operation, and reports false when it has no room.
func (o *syncOp) add(w *waiter) bool {
	for i := range o.demands {
		if same(o.demands[i].waiters[0].tiers, w.tiers) {
			o.demands[i].waiters = append(o.demands[i].waiters, w)
			return true
		}
	}
	if len(o.demands) == opDemands || len(o.keys) > 0 && len(o.keys)+len(w.tiers) > opKeys {
		return false
	}
	var d demand
	if len(o.demands) == 0 {
		d.waiters = o.room.waiters[:0]
	}
	d.waiters = append(d.waiters, w)
	for i := range w.tiers {
		d.index[i] = o.key(w.keys[i])
	}
	o.demands = append(o.demands, d)
	return true
}

func (o *syncOp) key(k *redisKey) int {
	for i := range o.keys {
		if o.keys[i].k == k {
			return i
		}
	}
	o.keys = append(o.keys, opKey{k: k})
	return len(o.keys) - 1
}

func same(a, b []Tier) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		x, y := &a[i], &b[i]
		if x.Subject != y.Subject || x.Cost != y.Cost || x.Slots != y.Slots || x.RPM != y.RPM ||
			x.Concurrency != y.Concurrency || x.Shadow != y.Shadow {
			return false
		}
	}
	return true
}

func (l *Redis) header(straight bool, n *node) *syncHeader {
	now := l.o.Clock()
	expected, doubt := n.expect(now)
	return &syncHeader{straight, l.id, l.window, l.lease, expected, clockTolerance.Milliseconds(), l.o.OnFailure == Deny, doubt}
}

// args returns KEYS and the argument.
func (o *syncOp) args(l *Redis) ([]string, []byte) {
	keys := o.room.names[:]
	if len(o.keys) > 1 {
		keys = make([]string, len(o.keys))
	}
	b := putOperation(l.header(false, o.node).append(o.room.arg[:0]), o.seq, o.assert)
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
			p := partOf(&tiers[j])
			p.key = d.index[j]
			b = p.append(b)
		}
	}
	return keys, b
}

// partOf is what a call needs of the subject of a tier.
func partOf(t *Tier) syncPart {
	p := syncPart{cost: int64(t.Cost), slots: int64(t.Slots)}
	if !t.Shadow {
		p.rpm, p.conc = int64(t.RPM), int64(t.Concurrency)
	}
	return p
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

// run sends one operation in full, whatever it carries. EVALSHA first, EVAL when the node does not know the script: it was
// not executed then.
func (l *Redis) run(ctx context.Context, o *syncOp) (*syncReply, error) {
	keys, arg := o.args(l)
	cmd := l.client.EvalSha(ctx, l.script.Hash(), keys, arg, l.kept)
	if err := cmd.Err(); err != nil && redis.HasErrorPrefix(err, "NOSCRIPT") {
		cmd = l.client.Eval(ctx, l.source, keys, arg, l.kept)
	}
	return o.parse(cmd)
}
