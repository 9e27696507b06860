package caddymodule

import (
	"fmt"
	"time"

	"github.com/caddyserver/caddy/v2"
	"go.uber.org/zap"

	"github.com/caddymcp/gateway/limits"
	"github.com/caddymcp/gateway/policy"
)

// The stores outlive a config, and so their log lines go to the default logger
// of whichever config runs.
func storeLog() *zap.Logger { return caddy.Log().Named("mcp_gateway.limits") }

// redisFallback is told when a node of Redis is given up, and when it is back or
// its store is closed.
func redisFallback(node string, away bool, d time.Duration, err error) {
	m := storeCollectors()
	if away {
		m.away.Inc()
		storeLog().Warn("redis is away: limits go on without it", zap.String("node", node), zap.Error(err))
		return
	}
	m.away.Dec()
	m.fallback.Add(d.Seconds())
	if err != nil { // nobody asks any more
		return
	}
	storeLog().Info("redis is back", zap.String("node", node), zap.Duration("away", d))
}

// breakerChanged is told when a breaker opens, probes or closes.
func breakerChanged(e limits.BreakerEvent) {
	breakerNoted(e)
	storeLog().Info("breaker changed", zap.String("service", e.Key.Service), zap.String("tool", word(e.Key.Tool)),
		zap.String("from", string(e.From)), zap.String("to", string(e.To)), zap.Int("failures", e.Failures),
		zap.Bool("manual", e.Manual), zap.Bool("remote", e.Remote))
}

// switchChanged is told when another replica switched something off or on.
func switchChanged(s policy.Switch, off bool) {
	storeLog().Info("switched by another replica", zap.String("service", s.Service), zap.String("tool", word(s.Tool)), zap.Bool("off", off))
}

// redisLog is the log of the Redis client library.
func redisLog(format string, args ...any) { storeLog().Debug(fmt.Sprintf(format, args...)) }
