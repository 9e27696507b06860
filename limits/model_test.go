package limits

import (
	"math"
	"slices"
)

// model is what scripts/sync.lua promises, written with plain lists and maps. Its clock does not go back.
type model struct {
	window, ttl int64
	subjects    map[string]*modelSubject
}

type modelSubject struct {
	gen, epoch, restored int64
	fresh                bool // made by the operation that runs
	cum                  uint32
	slots                []modelSlot
	regs                 map[string]modelRegister
}

type modelSlot struct{ end, units int64 }

type modelRegister struct {
	leaseEnd, held int64
	seq            uint32
	granted        int64
}

// modelOp is one run of the script, in its own terms.
type modelOp struct {
	gw       string
	seq      uint32
	assert   bool
	keys     []modelKey
	demands  []modelDemand
	expected int64
	strict   bool
	doubt    bool
}

type modelKey struct {
	name                                   string
	held, known, seen, debt, refund, refAt int64
}

type modelDemand struct {
	units int64
	parts []syncPart
}

// args is the wire form. The last two are the time, read by the patched script.
func (o *modelOp) args(m *model, us int64) ([]string, []any) {
	var keys []string
	h := syncHeader{false, o.gw, m.window, m.ttl, o.expected, 250, o.strict, o.doubt}
	b := putOperation(h.append(nil), o.seq, o.assert)
	for _, k := range o.keys {
		keys = append(keys, k.name)
		s := syncSubject{k.held, k.known, k.seen, k.debt, k.refund, k.refAt}
		b = s.append(b)
	}
	b = put16(b, len(o.demands))
	for _, d := range o.demands {
		b = put16(put32(b, d.units), len(d.parts))
		for _, p := range d.parts {
			b = p.append(b)
		}
	}
	return keys, []any{b, 1e9, us / 1e6, us % 1e6}
}

// straight tells whether the short form can carry the operation.
func (o *modelOp) straight() bool {
	return len(o.keys) == 1 && o.keys[0].refund == 0 && len(o.demands) < 2 && (len(o.demands) == 0 || len(o.demands[0].parts) == 1)
}

// straightArgs is the wire form of several operations of one gateway in one script.
func straightArgs(m *model, ops []*modelOp, us int64) ([]string, []any) {
	var keys []string
	h := syncHeader{true, ops[0].gw, m.window, m.ttl, ops[0].expected, 250, ops[0].strict, ops[0].doubt}
	b := h.append(nil)
	for _, o := range ops {
		k := o.keys[0]
		keys = append(keys, k.name)
		var units int64
		var p syncPart
		if len(o.demands) > 0 {
			units, p = o.demands[0].units, o.demands[0].parts[0]
		}
		b = putStraight(b, o.seq, o.assert, &syncSubject{held: k.held, known: k.known, seen: k.seen, debt: k.debt}, units, &p)
	}
	return keys, []any{b, 1e9, us / 1e6, us % 1e6}
}

// straightFlat is the reply to one of several straight operations; nil when it was not done.
func (o *modelOp) straightFlat(r *syncReply) []int64 {
	if r.subjects == nil {
		return nil
	}
	r.demands = r.demands[:len(o.demands)] // key 0: there is one
	return flatReply(r)
}

// flat is the reply as a list of numbers.
func (o *modelOp) flat(raw string) ([]int64, error) {
	r, err := parseReply(raw, len(o.keys), len(o.demands))
	if err != nil {
		return nil, err
	}
	return flatReply(r), nil
}

func flatReply(r *syncReply) []int64 {
	out := []int64{int64(r.status), r.now, r.stepped}
	for _, s := range r.subjects {
		lost := int64(0)
		if s.lost {
			lost = 1
		}
		out = append(out, int64(s.n), int64(s.live), s.gen, int64(s.cum), s.stamp, s.left.Milliseconds(), lost, s.idle.Milliseconds())
	}
	for _, d := range r.demands {
		out = append(out, int64(d.granted), int64(d.bound), int64(d.key+1), d.wait.Milliseconds())
	}
	return out
}

// live returns a copy of the subject with what has expired taken out.
func (m *model) live(name string, us int64) *modelSubject {
	now := us / 1000
	s := m.subjects[name]
	if s == nil {
		return &modelSubject{gen: us / 2 * 2, epoch: now, regs: map[string]modelRegister{}, fresh: true}
	}
	c := &modelSubject{gen: s.gen, epoch: s.epoch, restored: s.restored, cum: s.cum, regs: map[string]modelRegister{}}
	from := 0
	for from < len(s.slots) && s.slots[from].end+m.window <= now {
		from++
	}
	c.slots = append(make([]modelSlot, 0, len(s.slots)-from+1), s.slots[from:]...)
	for id, r := range s.regs {
		if r.leaseEnd > now {
			c.regs[id] = r
		}
	}
	return c
}

func (s *modelSubject) n() (n int64) {
	for _, sl := range s.slots {
		n += sl.units
	}
	return n
}

func (s *modelSubject) liveSlots() (n int64) {
	for _, r := range s.regs {
		n += r.held
	}
	return n
}

// run executes one operation and returns the reply that the script must give.
func (m *model) run(o *modelOp, us int64) []int64 {
	now := us / 1000
	subjects := make([]*modelSubject, len(o.keys))
	status, granted := int64(0), int64(0)
	for i, k := range o.keys {
		subjects[i] = m.live(k.name, us)
		if r, ok := subjects[i].regs[o.gw]; ok {
			switch ahead := int32(o.seq - r.seq); {
			case ahead < 0:
				status = 2
			case ahead == 0 && status == 0:
				status, granted = 1, r.granted
			}
		}
	}
	reply := []int64{status, now, 0}
	if status != 0 {
		for _, s := range subjects {
			reply = append(reply, s.answer(o.gw, now, 0, 0)...)
		}
		for range o.demands {
			if status != 1 || len(o.demands) != 1 || granted == math.MaxUint16 {
				granted = 0
			}
			reply = append(reply, granted, 3, 1, 0)
		}
		return reply
	}
	type work struct {
		held, add, lost     int64
		fine, changed, mine bool
		was                 modelRegister
	}
	w := make([]work, len(o.keys))
	n, live := make([]int64, len(o.keys)), make([]int64, len(o.keys))
	for i, k := range o.keys {
		s, x := subjects[i], &w[i]
		x.was, x.mine = s.regs[o.gw]
		x.held, x.add = k.held, k.debt
		live[i] = s.liveSlots() - x.was.held + k.held
		if s.fresh && (o.doubt || k.known != 0 && (k.seen > 0 || k.held > 0)) {
			s.gen++
		}
		switch {
		case k.known > 0 && k.known != s.gen && k.seen > s.restored:
			x.add, x.lost, s.restored = x.add+k.seen-s.restored, 1, k.seen
		case k.known == -1:
			x.add += max(k.seen-s.n(), 0)
		}
		at := slices.IndexFunc(s.slots, func(sl modelSlot) bool { return sl.end == k.refAt })
		if k.refund > 0 && at >= 0 && s.slots[at].units >= k.refund {
			s.slots[at].units -= k.refund
			s.cum -= uint32(k.refund)
			x.changed = true
		}
		n[i] = s.n() + x.add
	}
	first := int64(math.MaxUint16)
	results := make([][2]int64, len(o.demands)) // granted, bound
	bounds := make([]int, len(o.demands))
	for j, d := range o.demands {
		fit, code, key := d.units, int64(0), 0
		for pass := int64(1); pass <= 2; pass++ {
			for _, p := range d.parts {
				need, limit, used := p.cost, p.rpm, n[p.key]
				if pass == 2 {
					need, limit, used = p.slots, p.conc, live[p.key]
				}
				if need == 0 || limit == 0 {
					continue
				}
				if room := max(limit-used, 0) / need; room < fit {
					fit, code, key = room, pass, p.key
				}
			}
		}
		for _, p := range d.parts {
			age, limited := us-subjects[p.key].gen, p.cost > 0 && p.rpm > 0 || p.slots > 0 && p.conc > 0
			if fit > 0 && o.strict && limited && subjects[p.key].gen%2 == 1 && age >= -1 && age < 2_000_000-1 {
				fit, code, key = 0, 3, p.key
			}
		}
		for _, p := range d.parts {
			if fit > 0 {
				n[p.key] += fit * p.cost
				w[p.key].add += fit * p.cost
				live[p.key] += fit * p.slots
				w[p.key].held += fit * p.slots
				w[p.key].fine = w[p.key].fine || p.rpm > 0 && p.rpm <= 128
			}
		}
		results[j], bounds[j] = [2]int64{fit, code}, key
		if len(o.demands) == 1 {
			first = fit
		}
	}
	if len(o.demands) == 0 {
		first = 0
	}
	for i, k := range o.keys {
		s, x := subjects[i], &w[i]
		stamp := int64(0)
		if x.add > 0 {
			g := (m.window + 127) / 128
			if x.fine && len(s.slots) < 192 {
				g = 1
			}
			end := s.epoch + ((now-s.epoch)/g+1)*g
			if len(s.slots) == 0 || end > s.slots[len(s.slots)-1].end {
				s.slots = append(s.slots, modelSlot{end: end})
			}
			s.slots[len(s.slots)-1].units += x.add
			s.cum += uint32(x.add)
			stamp = s.slots[len(s.slots)-1].end
		}
		renew := x.mine && x.held > 0 && 3*(x.was.leaseEnd-now) < 2*m.ttl
		if x.add > 0 || x.changed || o.assert || renew || x.held != x.was.held {
			s.regs[o.gw] = modelRegister{leaseEnd: now + m.ttl, held: x.held, seq: o.seq, granted: first}
			s.fresh = false
			m.subjects[k.name] = s
		}
		reply = append(reply, s.answerWith(o.gw, now, n[i], live[i], stamp, x.lost)...)
	}
	for j, d := range o.demands {
		wait, key := int64(0), bounds[j]
		for _, p := range d.parts {
			need := n[p.key] + p.cost - p.rpm
			if results[j][1] != 1 || p.rpm == 0 || p.cost == 0 || need <= 0 {
				continue
			}
			until, freed := m.window, int64(0)
			for _, sl := range subjects[p.key].slots {
				if freed += sl.units; freed >= need {
					until = sl.end + m.window - now
					break
				}
			}
			if until > wait {
				wait, key = until, p.key
			}
		}
		reply = append(reply, results[j][0], results[j][1], int64(key+1), wait)
	}
	return reply
}

func (s *modelSubject) answer(gw string, now, stamp, lost int64) []int64 {
	return s.answerWith(gw, now, s.n(), s.liveSlots(), stamp, lost)
}

func (s *modelSubject) answerWith(gw string, now, n, live, stamp, lost int64) []int64 {
	left, idle := int64(0), int64(0)
	if r, ok := s.regs[gw]; ok {
		left = r.leaseEnd - now
	}
	if len(s.slots) > 0 {
		idle = max(now-s.slots[len(s.slots)-1].end, 0)
	}
	return []int64{n, live, s.gen, int64(s.cum), stamp, left, lost, idle}
}
