package caddymodule

import (
	"errors"
	"sync"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"github.com/caddymcp/gateway/limits"
)

// storeMetrics are the collectors of the limits. They live as long as the
// process, like the others.
type storeMetrics struct {
	decisions                                     *prometheus.CounterVec
	redisSeconds                                  prometheus.Histogram
	redisErrors, scripts, decided, fallback       prometheus.Counter
	overload, stateLost, leaseLost, evicted, skew prometheus.Counter
	secret                                        prometheus.Counter
	away                                          prometheus.Gauge
}

var storeCollectors = sync.OnceValue(func() *storeMetrics {
	const ns, sub = "caddy", "mcp_gateway"
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Namespace: ns, Subsystem: sub, Name: name, Help: help})
	}
	return &storeMetrics{
		decisions: prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: ns, Subsystem: sub, Name: "limit_decisions_total",
			Help: "Decisions of limits by result: allowed, rpm, concurrency, unavailable, shadow (would have refused)."}, []string{"service", "limit", "result"}),
		redisSeconds: prometheus.NewHistogram(prometheus.HistogramOpts{Namespace: ns, Subsystem: sub, Name: "limit_redis_duration_seconds",
			Help:    "Time of one round trip to Redis.",
			Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25}}),
		redisErrors: counter("limit_redis_failures_total", "Round trips to Redis that failed."),
		scripts:     counter("limit_redis_scripts_total", "Scripts that Redis ran."),
		decided:     counter("limit_redis_decisions_total", "Decisions that these scripts made: calls that wait for the same key share one."),
		fallback:    counter("limit_redis_away_seconds_total", "Time for which Redis nodes were away, counted when they are back."),
		overload:    counter("limit_redis_overload_total", "Decisions without Redis because too many waited for a connection."),
		stateLost:   counter("limit_redis_state_lost_total", "Counts that Redis had lost and that were brought back."),
		leaseLost:   counter("limit_leases_lost_total", "Slots that could not be renewed in time."),
		evicted:     counter("limit_evictions_total", "Counts dropped for others because there were too many keys."),
		skew:        counter("limit_redis_clock_steps_total", "Steps of the clock of a Redis node against that of this process."),
		secret:      counter("limit_secret_changes_total", "Times that the secret agreed on in Redis replaced the one in use."),
		away:        prometheus.NewGauge(prometheus.GaugeOpts{Namespace: ns, Subsystem: sub, Name: "limit_redis_away", Help: "Redis nodes that are away now."}),
	}
})

// storeGauges shows the sums over the stores that are open.
type storeGauges struct{ held, keys *prometheus.Desc }

var gauges = storeGauges{
	held: prometheus.NewDesc("caddy_mcp_gateway_limit_leases_held", "Slots that this process holds.", []string{"limits"}, nil),
	keys: prometheus.NewDesc("caddy_mcp_gateway_limit_keys", "Callers that are counted in this process.", []string{"limits"}, nil),
}

// Describe implements prometheus.Collector.
func (g storeGauges) Describe(ch chan<- *prometheus.Desc) { ch <- g.held; ch <- g.keys }

// Collect implements prometheus.Collector.
func (g storeGauges) Collect(ch chan<- prometheus.Metric) {
	held, keys := make(map[string]int), make(map[string]int)
	for _, b := range pooled() {
		s := b.limiter.Stats()
		held[b.name] += s.Held
		keys[b.name] += s.Keys
	}
	for name := range keys {
		ch <- prometheus.MustNewConstMetric(g.held, prometheus.GaugeValue, float64(held[name]), name)
		ch <- prometheus.MustNewConstMetric(g.keys, prometheus.GaugeValue, float64(keys[name]), name)
	}
}

func registerStoreMetrics(ctx caddy.Context) {
	m := storeCollectors()
	for _, c := range []prometheus.Collector{
		m.decisions, m.redisSeconds, m.redisErrors, m.scripts, m.decided, m.fallback, m.overload, m.stateLost,
		m.leaseLost, m.evicted, m.skew, m.secret, m.away, gauges,
	} {
		var already prometheus.AlreadyRegisteredError
		if err := ctx.GetMetricsRegistry().Register(c); err != nil && !errors.As(err, &already) {
			ctx.Logger().Error("registering metrics: " + err.Error())
		}
	}
}

// limitMetrics are the counters of one limit.
type limitMetrics struct {
	allowed, rpm, concurrency, unavailable, shadow prometheus.Counter
}

func (*metrics) limit(service, name string) *limitMetrics {
	v := storeCollectors().decisions
	of := func(result string) prometheus.Counter { return v.WithLabelValues(service, name, result) }
	return &limitMetrics{of("allowed"), of("rpm"), of("concurrency"), of("unavailable"), of("shadow")}
}

func (m *limitMetrics) refused(b limits.Bound) {
	switch b {
	case limits.RPM:
		m.rpm.Inc()
	case limits.Concurrency:
		m.concurrency.Inc()
	case limits.Unavailable:
		m.unavailable.Inc()
	}
}

// limitMetrics returns the counters of a limit of the handler.
func (h *Handler) limitMetrics(name string) *limitMetrics {
	for _, l := range h.Limits {
		if l.Name == name {
			return l.metrics
		}
	}
	return h.streams
}

// limitsObserver feeds metrics and logs from inside a store.
func limitsObserver() *limits.Observer {
	m := storeCollectors()
	return &limits.Observer{
		Redis: func(_ string, took time.Duration, scripts, decisions int, err error) {
			m.redisSeconds.Observe(took.Seconds())
			m.scripts.Add(float64(scripts))
			m.decided.Add(float64(decisions))
			if err != nil {
				m.redisErrors.Inc()
			}
		},
		Fallback:  redisFallback,
		Overload:  func(string) { m.overload.Inc() },
		StateLost: func(string) { m.stateLost.Inc() },
		ClockStep: func(string, time.Duration) { m.skew.Inc() },
		LeaseLost: func(slots int) {
			m.leaseLost.Add(float64(slots))
			storeLog().Warn("slots could not be renewed in time: others may take them", zap.Int("slots", slots))
		},
		Evicted: m.evicted.Inc,
		SecretChanged: func() {
			m.secret.Inc()
			storeLog().Warn("the secret in redis is another one: counts start anew")
		},
	}
}
