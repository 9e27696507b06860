package limits

import (
	"encoding/binary"
	"errors"
	"math"
	"time"
)

// The packed argument and reply of the script; its head documents them field by field.

const (
	replyHead    = 1 + 8 + 8
	replySubject = 4 + 4 + 8 + 4 + 8 + 4 + 1 + 4
	replyDemand  = 4 + 1 + 2 + 4

	straightArg = 1 + gatewayIDSize + 4 + 4 + 8 + 4 + 1 + 1
	straightOp  = 4 + 1 + 4 + 8 + 4 + 4 + 4 + 4*4

	straightHead  = 8 + 8
	straightReply = 1 + replySubject + 4 + 1 + 4
)

var little = binary.LittleEndian

func putFloat(b []byte, n int64) []byte { return little.AppendUint64(b, math.Float64bits(float64(n))) }

func put32[T int | int64](b []byte, n T) []byte {
	return little.AppendUint32(b, uint32(min(max(n, 0), math.MaxUint32))) // clamped
}

func put16(b []byte, n int) []byte {
	return little.AppendUint16(b, uint16(n)) // at most opUnits
}

// syncHeader is the fixed part of the argument.
type syncHeader struct {
	straight      bool // every subject is an operation of its own
	id            string
	window, lease int64
	expected      int64
	tolerance     int64
	strict        bool // after a loss, wait for the others
	doubt         bool // something may have been lost
}

func (h *syncHeader) append(b []byte) []byte {
	b = putBool(b, h.straight)
	b = append(b, h.id...)
	b = put32(b, h.window)
	b = put32(b, h.lease)
	b = putFloat(b, h.expected)
	return putBool(putBool(put32(b, h.tolerance), h.strict), h.doubt)
}

func putBool(b []byte, is bool) []byte {
	if is {
		return append(b, 1)
	}
	return append(b, 0)
}

// putOperation begins one operation.
func putOperation(b []byte, seq uint32, assert bool) []byte {
	return putBool(little.AppendUint32(b, seq), assert)
}

// putStraight is a whole operation on one subject with at most one demand and no refund.
func putStraight(b []byte, seq uint32, assert bool, s *syncSubject, units int64, p *syncPart) []byte {
	b = putOperation(b, seq, assert)
	b = put32(b, s.held)
	b = putFloat(b, s.known)
	b = put32(b, s.seen)
	b = put32(b, s.debt)
	b = put32(b, units)
	b = put32(b, p.cost)
	b = put32(b, p.slots)
	b = put32(b, p.rpm)
	return put32(b, p.conc)
}

// syncSubject is what the argument says of one subject.
type syncSubject struct {
	held, known, seen, debt, refund, stamp int64
}

func (s *syncSubject) append(b []byte) []byte {
	b = put32(b, s.held)
	b = putFloat(b, s.known)
	b = put32(b, s.seen)
	b = put32(b, s.debt)
	b = put32(b, s.refund)
	return putFloat(b, s.stamp)
}

// syncPart is what one call of a demand needs of one subject; key counts from 0.
type syncPart struct {
	key                    int
	cost, slots, rpm, conc int64
}

func (p *syncPart) append(b []byte) []byte {
	b = put16(b, p.key+1)
	b = put32(b, p.cost)
	b = put32(b, p.slots)
	b = put32(b, p.rpm)
	return put32(b, p.conc)
}

// subjectReply and demandReply mirror the reply of the script.
type subjectReply struct {
	n, live int
	gen     int64
	cum     uint32
	stamp   int64
	left    time.Duration
	lost    bool
	idle    time.Duration
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

	// Room for the usual case.
	subject [1]subjectReply
	demand  [1]demandReply
}

var errReply = errors.New("the limits script gave a reply of another shape")

// parseReply reads a reply for so many subjects and demands.
func parseReply(raw string, subjects, demands int) (*syncReply, error) {
	if len(raw) != replyHead+subjects*replySubject+demands*replyDemand {
		return nil, errReply
	}
	b := reader(raw)
	r := &syncReply{status: int(b.byte()), now: b.float(), stepped: b.float()}
	r.subjects, r.demands = r.subject[:min(subjects, 1)], r.demand[:min(demands, 1)]
	if subjects > 1 {
		r.subjects = make([]subjectReply, subjects)
	}
	if demands > 1 {
		r.demands = make([]demandReply, demands)
	}
	for i := range r.subjects {
		r.subjects[i] = b.subject()
	}
	for i := range r.demands {
		d := demandReply{granted: int(b.uint32()), bound: b.bound(), key: int(b.uint16()) - 1, wait: b.millis()}
		if d.key < 0 || d.key >= subjects {
			return nil, errReply
		}
		r.demands[i] = d
	}
	return r, nil
}

// parseStraight reads the replies of so many operations on one subject each. Those that were not done have no subject.
func parseStraight(raw string, n int) ([]syncReply, error) {
	if len(raw) != straightHead+n*straightReply {
		return nil, errReply
	}
	b := reader(raw)
	now, stepped := b.float(), b.float()
	replies := make([]syncReply, n)
	for i := range replies {
		r := &replies[i]
		r.now, r.stepped = now, stepped
		done := b.byte() == 0
		r.subject[0] = b.subject()
		r.demand[0] = demandReply{granted: int(b.uint32()), bound: b.bound(), wait: b.millis()}
		if done {
			r.subjects, r.demands = r.subject[:], r.demand[:]
		}
	}
	return replies, nil
}

// reader takes numbers off the front of a string whose length was checked.
type reader string

func (r *reader) take(n int) string {
	s := string(*r)[:n]
	*r = (*r)[n:]
	return s
}

func (r *reader) byte() byte            { return r.take(1)[0] }
func (r *reader) uint16() uint16        { return little.Uint16([]byte(r.take(2))) }
func (r *reader) uint32() uint32        { return little.Uint32([]byte(r.take(4))) }
func (r *reader) float() int64          { return int64(math.Float64frombits(little.Uint64([]byte(r.take(8))))) }
func (r *reader) millis() time.Duration { return time.Duration(r.uint32()) * time.Millisecond }

func (r *reader) subject() subjectReply {
	return subjectReply{n: int(r.uint32()), live: int(r.uint32()), gen: r.float(), cum: r.uint32(), stamp: r.float(),
		left: r.millis(), lost: r.byte() == 1, idle: r.millis()}
}

func (r *reader) bound() Bound {
	switch r.byte() {
	case 0:
		return None
	case 1:
		return RPM
	case 2:
		return Concurrency
	}
	return Unavailable
}
