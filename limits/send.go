package limits

import (
	"context"
	"runtime"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// outbox holds operations of different subjects that wait for a connection to their node. One caller, the collector,
// sends what is there; whoever comes meanwhile travels with the next. There is no timer: a node that is not busy is asked at
// once.
type outbox struct {
	mu         sync.Mutex
	ops        []*syncOp
	collecting bool
}

// put adds an operation and reports whether the caller is the collector now.
func (b *outbox) put(ops ...*syncOp) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ops = append(b.ops, ops...)
	if b.collecting {
		return false
	}
	b.collecting = true
	return true
}

// take removes at most n operations, the oldest first. more: the caller is still the collector.
func (b *outbox) take(n int) (ops []*syncOp, more bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n = min(n, len(b.ops))
	if n == len(b.ops) {
		ops, b.ops = b.ops, nil
	} else {
		ops, b.ops = b.ops[:n:n], b.ops[n:]
	}
	b.collecting = len(b.ops) > 0
	return ops, b.collecting
}

// oldest is when the first operation was sealed.
func (b *outbox) oldest() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.ops[0].sealed
}

// straight tells whether the short form of the argument can carry the operation.
func (o *syncOp) straight() bool {
	return len(o.keys) == 1 && o.keys[0].refund.units == 0 &&
		(len(o.demands) == 0 || len(o.demands) == 1 && len(o.demands[0].waiters[0].tiers) == 1)
}

// post sends an operation and has its answers handed out. It returns before that when somebody else does it.
func (l *Redis) post(op *syncOp) {
	switch {
	case op == nil:
	case !l.together.Load() || !op.straight():
		l.send(op.node, []*syncOp{op})
	case op.node.box.put(op):
		l.collect(op.node)
	}
}

// collect sends one script with what waits for the node, and hands on the rest. Everything in the outbox is straight.
func (l *Redis) collect(n *node) {
	if len(n.sem) > 0 { // while Redis is busy anyway, those that are ready to run may join
		runtime.Gosched()
	}
	if !n.enter(max(l.o.Timeout-(l.o.Clock()-n.box.oldest()), 0)) {
		ops, more := n.box.take(1)
		if more {
			go l.collect(n)
		}
		l.o.Observer.overload(n.addr)
		l.fail(ops, errOverload)
		return
	}
	size := pipelineOps
	if n.suspect() {
		size = 1
	}
	ops, more := n.box.take(size)
	if more {
		go l.collect(n)
	}
	l.deliver(n, ops)
}

// send waits for a connection and sends operations of one node in one round trip.
func (l *Redis) send(n *node, ops []*syncOp) {
	if !n.enter(l.o.Timeout) {
		l.o.Observer.overload(n.addr)
		l.fail(ops, errOverload)
		return
	}
	l.deliver(n, ops)
}

// deliver sends operations of one node in one round trip, if it is to be asked, and leaves it.
func (l *Redis) deliver(n *node, ops []*syncOp) {
	sent := l.o.Clock()
	if !n.try(sent) {
		n.leave()
		l.fail(ops, errAway)
		return
	}
	sent = l.o.Clock()
	replies, errs := make([]*syncReply, len(ops)), make([]error, len(ops))
	scripts := l.transmit(ops, replies, errs)
	n.leave()
	now := l.o.Clock()
	if scripts == 1 && errs[0] == nil {
		l.observe(ops, replies[0], nil, sent, now, 1)
	} else {
		for i := range ops {
			l.observe(ops[i:i+1], replies[i], errs[i], sent, now, scripts)
			scripts = 0
		}
	}
	l.settle(ops, replies, errs, sent)
}

func (l *Redis) fail(ops []*syncOp, err error) {
	errs := make([]error, len(ops))
	for i := range errs {
		errs[i] = err
	}
	l.settle(ops, make([]*syncReply, len(ops)), errs, l.o.Clock())
}

// settle hands out what came back; whoever came meanwhile is served by a new goroutine.
func (l *Redis) settle(ops []*syncOp, replies []*syncReply, errs []error, sent time.Duration) {
	now := l.o.Clock()
	for i, op := range ops {
		g := op.g
		g.mu.Lock()
		g.settle(op, replies[i], errs[i], sent, now)
		next := g.after(now)
		g.mu.Unlock()
		if next != nil {
			go l.post(next)
		}
		if op.lost && op.node.forgot(now) {
			l.reassert(op.node.addr)
		}
	}
}

// transmit runs operations, each answer within the time-out, and returns how many scripts that took. When it was one, either
// all have an error or none has.
func (l *Redis) transmit(ops []*syncOp, replies []*syncReply, errs []error) (scripts int) {
	ctx := newDeadline(roundTrips * l.o.Timeout)
	together := l.together.Load() || len(ops) == 1
	for _, op := range ops {
		together = together && op.straight()
	}
	if !together {
		return l.pipeline(ctx, ops, replies, errs)
	}
	cmd := redis.NewCmd(ctx, l.straightArgs(ops)...)
	cmd.SetFirstKeyPos(firstKey)
	if err := l.client.Process(ctx, cmd); err != nil && redis.HasErrorPrefix(err, "NOSCRIPT") {
		cmd = redis.NewCmd(ctx, l.withSource(l.straightArgs(ops))...) // it was not executed
		cmd.SetFirstKeyPos(firstKey)
		_ = l.client.Process(ctx, cmd) // cmd has the error
	}
	raw, err := cmd.Text()
	if redis.HasErrorPrefix(err, "CROSSSLOT") { // a cluster behind one address; nothing was executed
		l.together.Store(false)
		return l.pipeline(ctx, ops, replies, errs)
	}
	var all []syncReply
	if err == nil {
		all, err = parseStraight(raw, len(ops))
	}
	scripts = 1
	for i, op := range ops {
		switch {
		case err != nil:
			errs[i] = err
		case all[i].subjects == nil:
			replies[i], errs[i] = l.run(ctx, op)
			scripts++
		default:
			replies[i] = &all[i]
		}
	}
	return scripts
}

// firstKey is where the keys begin in the arguments of EVALSHA.
const firstKey = 3

// straightArgs is the command that runs straight operations in one script.
func (l *Redis) straightArgs(ops []*syncOp) []any {
	b := l.header(true, ops[0].node).append(make([]byte, 0, straightArg+straightOp*len(ops)))
	args := make([]any, firstKey, firstKey+2+len(ops))
	args[0], args[1], args[2] = "evalsha", l.hash, len(ops)
	for _, o := range ops {
		k := &o.keys[0]
		args = append(args, k.k.name)
		s := syncSubject{held: int64(k.held), known: k.known, seen: int64(k.seen), debt: int64(k.owed)}
		var p syncPart
		units := 0
		if len(o.demands) > 0 {
			units = len(o.demands[0].waiters)
			p = partOf(&o.demands[0].waiters[0].tiers[0])
		}
		b = putStraight(b, o.seq, o.assert, &s, int64(units), &p)
	}
	return append(args, b, l.kept)
}

// withSource makes EVAL of a command that EVALSHA refused.
func (l *Redis) withSource(args []any) []any {
	args[0], args[1] = "eval", l.source
	return args
}

// pipeline runs operations one by one and returns how many scripts that took.
func (l *Redis) pipeline(ctx context.Context, ops []*syncOp, replies []*syncReply, errs []error) (scripts int) {
	if len(ops) == 1 {
		replies[0], errs[0] = l.run(ctx, ops[0])
		return 1
	}
	pipe := l.client.Pipeline()
	cmds := make([]*redis.Cmd, len(ops))
	for i, op := range ops {
		if !op.straight() {
			keys, arg := op.args(l)
			cmds[i] = pipe.EvalSha(ctx, l.script.Hash(), keys, arg, l.kept)
			continue
		}
		cmds[i] = redis.NewCmd(ctx, l.straightArgs(ops[i:i+1])...)
		cmds[i].SetFirstKeyPos(firstKey)
		_ = pipe.Process(ctx, cmds[i])
	}
	_, _ = pipe.Exec(ctx) // each command has its own error
	scripts = len(ops)
	for i, op := range ops {
		if err := cmds[i].Err(); err != nil && redis.HasErrorPrefix(err, "NOSCRIPT") {
			replies[i], errs[i] = l.run(ctx, op)
			continue
		}
		if !op.straight() {
			replies[i], errs[i] = op.parse(cmds[i])
			continue
		}
		raw, err := cmds[i].Text()
		var r []syncReply
		if err == nil {
			r, err = parseStraight(raw, 1)
		}
		switch {
		case err != nil:
			errs[i] = err
		case r[0].subjects == nil:
			replies[i], errs[i] = l.run(ctx, op)
			scripts++
		default:
			replies[i] = &r[0]
		}
	}
	return scripts
}
