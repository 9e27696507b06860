package caddymodule

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/caddymcp/gateway/limits"
	"github.com/caddymcp/gateway/policy"
)

// policyMetrics are the collectors of policy and breaker.
type policyMetrics struct {
	refusals, unknownSchemas, fetches, breakerChanges *prometheus.CounterVec
	breakers                                          *prometheus.GaugeVec
}

var policyCollectors = sync.OnceValue(func() *policyMetrics {
	const ns, sub = "caddy", "mcp_gateway"
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: ns, Subsystem: sub, Name: name, Help: help}, labels)
	}
	return &policyMetrics{
		refusals: counter("policy_refusals_total", "Calls and results refused by the policy, by cause; of ssrf by reason too.", "cause", "reason"),
		unknownSchemas: counter("unknown_schemas_total", "Calls that passed unchecked because the schema of the tool is not known.",
			"service"),
		fetches:        counter("schema_fetches_total", "Lists of tools that the gateway asked for itself, by outcome (ok, failed).", "outcome"),
		breakerChanges: counter("breaker_changes_total", "Changes of breakers, by the state that they changed to.", "service", "to"),
		breakers: prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: ns, Subsystem: sub, Name: "breakers",
			Help: "Breakers that are not closed, by state (open, probing), as this process knows them."}, []string{"service", "state"}),
	}
})

func (m *policyMetrics) collectors() []prometheus.Collector {
	return []prometheus.Collector{m.refusals, m.unknownSchemas, m.fetches, m.breakerChanges, m.breakers}
}

func (m *metrics) policyRefused(r *policy.Refusal) {
	m.policy.refusals.WithLabelValues(string(r.Cause), string(r.Finding.Reason)).Inc()
}

// breakerChanged takes down one change of a breaker.
func (m *policyMetrics) breakerChanged(e *limits.BreakerEvent) {
	service := e.Key.Service
	m.breakerChanges.WithLabelValues(service, string(e.To)).Inc()
	if e.From == limits.BreakerOpen || e.From == limits.BreakerProbing {
		m.breakers.WithLabelValues(service, string(e.From)).Dec()
	}
	if e.To == limits.BreakerOpen || e.To == limits.BreakerProbing {
		m.breakers.WithLabelValues(service, string(e.To)).Inc()
	}
}
