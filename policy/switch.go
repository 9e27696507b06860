package policy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/caddymcp/gateway/normalize/sanitize"
)

const (
	// MaxSwitches bounds what is switched off at run time.
	MaxSwitches = 1024

	maxSwitchName = 128
)

// Switch is a service, or one tool of it, that is switched off at run time.
type Switch struct {
	// Service is the name from the configuration.
	Service string

	// Tool is empty when the whole service is off.
	Tool string

	// Text is the operator's reason, shown to callers; empty: the fixed text.
	Text string

	// Since is when it was switched off.
	Since time.Time
}

func (s Switch) key() switchKey { return switchKey{s.Service, s.Tool} }

// Validate returns what is wrong with the switch, or nil.
func (s Switch) Validate() error {
	if s.Service == "" {
		return errors.New("switch: the service is missing")
	}
	for _, n := range []string{s.Service, s.Tool} {
		if len(n) > maxSwitchName || !utf8.ValidString(n) {
			return fmt.Errorf("switch: a name must be valid UTF-8 of at most %d bytes", maxSwitchName)
		}
	}
	if s.Text == "" {
		return nil
	}
	if _, err := sanitize.Operator(s.Text); err != nil {
		return fmt.Errorf("switch: %w", err)
	}
	return nil
}

// Switches turns services and tools off and on at run time. Safe for
// concurrent use.
type Switches interface {
	// Off reports whether a call to the tool is switched off, and with which
	// text (zero: the fixed one). It costs no round trip and does not fail.
	Off(service, tool string) (text sanitize.Safe, off bool)

	// Disable switches off; an error that is ErrNotShared has taken effect in
	// this process all the same.
	Disable(ctx context.Context, s Switch) error

	// Enable switches on again and reports whether it was off here.
	Enable(ctx context.Context, service, tool string) (bool, error)

	// List returns what is off, by service and tool.
	List() []Switch
}

// ErrNotShared says that a change has been made in this process, and that the
// others learn of it when Redis is back.
var ErrNotShared = errors.New("switched in this process only: redis is away, the others follow when it is back")

type switchKey struct{ service, tool string }

type switchEntry struct {
	Switch
	safe sanitize.Safe
}

// switchTable is what both stores read from: a map that is replaced, never
// changed.
type switchTable struct {
	mu  sync.Mutex
	cur atomic.Pointer[map[switchKey]switchEntry]
}

// Off implements Switches.
func (t *switchTable) Off(service, tool string) (sanitize.Safe, bool) {
	m := t.cur.Load()
	if m == nil || len(*m) == 0 {
		return sanitize.Safe{}, false
	}
	if e, ok := (*m)[switchKey{service, ""}]; ok {
		return e.safe, true
	}
	e, ok := (*m)[switchKey{service, tool}]
	return e.safe, ok
}

// List implements Switches.
func (t *switchTable) List() []Switch {
	m := t.cur.Load()
	if m == nil {
		return nil
	}
	out := make([]Switch, 0, len(*m))
	for _, e := range *m {
		out = append(out, e.Switch)
	}
	slices.SortFunc(out, func(a, b Switch) int {
		return cmp.Or(cmp.Compare(a.Service, b.Service), cmp.Compare(a.Tool, b.Tool))
	})
	return out
}

// set makes s off. The caller holds mu.
func (t *switchTable) set(s Switch) error {
	m := t.copy()
	if _, is := m[s.key()]; !is && len(m) >= MaxSwitches {
		return fmt.Errorf("switch: %d switches are off already, which is the most", MaxSwitches)
	}
	m[s.key()] = switchEntry{s, safeText(s.Text)}
	t.cur.Store(&m)
	return nil
}

// clear makes k on and reports whether it was off. The caller holds mu.
func (t *switchTable) clear(k switchKey) bool {
	m := t.copy()
	_, was := m[k]
	delete(m, k)
	t.cur.Store(&m)
	return was
}

func (t *switchTable) copy() map[switchKey]switchEntry {
	if m := t.cur.Load(); m != nil {
		return maps.Clone(*m)
	}
	return map[switchKey]switchEntry{}
}

// safeText is zero for a text that may not be shown: then the fixed text is.
func safeText(text string) sanitize.Safe {
	if text == "" {
		return sanitize.Safe{}
	}
	safe, err := sanitize.Operator(text)
	if err != nil {
		return sanitize.Safe{}
	}
	return safe
}

// MemorySwitches keeps switches in this process. The zero value is ready.
type MemorySwitches struct{ switchTable }

// Disable implements Switches.
func (m *MemorySwitches) Disable(_ context.Context, s Switch) error {
	if err := s.Validate(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.set(s)
}

// Enable implements Switches.
func (m *MemorySwitches) Enable(_ context.Context, service, tool string) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.clear(switchKey{service, tool}), nil
}
