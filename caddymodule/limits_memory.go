package caddymodule

import (
	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

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

// UnmarshalCaddyfile reads
//
//	memory {
//		headers on | off
//	}
func (m *MemoryLimits) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next() // the name of the module
	if d.NextArg() {
		return d.ArgErr()
	}
	seen := make(map[string]bool)
	for nesting := d.Nesting(); d.NextBlock(nesting); {
		option := d.Val()
		if seen[option] {
			return d.Errf("duplicate option '%s'", option)
		}
		seen[option] = true
		var err error
		switch option {
		case "headers":
			m.Headers, err = onOff(d)
		default:
			err = d.Errf("unrecognized option '%s' of limits memory", option)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// onOff reads one argument that is on or off.
func onOff(d *caddyfile.Dispenser) (bool, error) {
	s, err := word1(d)
	if err != nil {
		return false, err
	}
	if s != "on" && s != "off" {
		return false, d.Errf("invalid value '%s': must be on or off", s)
	}
	return s == "on", nil
}

// word1 reads one argument.
func word1(d *caddyfile.Dispenser) (string, error) {
	var s string
	if !d.AllArgs(&s) || s == "" {
		return "", d.ArgErr()
	}
	return s, nil
}

// Interface guards
var (
	_ LimitsModule          = (*MemoryLimits)(nil)
	_ caddyfile.Unmarshaler = (*MemoryLimits)(nil)
)
