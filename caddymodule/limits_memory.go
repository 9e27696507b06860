package caddymodule

import (
	"github.com/caddyserver/caddy/v2"

	"github.com/caddymcp/gateway/limits"
	"github.com/caddymcp/gateway/policy"
)

func init() { caddy.RegisterModule(&MemoryLimits{}) }

// MemoryLimits counts calls in the memory of this process. Nothing has to be
// set up; counts survive reloads of the config, not restarts, and every replica
// counts for itself. All sites of a Caddy share one store: counts are told
// apart by the name of the service and of the limit.
//
// This is the default.
type MemoryLimits struct {
	// Whether answers of limited calls carry `RateLimit-Policy` and
	// `RateLimit` (IETF draft-ietf-httpapi-ratelimit-headers-11).
	Headers bool `json:"headers,omitempty"`
}

// CaddyModule returns the Caddy module information.
func (*MemoryLimits) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "http.mcp_gateway.limits.memory",
		New: func() caddy.Module { return new(MemoryLimits) },
	}
}

// PoolKey implements LimitsModule.
func (*MemoryLimits) PoolKey() string { return "memory" }

// Open implements LimitsModule.
func (*MemoryLimits) Open() (*Stores, error) {
	l := limits.NewMemory(limits.MemoryOptions{Observer: limitsObserver()})
	return &Stores{
		Limiter: l, Breakers: limits.NewBreakerMemory(0, breakerChanged), Switches: new(policy.MemorySwitches), Close: l.Close,
	}, nil
}

// SendHeaders implements LimitsModule.
func (m *MemoryLimits) SendHeaders() bool { return m.Headers }

// CutOnLostLease implements LimitsModule: slots in memory are never lost.
func (*MemoryLimits) CutOnLostLease() bool { return false }

var _ LimitsModule = (*MemoryLimits)(nil)
