package caddymodule

import "net/http"

type limitState struct {
	Limit   string     `json:"limit"`
	Key     string     `json:"key"`
	Current limitCount `json:"current"`
	Limits  limitMost  `json:"limits"`
	Held    int        `json:"held"`
	Idle    float64    `json:"idle_seconds"`
}

type limitCount struct {
	Concurrency int `json:"concurrency"`
	RPM         int `json:"rpm"`
}

type limitMost struct {
	MaxConcurrency int `json:"maxConcurrency"`
	MaxRPM         int `json:"maxRpm"`
}

// adminLimits answers GET /mcp-gateway/limits: the counts of at most ?max=
// callers of each store, the busiest first. Callers are shown by their keyed
// hash.
func adminLimits(w http.ResponseWriter, r *http.Request) error {
	most, err := adminMax(r)
	if err != nil {
		return err
	}
	type store struct {
		Limits string       `json:"limits"`
		Keys   int          `json:"keys"`
		Held   int          `json:"held"`
		Counts []limitState `json:"counts"`
	}
	answer := struct {
		Stores []store `json:"stores"`
	}{[]store{}}
	for _, b := range pooled() {
		stats := b.limiter.Stats()
		s := store{b.name, stats.Keys, stats.Held, []limitState{}}
		for _, k := range b.limiter.State(most) {
			s.Counts = append(s.Counts, limitState{
				Limit: k.Tier, Key: k.Key, Held: k.Held, Idle: float64(k.Age.Milliseconds()) / 1000,
				Current: limitCount{k.Current.Concurrency, k.Current.RPM},
				Limits:  limitMost{k.Limits.Concurrency, k.Limits.RPM},
			})
		}
		answer.Stores = append(answer.Stores, s)
	}
	return adminJSON(w, answer)
}
