package limits

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// Run learns at every tick what the other replicas did, until ctx ends or tick
// is closed. It is also the way back after Redis was away. clock is the clock
// of Allow and Record.
func (s *BreakerRedis) Run(ctx context.Context, tick <-chan time.Time, clock func() time.Time) {
	for {
		select {
		case <-ctx.Done():
			return
		case _, ok := <-tick:
			if !ok {
				return
			}
			_ = s.Refresh(ctx, clock()) // OnRedis tells
		}
	}
}

// Refresh does what Run does at one tick: one GET, and more only when
// something changed. The error is that of Redis.
func (s *BreakerRedis) Refresh(ctx context.Context, now time.Time) error {
	s.poll.Lock()
	defer s.poll.Unlock()
	meta, err := s.readMeta(ctx)
	s.note(err)
	if err != nil {
		return err
	}
	epoch, version, low := parseBreakerMeta(meta)
	lost := s.epoch != "" && (epoch != s.epoch || version < s.seen)
	if lost {
		if err := s.restore(ctx, now); err != nil {
			return err
		}
	}
	if err := s.settle(ctx, now); err != nil {
		return err
	}
	if !lost && meta != "" && meta == s.meta {
		return nil
	}
	all := lost || low > s.seen
	if all {
		s.seen = 0
	}
	return s.read(ctx, now, all)
}

func (s *BreakerRedis) readMeta(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, roundTrips*s.opts.Timeout)
	defer cancel()
	meta, err := s.c.Get(ctx, s.keys[2]).Result()
	if errors.Is(err, redis.Nil) {
		return "", nil
	}
	return meta, err
}

// restore gives what is open back to a Redis that lost it. Counts below the
// threshold are let go.
func (s *BreakerRedis) restore(ctx context.Context, now time.Time) error {
	for _, e := range s.t.list(func(e *breakerEntry) bool { return e.open && (e.manual || now.Before(e.until)) }) {
		manual := 0
		if e.manual {
			manual = 1
		}
		rest := max(0, e.until.Sub(now)).Milliseconds()
		cmd := s.do(ctx, "put", 0, e.id.String(), e.failures, manual, rest, e.key.Service, e.key.Tool, e.key.Scope)
		if err := cmd.Err(); err != nil {
			return err
		}
		s.t.update(e.id, e.key, false, false, func(e *breakerEntry) { e.debt, e.cleared, e.version = 0, false, 0 })
	}
	s.t.drop(false, false, func(e *breakerEntry) bool { return !e.open && e.debt == 0 && !e.cleared })
	return nil
}

// settle tells Redis what this process counted and reset without it.
func (s *BreakerRedis) settle(ctx context.Context, now time.Time) error {
	if s.t.n.Load() == 0 {
		return nil
	}
	for _, e := range s.t.list(func(e *breakerEntry) bool { return e.debt != 0 || e.cleared }) {
		var cmd *redis.Cmd
		if e.cleared {
			cmd = s.do(ctx, "ok", 0, e.id.String())
		}
		if e.debt != 0 && (cmd == nil || cmd.Err() == nil) {
			cmd = s.fail(ctx, e.id, e.key, e.rules, 0, e.debt)
		}
		r, err := readRemote(cmd)
		if err != nil {
			return err
		}
		told := e
		s.t.update(e.id, e.key, false, false, func(e *breakerEntry) {
			// What was added meanwhile is told at the next tick.
			e.debt = max(0, e.debt-told.debt)
			e.cleared = false
			e.version = 0
		})
		s.apply(e.id, e.key, r, true, now)
	}
	return nil
}

// read applies the changes since s.seen, page by page. With all, what Redis
// does not list is dropped here too.
func (s *BreakerRedis) read(ctx context.Context, now time.Time, all bool) error {
	listed := map[breakerID]bool{}
	for {
		page, err := s.readPage(ctx)
		if err != nil {
			return err
		}
		for _, row := range page.rows {
			if row.healthy {
				s.t.update(row.id, BreakerKey{}, false, true, func(e *breakerEntry) {
					if e.debt == 0 && !e.cleared && page.version >= e.version {
						*e = breakerEntry{id: e.id, key: e.key}
					}
				})
				continue
			}
			listed[row.id] = true
			b := row.stored
			s.apply(row.id, BreakerKey{b.Service, b.Tool, b.Scope}, b.remote(page.nowMS, page.version), true, now)
		}
		s.epoch, _, _ = parseBreakerMeta(page.meta)
		s.meta, s.seen = page.meta, page.last
		if !page.full {
			s.seen = page.version
			break
		}
	}
	if all {
		s.t.drop(false, true, func(e *breakerEntry) bool { return !listed[e.id] && e.debt == 0 && !e.cleared })
	}
	return nil
}

type breakerPage struct {
	meta                 string
	nowMS, version, last int64
	rows                 []breakerRow
	full                 bool // there may be more
}

type breakerRow struct {
	id      breakerID
	healthy bool
	stored  storedBreaker
}

func (s *BreakerRedis) readPage(ctx context.Context) (p breakerPage, err error) {
	v, err := s.do(ctx, "poll", 0, s.seen, pollPage).Slice()
	if err != nil {
		return p, err
	}
	bad := errors.New("breaker: unexpected answer of redis to a poll")
	if len(v) != 5 {
		return p, bad
	}
	var ok [5]bool
	var rows []any
	p.meta, ok[0] = v[0].(string)
	p.nowMS, ok[1] = v[1].(int64)
	p.version, ok[2] = v[2].(int64)
	p.last, ok[3] = v[3].(int64)
	rows, ok[4] = v[4].([]any)
	if ok != [5]bool{true, true, true, true, true} || len(rows)%2 != 0 {
		return p, bad
	}
	for i := 0; i < len(rows); i += 2 {
		name, _ := rows[i].(string)
		row := breakerRow{}
		var isID bool
		if row.id, isID = parseBreakerID(name); !isID {
			continue
		}
		if row.healthy = rows[i+1] == nil; !row.healthy {
			var isState bool
			if row.stored, isState = decodeBreaker(rows[i+1]); !isState {
				continue
			}
		}
		p.rows = append(p.rows, row)
	}
	p.full = len(rows)/2 == pollPage
	return p, nil
}

// parseBreakerMeta reads "<epoch> <version> <low> <keep>"; of anything else
// the epoch is empty.
func parseBreakerMeta(meta string) (epoch string, version, low int64) {
	var keep int
	if n, err := fmt.Sscanf(meta, "%s %d %d %d", &epoch, &version, &low, &keep); n != 4 || err != nil {
		return "", 0, 0
	}
	return epoch, version, low
}
