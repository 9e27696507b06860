package caddymodule

import (
	"fmt"
	"sync/atomic"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"

	"github.com/caddymcp/gateway/limits"
	"github.com/caddymcp/gateway/policy"
)

// LimitsModule is what a module of the namespace http.mcp_gateway.limits does:
// it opens the stores in which calls are counted.
type LimitsModule interface {
	// PoolKey names the stores that Open would open. Handlers with the same key
	// share them, in all sites and over reloads. It holds no secret in clear.
	PoolKey() string

	// Open opens the stores. They live longer than the config that opened
	// them, so nothing of a config may be kept in them.
	Open() (*Stores, error)

	// SendHeaders says that answers carry RateLimit headers.
	SendHeaders() bool

	// CutOnLostLease says that a call is ended when its slot is lost.
	CutOnLostLease() bool
}

// Stores are where calls, breakers and switches are kept.
type Stores struct {
	Limiter  limits.Limiter
	Breakers limits.BreakerStore
	Switches policy.Switches

	// Close ends what Open began. It may be nil.
	Close func() error
}

// backend is the stores with the references to them: one of the pool, which
// stands for all handlers, and one for every request under way. Handlers are
// cleaned up while their requests still run.
type backend struct {
	limiter  limits.Limiter
	breakers limits.BreakerStore
	switches policy.Switches

	name  string // of the module
	close func() error
	refs  atomic.Int64
}

var backends = caddy.NewUsagePool()

// openBackend returns the stores of a module, and counts a reference in the
// pool that closeBackend gives back.
func openBackend(m LimitsModule) (*backend, error) {
	v, _, err := backends.LoadOrNew(m.PoolKey(), func() (caddy.Destructor, error) {
		s, err := m.Open()
		if err != nil {
			return nil, err
		}
		b := &backend{limiter: s.Limiter, breakers: s.Breakers, switches: s.Switches, close: s.Close}
		if m, ok := m.(caddy.Module); ok {
			b.name = m.CaddyModule().ID.Name()
		}
		b.refs.Store(1)
		return b, nil
	})
	if err != nil {
		return nil, err
	}
	return v.(*backend), nil
}

func closeBackend(m LimitsModule) error {
	_, err := backends.Delete(m.PoolKey())
	return err
}

// Destruct implements caddy.Destructor: the last handler has gone. Requests may
// still be under way.
func (b *backend) Destruct() error { return b.leave() }

// enter counts a request. It is false when the stores are closed.
func (b *backend) enter() bool {
	for {
		n := b.refs.Load()
		if n == 0 {
			return false
		}
		if b.refs.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// leave takes back what enter counted; the last one closes.
func (b *backend) leave() error {
	if b.refs.Add(-1) > 0 || b.close == nil {
		return nil
	}
	return b.close()
}

// backend returns the stores of the handler. It is valid after Provision.
func (h *Handler) backend() *backend { return h.stores }

// provisionBackend loads the module of the limits, memory by default, and opens
// its stores.
func (h *Handler) provisionBackend(ctx caddy.Context) error {
	if h.LimitsRaw == nil {
		h.LimitsRaw = caddyconfig.JSONModuleObject(new(MemoryLimits), "backend", "memory", nil)
	}
	mod, err := ctx.LoadModule(h, "LimitsRaw")
	if err != nil {
		return fmt.Errorf("loading the limits module: %w", err)
	}
	m, ok := mod.(LimitsModule)
	if !ok {
		return fmt.Errorf("module %T is not one for limits", mod)
	}
	if h.stores, err = openBackend(m); err != nil {
		return fmt.Errorf("limits: %w", err)
	}
	h.store = m
	return nil
}

// Cleanup gives back what Provision took.
func (h *Handler) Cleanup() error {
	h.unenroll()
	if h.store == nil {
		return nil
	}
	return closeBackend(h.store)
}

var _ caddy.CleanerUpper = (*Handler)(nil)
