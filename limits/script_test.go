package limits

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/caddymcp/gateway/limits/redistest"
)

var steps = flag.Int("limits.steps", 1_000_000, "steps of the comparison of the script with its model")

// TestScriptAgainstModel runs random operations of several gateways, with lost answers, replays, late packets, crashes,
// refunds, debts and lost state, through the real script on a real Redis and through the model, and compares every
// number of every reply. On the subjects that nothing is done to by force it also checks the limits themselves.
func TestScriptAgainstModel(t *testing.T) {
	t.Parallel()
	total := *steps
	if testing.Short() {
		total /= 10
	}
	s := redistest.Start(t)
	// Patient, and without a second try, which would be executed twice.
	c := redis.NewClient(&redis.Options{Addr: s.Addr, ReadTimeout: time.Minute, WriteTimeout: time.Minute, MaxRetries: -1})
	defer c.Close()
	src := mustReplace(syncSource, "redis.call('TIME')", "{ARGV[#ARGV-1], ARGV[#ARGV]}")
	script := redis.NewScript(src)
	if err := script.Load(context.Background(), c).Err(); err != nil {
		t.Fatal(err)
	}
	w := newWorld(rand.New(rand.NewPCG(20, 26)))
	const size = 500
	type batch struct {
		pipe   redis.Pipeliner
		checks []func() string
	}
	batches := make(chan *batch, 4)
	failed := make(chan string, 1)
	go func() { // Redis works on one batch while the model works on the next
		defer close(failed)
		for b := range batches {
			_, _ = b.pipe.Exec(context.Background())
			for _, check := range b.checks {
				if text := check(); text != "" {
					failed <- text
					for range batches { // let the other side end
					}
					return
				}
			}
		}
	}()
	for done := 0; done < total; done += size {
		b := &batch{pipe: c.Pipeline()}
		for range size {
			if w.r.IntN(1000) == 0 { // Redis loses a subject
				name := w.names[4+w.r.IntN(len(w.names)-4)]
				b.pipe.Del(context.Background(), name)
				delete(w.m.subjects, name)
			}
			b.checks = append(b.checks, w.send(script, b.pipe))
		}
		batches <- b
	}
	close(batches)
	if text, bad := <-failed; bad {
		t.Fatal(text)
	}
	if w.over != "" {
		t.Fatal(w.over)
	}
	for key := range 4 {
		if w.rpm[key] == 0 {
			continue
		}
		checkWindows(t, w.granted[key], time.Duration(w.m.window)*time.Millisecond, int(w.rpm[key]))
		if len(w.granted[key]) < total/2000 {
			t.Errorf("only %d units granted for subject %d", len(w.granted[key]), key)
		}
	}
	t.Logf("%d steps; replies: %v; granted on the four calm subjects: %d %d %d %d", total, w.kinds,
		len(w.granted[0]), len(w.granted[1]), len(w.granted[2]), len(w.granted[3]))
}

// world is a few gateways that use a few subjects. Subjects 0 to 3 have constant limits and nothing happens to them but
// calls, lost answers, replays and crashes; the others suffer everything.
type world struct {
	r       *rand.Rand
	m       *model
	us      int64
	names   []string
	rpm     []int64
	conc    []int64
	gws     []*worldGateway
	born    int
	granted [][]time.Duration
	kinds   map[string]int
	over    string // a concurrency limit that did not hold
}

type worldGateway struct {
	id     string
	strict bool
	seq    uint32
	held   []int64
	known  []int64
	ends   []int64 // of its leases, us, as far as it knows
	last   *modelOp
	older  *modelOp
	lost   bool
	unsure bool
}

func newWorld(r *rand.Rand) *world {
	w := &world{r: r, us: redisOrigin, m: &model{window: 60_000, ttl: 15_000, subjects: map[string]*modelSubject{}},
		rpm: []int64{5, 100, 600, 0, 20, 128, 129, 3000}, conc: []int64{3, 0, 20, 7, 2, 10, 0, 50}, kinds: map[string]int{}}
	for i := range w.rpm {
		w.names = append(w.names, fmt.Sprintf("{m}%d", i))
		w.granted = append(w.granted, nil)
	}
	for range 4 {
		w.gws = append(w.gws, w.birth())
	}
	return w
}

func (w *world) birth() *worldGateway {
	w.born++
	return &worldGateway{id: fmt.Sprintf("gw%06d", w.born%1000), strict: w.born%2 == 0, seq: w.r.Uint32(), held: make([]int64, len(w.names)), known: make([]int64, len(w.names)), ends: make([]int64, len(w.names))}
}

// step moves the clock and makes up one operation.
func (w *world) step() *modelOp {
	r := w.r
	switch r.IntN(1000) {
	case 0:
		w.us += int64(r.IntN(80_000_000))
	case 1, 2, 3:
		w.us += int64(r.IntN(6_000_000))
	default:
		w.us += int64(r.IntN(40_000))
	}
	for _, g := range w.gws { // a gateway ends what it could not renew
		for k := range g.held {
			if w.us >= g.ends[k] {
				g.held[k] = 0
			}
		}
	}
	i := r.IntN(len(w.gws))
	g := w.gws[i]
	switch x := r.IntN(1000); {
	case x == 0: // crash
		w.gws[i] = w.birth()
		g = w.gws[i]
	case x < 20 && g.last != nil: // the network repeats a packet
		w.kinds["replay"]++
		return g.last
	case x < 40 && g.older != nil: // or delivers one late
		w.kinds["late"]++
		return g.older
	}
	return w.build(g, w.some())
}

// build makes up an operation of a gateway.
func (w *world) build(g *worldGateway, subjects []int) *modelOp {
	r := w.r
	for k := range g.held { // releases
		if g.held[k] > 0 && r.IntN(3) == 0 {
			g.held[k] -= 1 + r.Int64N(g.held[k])
		}
	}
	g.seq++
	if r.IntN(50) == 0 {
		g.seq += r.Uint32N(1 << 20)
	}
	op := &modelOp{gw: g.id, seq: g.seq, assert: g.unsure || r.IntN(50) == 0, strict: g.strict, doubt: r.IntN(10) == 0}
	for _, k := range subjects {
		op.keys = append(op.keys, w.key(g, k))
	}
	for range r.IntN(3) {
		op.demands = append(op.demands, w.demand(op))
	}
	g.lost = r.IntN(20) == 0 // nobody will hear the answer
	return op
}

func (w *world) some() []int {
	k := w.r.IntN(len(w.names))
	if w.r.IntN(4) > 0 {
		return []int{k}
	}
	l := w.r.IntN(len(w.names))
	if l == k {
		return []int{k}
	}
	return []int{k, l}
}

func (w *world) key(g *worldGateway, k int) modelKey {
	r := w.r
	mk := modelKey{name: w.names[k], held: g.held[k], known: g.known[k]}
	if k < 4 {
		return mk
	}
	mk.seen = r.Int64N(30)
	if r.IntN(100) == 0 {
		mk.known = -1
	}
	if r.IntN(40) == 0 {
		mk.debt = r.Int64N(10)
	}
	if s := w.m.subjects[mk.name]; r.IntN(20) == 0 && s != nil && len(s.slots) > 0 {
		mk.refund, mk.refAt = 1+r.Int64N(3), s.slots[r.IntN(len(s.slots))].end+r.Int64N(2)*r.Int64N(2)
	}
	return mk
}

func (w *world) demand(op *modelOp) modelDemand {
	r := w.r
	d := modelDemand{units: 1 + r.Int64N(4)}
	for i := range op.keys {
		if i > 0 && r.IntN(3) == 0 {
			continue
		}
		k := slices.Index(w.names, op.keys[i].name)
		p := syncPart{key: i, cost: 1, slots: 1, rpm: w.rpm[k], conc: w.conc[k]}
		if r.IntN(5) == 0 {
			p.cost, p.slots = r.Int64N(5), r.Int64N(3)
		}
		if k >= 4 && r.IntN(10) == 0 {
			p.rpm, p.conc = r.Int64N(200), r.Int64N(10)
		}
		d.parts = append(d.parts, p)
	}
	return d
}

// learn does with a reply what a gateway does, unless the reply is lost.
func (w *world) learn(op *modelOp, reply []int64) {
	i := slices.IndexFunc(w.gws, func(g *worldGateway) bool { return g.id == op.gw })
	w.kinds[fmt.Sprint("status ", reply[0])]++
	if i < 0 {
		return
	}
	g := w.gws[i]
	if op == g.last || op == g.older {
		return
	}
	g.older, g.last = g.last, op
	for j, d := range op.demands { // what Redis counts, whether the gateway hears of it or not
		f := reply[3+8*len(op.keys)+4*j:]
		w.kinds[fmt.Sprint("bound ", f[1])]++
		for _, p := range d.parts {
			k := slices.Index(w.names, op.keys[p.key].name)
			for range f[0] * p.cost {
				w.granted[k] = append(w.granted[k], time.Duration(w.us/1000)*time.Millisecond)
			}
			if !g.lost {
				g.held[k] += f[0] * p.slots
			}
		}
	}
	g.unsure = g.lost
	if g.lost {
		return
	}
	for j := range op.keys {
		k := slices.Index(w.names, op.keys[j].name)
		g.known[k] = reply[3+8*j+2]
		g.ends[k] = (w.us/1000 + reply[3+8*j+5]) * 1000
		sum := int64(0)
		for _, other := range w.gws {
			sum += other.held[k]
		}
		if k < 4 && w.conc[k] > 0 && sum > w.conc[k] {
			w.over = fmt.Sprintf("%d slots of %d are held of subject %d", sum, w.conc[k], k)
		}
	}
}
