package policy

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

// SwitchPoll is how often RedisSwitches.Run should tick: what one replica
// switches, the others have switched after at most one tick and a round trip.
const SwitchPoll = 500 * time.Millisecond

// switchEpoch is the field that says that the hash was not lost. No switch has
// this name: those are JSON arrays.
const switchEpoch = "epoch"

// SwitchRedisOptions configures NewRedisSwitches. Client is required.
type SwitchRedisOptions struct {
	Client redis.UniversalClient

	// Prefix of the one key. Default "mg:".
	Prefix string

	// Timeout of one operation. Default 500 ms.
	Timeout time.Duration

	// OnChange, which may be nil, is told of what other replicas switched.
	OnChange func(s Switch, off bool)
}

// RedisSwitches keeps switches in one Redis hash, so that replicas agree and
// restarts remember, and a copy in this process, from which calls are answered.
// Run must run. Without Redis the copy stays as it is, and can be changed for
// this process; the others follow when Redis is back. Of two replicas that
// switch the same thing at the same time, the later one wins.
type RedisSwitches struct {
	switchTable
	o    SwitchRedisOptions
	key  string
	owed map[switchKey]bool // changed without Redis; guarded by mu
	seen string             // epoch; guarded by mu
}

// NewRedisSwitches returns a store; it does not connect.
func NewRedisSwitches(o SwitchRedisOptions) *RedisSwitches {
	if o.Prefix == "" {
		o.Prefix = "mg:"
	}
	if o.Timeout <= 0 {
		o.Timeout = 500 * time.Millisecond
	}
	if o.OnChange == nil {
		o.OnChange = func(Switch, bool) {}
	}
	return &RedisSwitches{o: o, key: o.Prefix + "{switch}:off", owed: map[switchKey]bool{}}
}

// Disable implements Switches.
func (r *RedisSwitches) Disable(ctx context.Context, s Switch) error {
	if err := s.Validate(); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.set(s); err != nil {
		return err
	}
	return r.share(ctx, s.key())
}

// Enable implements Switches.
func (r *RedisSwitches) Enable(ctx context.Context, service, tool string) (bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	k := switchKey{service, tool}
	return r.clear(k), r.share(ctx, k)
}

// share tells Redis how k stands here. The caller holds mu.
func (r *RedisSwitches) share(ctx context.Context, k switchKey) error {
	r.owed[k] = true
	if err := r.settle(ctx); err != nil {
		return fmt.Errorf("%w (%w)", ErrNotShared, err)
	}
	return nil
}

// settle tells Redis everything it has not been told. The caller holds mu.
func (r *RedisSwitches) settle(ctx context.Context) error {
	if len(r.owed) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.o.Timeout)
	defer cancel()
	m := r.copy()
	_, err := r.o.Client.TxPipelined(ctx, func(p redis.Pipeliner) error {
		for k := range r.owed {
			field := k.field()
			e, off := m[k]
			if !off {
				p.HDel(ctx, r.key, field)
				continue
			}
			p.HSet(ctx, r.key, field, e.value())
			p.HSetNX(ctx, r.key, switchEpoch, strconv.FormatInt(e.Since.UnixNano(), 10))
		}
		return nil
	})
	if err == nil {
		clear(r.owed)
	}
	return err
}

// Run learns at every tick what the other replicas switched, until ctx ends or
// tick is closed.
func (r *RedisSwitches) Run(ctx context.Context, tick <-chan time.Time) {
	for {
		select {
		case <-ctx.Done():
			return
		case _, ok := <-tick:
			if !ok {
				return
			}
			_ = r.Refresh(ctx) // the copy stays; the next tick tries again
		}
	}
}

// Refresh does what Run does at one tick. Before the first one succeeded
// nothing is off. A Redis that lost the switches gets them back.
func (r *RedisSwitches) Refresh(ctx context.Context) error {
	changes, err := r.refresh(ctx)
	for _, c := range changes {
		r.o.OnChange(c.s, c.off)
	}
	return err
}

type switchChange struct {
	s   Switch
	off bool
}

func (r *RedisSwitches) refresh(ctx context.Context) ([]switchChange, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	fields, err := r.read(ctx)
	if err != nil {
		return nil, err
	}
	if r.seen != "" && fields[switchEpoch] == "" {
		for k := range r.copy() {
			r.owed[k] = true
		}
	}
	if len(r.owed) > 0 {
		if err := r.settle(ctx); err != nil {
			return nil, err
		}
		if fields, err = r.read(ctx); err != nil {
			return nil, err
		}
	}
	r.seen = fields[switchEpoch]
	return r.replace(fields), nil
}

func (r *RedisSwitches) read(ctx context.Context) (map[string]string, error) {
	ctx, cancel := context.WithTimeout(ctx, r.o.Timeout)
	defer cancel()
	return r.o.Client.HGetAll(ctx, r.key).Result()
}

// replace makes the copy what Redis has and returns the differences. What
// cannot be read is left out, and so is what is beyond the bound.
func (r *RedisSwitches) replace(fields map[string]string) (changes []switchChange) {
	old := r.copy()
	next := map[switchKey]switchEntry{}
	same := true
	for field, value := range fields {
		s, ok := parseSwitch(field, value)
		if !ok || len(next) >= MaxSwitches {
			continue
		}
		e := switchEntry{s, safeText(s.Text)}
		if o, was := old[s.key()]; !was {
			changes = append(changes, switchChange{s, true})
		} else if o.Text != s.Text || !o.Since.Equal(s.Since) {
			same = false
		}
		next[s.key()] = e
	}
	for k, e := range old {
		if _, still := next[k]; !still {
			changes = append(changes, switchChange{e.Switch, false})
		}
	}
	if !same || len(changes) > 0 {
		r.cur.Store(&next)
	}
	return changes
}

// field is the name under which a switch stands in the hash: a JSON array of
// service and tool.
func (k switchKey) field() string {
	b, _ := json.Marshal([2]string{k.service, k.tool}) // strings cannot fail
	return string(b)
}

type switchValue struct {
	Text  string    `json:"text,omitempty"`
	Since time.Time `json:"since"`
}

func (e switchEntry) value() string {
	b, err := json.Marshal(switchValue{e.Text, e.Since})
	if err != nil { // a year beyond 9999
		b = []byte("{}")
	}
	return string(b)
}

func parseSwitch(field, value string) (Switch, bool) {
	var names [2]string
	var v switchValue
	if field == switchEpoch || json.Unmarshal([]byte(field), &names) != nil || json.Unmarshal([]byte(value), &v) != nil {
		return Switch{}, false
	}
	s := Switch{Service: names[0], Tool: names[1], Text: v.Text, Since: v.Since}
	if s.Service == "" || len(s.Service) > maxSwitchName || len(s.Tool) > maxSwitchName {
		return Switch{}, false
	}
	return s, true
}
