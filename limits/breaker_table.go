package limits

import (
	"cmp"
	"container/list"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// DefaultBreakerEntries bounds how many failing tools are remembered.
const DefaultBreakerEntries = 4096

// localTicket marks the tickets that this process gave; those of Redis are
// versions and stay below 2^53.
const localTicket = uint64(1) << 62

// breakerEntry is what is known about one failing key. A key without an entry
// is healthy.
type breakerEntry struct {
	id       breakerID
	key      BreakerKey
	failures int
	open     bool
	manual   bool
	until    time.Time // end of the cool-down
	ticket   uint64    // of the probe that runs
	lease    time.Time // until when that probe is waited for
	last     time.Time // last failure

	// What Redis has not been told: failures counted (under which rules), and
	// a reset before them.
	debt    int
	rules   BreakerRules
	cleared bool

	version int64 // of the state in Redis that this agrees with
}

func (e *breakerEntry) phase() BreakerPhase {
	switch {
	case e.open && e.ticket != 0:
		return BreakerProbing
	case e.open:
		return BreakerOpen
	case e.failures > 0:
		return BreakerFailing
	}
	return BreakerClosed
}

// refusal is the decision for a call while e is open and not to be probed.
func (e *breakerEntry) refusal(now time.Time) BreakerDecision {
	d := BreakerDecision{Open: true, Manual: e.manual, Failures: e.failures}
	if !e.manual {
		d.RetryAfter = e.until.Sub(now)
		if d.RetryAfter <= 0 {
			// The cool-down is over and a probe runs: it may end any moment.
			d.RetryAfter = time.Second
		}
	}
	return d
}

// waiting reports whether e, which is open, refuses calls without a probe.
func (e *breakerEntry) waiting(now time.Time) bool {
	return e.manual || now.Before(e.until) || now.Before(e.lease)
}

// fail counts a failure of weight n under the rules.
func (e *breakerEntry) fail(r BreakerRules, ticket uint64, n int, now time.Time) {
	switch {
	case e.open && (ticket == 0 || ticket != e.ticket):
		// A call from before it opened: the cool-down does not start again.
	case e.open:
		e.shut(r, now)
	default:
		if now.Sub(e.last) > r.forget() {
			e.failures = 0
		}
		if e.failures+n >= r.Failures {
			e.shut(r, now)
		}
	}
	e.failures += n
	e.last = now
}

func (e *breakerEntry) shut(r BreakerRules, now time.Time) {
	e.open, e.manual = true, r.Cooldown == 0
	e.until = now.Add(r.Cooldown)
	e.ticket, e.lease = 0, time.Time{}
}

// breakerTable is a bounded map of entries in the order of their last change.
type breakerTable struct {
	n       atomic.Int64 // entries; read without the lock on the healthy path
	tickets atomic.Uint64
	max     int
	notify  func(BreakerEvent)

	mu sync.RWMutex
	m  map[breakerID]*list.Element // of *breakerEntry
	l  *list.List                  // front: changed last
}

func newBreakerTable(entries int, notify func(BreakerEvent)) *breakerTable {
	if entries <= 0 {
		entries = DefaultBreakerEntries
	}
	if notify == nil {
		notify = func(BreakerEvent) {}
	}
	return &breakerTable{max: entries, notify: notify, m: map[breakerID]*list.Element{}, l: list.New()}
}

// peek returns a copy of the entry of id.
func (t *breakerTable) peek(id breakerID) (breakerEntry, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	el, ok := t.m[id]
	if !ok {
		return breakerEntry{}, false
	}
	return *el.Value.(*breakerEntry), true
}

// update changes the entry of id under the lock, with a new one when there is
// none and create is set, and tells of a change of phase. An entry that is
// left without failures, debt and reset is dropped.
func (t *breakerTable) update(id breakerID, key BreakerKey, create, remote bool, change func(e *breakerEntry)) {
	t.mu.Lock()
	el, ok := t.m[id]
	if !ok && !create {
		t.mu.Unlock()
		return
	}
	if !ok {
		t.evict()
		el = t.l.PushFront(&breakerEntry{id: id, key: key})
		t.m[id] = el
		t.n.Add(1)
	}
	e := el.Value.(*breakerEntry)
	before := e.phase()
	change(e)
	after := *e
	t.l.MoveToFront(el)
	if e.failures == 0 && !e.open && e.debt == 0 && !e.cleared {
		t.remove(el)
	}
	t.mu.Unlock()
	t.tell(before, after, remote)
}

func (t *breakerTable) tell(before BreakerPhase, e breakerEntry, remote bool) {
	from, to := quiet(before), quiet(e.phase())
	if from != to {
		t.notify(BreakerEvent{Key: e.key, From: from, To: to, Failures: e.failures, Manual: e.manual, Remote: remote})
	}
}

// quiet folds failing into closed: a count alone is no news.
func quiet(p BreakerPhase) BreakerPhase {
	if p == BreakerFailing {
		return BreakerClosed
	}
	return p
}

// evict makes room for one entry: of the last few the first that is not open,
// else the one that changed longest ago.
func (t *breakerTable) evict() {
	if len(t.m) < t.max {
		return
	}
	victim := t.l.Back()
	for el, tries := victim, 0; el != nil && tries < 8; el, tries = el.Prev(), tries+1 {
		if !el.Value.(*breakerEntry).open {
			victim = el
			break
		}
	}
	t.remove(victim)
}

func (t *breakerTable) remove(el *list.Element) {
	delete(t.m, el.Value.(*breakerEntry).id)
	t.l.Remove(el)
	t.n.Add(-1)
}

// drop clears every entry that match selects. With owe the entries stay as
// resets that Redis has to be told of. It returns how many were failing or open.
func (t *breakerTable) drop(owe, remote bool, match func(e *breakerEntry) bool) int {
	type change struct {
		before BreakerPhase
		after  breakerEntry
	}
	var changes []change
	count := 0
	t.mu.Lock()
	for el := t.l.Front(); el != nil; {
		e, next := el.Value.(*breakerEntry), el.Next()
		if match(e) {
			before := e.phase()
			if before != BreakerClosed {
				count++
			}
			*e = breakerEntry{id: e.id, key: e.key, cleared: owe}
			changes = append(changes, change{before, *e})
			if !owe {
				t.remove(el)
			}
		}
		el = next
	}
	t.mu.Unlock()
	for _, c := range changes {
		t.tell(c.before, c.after, remote)
	}
	return count
}

// list returns copies of the entries that match.
func (t *breakerTable) list(match func(e *breakerEntry) bool) []breakerEntry {
	t.mu.RLock()
	defer t.mu.RUnlock()
	var out []breakerEntry
	for el := t.l.Front(); el != nil; el = el.Next() {
		if e := el.Value.(*breakerEntry); match(e) {
			out = append(out, *e)
		}
	}
	return out
}

func (t *breakerTable) state(limit int) []BreakerState {
	entries := t.list(func(e *breakerEntry) bool { return e.phase() != BreakerClosed })
	slices.SortFunc(entries, func(a, b breakerEntry) int {
		if a.open != b.open {
			if a.open {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(a.key.Service, b.key.Service), cmp.Compare(a.key.Tool, b.key.Tool), cmp.Compare(a.key.Scope, b.key.Scope))
	})
	out := make([]BreakerState, 0, max(0, min(limit, len(entries))))
	for i := range entries {
		if i >= limit {
			break
		}
		e := &entries[i]
		s := BreakerState{Key: e.key, Phase: e.phase(), Failures: e.failures, Manual: e.manual, Last: e.last}
		if e.open && !e.manual {
			s.Until = e.until
		}
		out = append(out, s)
	}
	return out
}

// localProbe grants the probe of id in this process alone, or says why not.
func (t *breakerTable) localProbe(id breakerID, key BreakerKey, r BreakerRules, now time.Time) (d BreakerDecision) {
	t.update(id, key, false, false, func(e *breakerEntry) {
		switch {
		case !e.open:
		case e.waiting(now):
			d = e.refusal(now)
		default:
			d.Ticket = localTicket | t.tickets.Add(1)
			e.ticket, e.lease = d.Ticket, now.Add(r.lease())
		}
	})
	return d
}

// localRecord applies an outcome in this process alone.
func (t *breakerTable) localRecord(id breakerID, key BreakerKey, r BreakerRules, ticket uint64, o BreakerOutcome, owe bool, now time.Time) {
	switch o {
	case BreakerFailure:
		t.update(id, key, true, false, func(e *breakerEntry) {
			e.fail(r, ticket, 1, now)
			if owe {
				e.debt++
				e.rules = r
			}
		})
	case BreakerSuccess:
		t.update(id, key, false, false, func(e *breakerEntry) {
			*e = breakerEntry{id: e.id, key: e.key, cleared: owe}
		})
	case BreakerNeutral:
		if ticket == 0 {
			return
		}
		t.update(id, key, false, false, func(e *breakerEntry) {
			if e.ticket == ticket {
				e.ticket, e.lease = 0, time.Time{}
			}
		})
	}
}
