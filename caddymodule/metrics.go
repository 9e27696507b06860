package caddymodule

import (
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/caddymcp/gateway/normalize"
)

// The collectors live as long as the process and are registered with every
// config's registry, so that counters keep their values over reloads.
var collectors = sync.OnceValue(func() *metrics {
	const ns, sub = "caddy", "mcp_gateway"
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: ns, Subsystem: sub, Name: name, Help: help}, labels)
	}
	return &metrics{
		requests: counter("requests_total", "Requests by JSON-RPC method, era and outcome (ok, failed).", "method", "era", "outcome"),
		refusals: counter("refusals_total", "Requests refused by the gateway, by reason.", "reason"),
		failures: counter("failures_total", "Failures rewritten into an envelope.", "service", "tool", "code", "error_class"),
		disguise: counter("disguised_failures_total", "Successes that state a failure and were passed.", "service", "tool", "code"),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: ns, Subsystem: sub, Name: "request_duration_seconds",
			Help: "Time from the request to the end of its answer.", Buckets: prometheus.DefBuckets}, []string{"method", "era"}),
		policy: policyCollectors(),
		streams: prometheus.NewGauge(prometheus.GaugeOpts{Namespace: ns, Subsystem: sub, Name: "listening_streams",
			Help: "Open streams that only listen."}),
	}
})

type metrics struct {
	requests, refusals, failures, disguise *prometheus.CounterVec
	seconds                                *prometheus.HistogramVec
	streams                                prometheus.Gauge
	tools                                  labels
	policy                                 *policyMetrics
}

func newMetrics(ctx caddy.Context) *metrics {
	m := collectors()
	for _, c := range append(m.policy.collectors(), m.requests, m.refusals, m.failures, m.disguise, m.seconds, m.streams) {
		var already prometheus.AlreadyRegisteredError
		if err := ctx.GetMetricsRegistry().Register(c); err != nil && !errors.As(err, &already) {
			ctx.Logger().Error("registering metrics: " + err.Error())
		}
	}
	return m
}

// methods are the methods that stand in a label; others are "_other".
var methods = map[string]bool{
	"initialize": true, "ping": true, "server/discover": true, "subscriptions/listen": true,
	"tools/list": true, "tools/call": true, "completion/complete": true, "logging/setLevel": true,
	"resources/list": true, "resources/templates/list": true, "resources/read": true,
	"resources/subscribe": true, "resources/unsubscribe": true, "prompts/list": true, "prompts/get": true,
	"tasks/get": true, "tasks/result": true, "tasks/list": true, "tasks/cancel": true, "tasks/update": true,
	"notifications/initialized": true, "notifications/cancelled": true, "notifications/progress": true,
	"notifications/roots/list_changed": true, "batch": true,
}

const other = "_other"

func methodLabel(m string) string {
	switch {
	case m == "":
		return "none"
	case methods[m]:
		return m
	}
	return other
}

// toolLabel is the tool's name when the server has listed it, so that a client
// cannot make labels up.
func (x *exchange) toolLabel(tool string) string {
	switch {
	case tool == "":
		return ""
	case x.schema(tool) != nil && len(tool) <= maxWord:
		return x.h.metrics.tools.label(word(tool))
	}
	return other
}

// labels are the tools that have a label. Series are never dropped, so the
// labels of a server that lists ever new tools must end.
type labels struct {
	mu    sync.Mutex
	names map[string]struct{}
}

// label returns the name, or "_other" when maxKnownTools others were quicker.
func (l *labels) label(name string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.names[name]; ok {
		return name
	}
	if len(l.names) >= maxKnownTools {
		return other
	}
	if l.names == nil {
		l.names = make(map[string]struct{})
	}
	l.names[strings.Clone(name)] = struct{}{}
	return name
}

func (m *metrics) refused(reason string) { m.refusals.WithLabelValues(reason).Inc() }

func (m *metrics) failure(x *exchange, rep *normalize.Report) {
	e, tool := &rep.Envelope, x.toolLabel(rep.Call.Tool)
	service := x.h.serviceLabel(rep.Call)
	if rep.Flagged {
		m.disguise.WithLabelValues(service, tool, string(e.Code)).Inc()
		return
	}
	m.failures.WithLabelValues(service, tool, string(e.Code), string(e.Class)).Inc()
}

// serviceLabel is a name of the configuration: the one in an envelope may be a
// server's own.
func (h *Handler) serviceLabel(c *normalize.Call) string {
	if c.Service != "" {
		return c.Service
	}
	return h.serviceName()
}

// finished is the one place where an exchange ends: what was taken is given
// back, and the end is taken down.
func (x *exchange) finished() {
	x.settleLimits()
	x.settlePolicy()
	method, era, outcome := methodLabel(x.method()), x.era(), "ok"
	if x.failed {
		outcome = "failed"
	}
	x.h.metrics.requests.WithLabelValues(method, era, outcome).Inc()
	x.h.metrics.seconds.WithLabelValues(method, era).Observe(time.Since(x.start).Seconds())
}
