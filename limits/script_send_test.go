package limits

import (
	"context"
	"fmt"
	"slices"

	"github.com/redis/go-redis/v9"
)

// send has one operation, or some of one gateway at one time, run by the script and by the model. Half of those that fit
// the short form go in it first, together, and then once more in full: what was done is now a replay or a refusal that
// changes nothing, and what was not done is done. The function compares, when the pipeline has run.
func (w *world) send(script *redis.Script, pipe redis.Pipeliner) func() string {
	ctx := context.Background()
	us := w.us
	var ops []*modelOp
	var want, again [][]int64
	run := func(op *modelOp) {
		us = w.us
		ops, want = append(ops, op), append(want, w.m.run(op, us))
		w.learn(op, want[len(want)-1])
	}
	run(w.step())
	short := ops[0].straight() && w.r.IntN(2) == 0
	i := slices.IndexFunc(w.gws, func(g *worldGateway) bool { return g.id == ops[0].gw })
	for short && i >= 0 && len(ops) < 4 && w.r.IntN(2) == 0 {
		k := w.r.IntN(len(w.names))
		if slices.ContainsFunc(ops, func(o *modelOp) bool { return o.keys[0].name == w.names[k] }) {
			break
		}
		op := w.build(w.gws[i], []int{k})
		if !op.straight() {
			break // never sent
		}
		op.strict, op.doubt = ops[0].strict, ops[0].doubt
		run(op)
	}
	var first *redis.Cmd
	if short {
		keys, argv := straightArgs(w.m, ops, us)
		first = script.EvalSha(ctx, pipe, keys, argv...)
		w.kinds[fmt.Sprint("together ", len(ops))]++
	}
	var full []*redis.Cmd
	for _, op := range ops {
		keys, argv := op.args(w.m, us)
		full = append(full, script.EvalSha(ctx, pipe, keys, argv...))
		if short {
			again = append(again, w.m.run(op, us))
		}
	}
	return func() string {
		var replies []syncReply
		if short {
			raw, err := first.Text()
			if err == nil {
				replies, err = parseStraight(raw, len(ops))
			}
			if err != nil {
				return fmt.Sprintf("%d operations together: %v", len(ops), err)
			}
		}
		for i, op := range ops {
			expect := want[i]
			if short {
				got := op.straightFlat(&replies[i])
				switch {
				case got != nil && !slices.Equal(got, want[i]), got == nil && want[i][0] == syncDone:
					return fmt.Sprintf("%+v at %d, together\nscript %v\nmodel  %v", *op, us, got, want[i])
				case got != nil:
					expect = again[i]
				}
			}
			raw, err := full[i].Text()
			var got []int64
			if err == nil {
				got, err = op.flat(raw)
			}
			if err != nil || !slices.Equal(got, expect) {
				return fmt.Sprintf("%+v at %d\nscript %v %v\nmodel  %v", *op, us, got, err, expect)
			}
		}
		return ""
	}
}
