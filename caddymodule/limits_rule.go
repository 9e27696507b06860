package caddymodule

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/caddyserver/caddy/v2"

	"github.com/caddymcp/gateway/limits"
)

// Limit holds callers to requests per minute, to calls at the same time, or to
// both. It applies to every call that counts, or to those of some tools; all
// limits that apply to a call must admit it, else it takes from none.
type Limit struct {
	// The name of the limit, in metrics, logs and headers. Limits of one
	// service with the same name count together, in every site and replica that
	// shares the store. Default: `default`.
	Name string `json:"name,omitempty"`

	// Who is counted: the first of these texts all of whose placeholders have a
	// value. A text without a placeholder is one count for everybody. When none
	// has a value, it is the client's IP address: callers who cannot be told
	// apart never share a count by accident.
	// Default: the caller.
	Key []string `json:"key,omitempty"`

	// The most requests in any 60 seconds: a number, or a placeholder that
	// gives one for the request. Default: no limit.
	RPM string `json:"rpm,omitempty"`

	// The most calls at the same time: a number, or a placeholder that gives
	// one for the request. A call lasts until its answer was passed on.
	// Default: no limit.
	//
	// A placeholder without a positive whole number as its value lifts the
	// limit for that request; the first time a warning says so.
	Concurrency string `json:"concurrency,omitempty"`

	// Patterns on the names of the tools that the limit applies to.
	// Default: every call that counts.
	Tools []string `json:"tools,omitempty"`

	// How many requests a call counts as. The first that matches the tool
	// decides. Default: 1.
	Costs []*LimitCost `json:"cost,omitempty"`

	// Count and report, but refuse nothing.
	Shadow bool `json:"shadow,omitempty"`

	keys             []callerKey
	rpm, concurrency amount
	patterns         []pattern
	scope            string
	metrics          *limitMetrics
}

// LimitCost is what calls of some tools count as.
type LimitCost struct {
	// Pattern on the tool's name.
	Match string `json:"match"`

	// Requests per call. 0 counts against concurrency only.
	Units int `json:"units"`

	pattern pattern
}

// The names that stand for limits that have none.
const (
	defaultLimit = "default"
	streamLimit  = "max_streams"
)

const maxUnits = 1 << 20

var limitName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`)

func (l *Limit) provision(repl *caddy.Replacer, service string, m *metrics) (err error) {
	if l.Name == "" {
		l.Name = defaultLimit
	}
	if !limitName.MatchString(l.Name) || l.Name == streamLimit {
		return fmt.Errorf("the name %q is not one of at most 64 letters, digits, '_', '.' and '-', or is taken", l.Name)
	}
	l.scope = l.Name + "|" + service
	if l.keys, err = parseKeys(repl, l.Key); err != nil {
		return fmt.Errorf("key: %w", err)
	}
	if l.rpm, err = parseAmount(repl, l.RPM); err != nil {
		return fmt.Errorf("rpm: %w", err)
	}
	if l.concurrency, err = parseAmount(repl, l.Concurrency); err != nil {
		return fmt.Errorf("concurrency: %w", err)
	}
	if !l.rpm.set() && !l.concurrency.set() {
		return errors.New("neither rpm nor concurrency is set")
	}
	if l.patterns, err = parsePatterns(l.Tools); err != nil {
		return fmt.Errorf("tools: %w", err)
	}
	for _, c := range l.Costs {
		p, err := parsePatterns([]string{c.Match})
		if err != nil {
			return fmt.Errorf("cost: %w", err)
		}
		c.pattern = p[0]
		if c.Units < 0 || c.Units > maxUnits {
			return fmt.Errorf("cost of %s is %d, must be from 0 to %d", c.Match, c.Units, maxUnits)
		}
		if l.rpm.fixed > 0 && c.Units > l.rpm.fixed {
			return fmt.Errorf("cost of %s is %d, more than the %d of rpm: no such call could ever pass", c.Match, c.Units, l.rpm.fixed)
		}
	}
	l.metrics = m.limit(service, l.Name)
	return nil
}

// applies reports whether a call that counts is under this limit.
func (l *Limit) applies(p *pending) bool {
	if len(l.patterns) == 0 {
		return true
	}
	return p.IsToolCall() && slices.ContainsFunc(l.patterns, func(t pattern) bool { return t.Match(p.Tool) })
}

// cost is the number of requests that a call counts as.
func (l *Limit) cost(p *pending) int {
	if p.IsToolCall() {
		for _, c := range l.Costs {
			if c.pattern.Match(p.Tool) {
				return c.Units
			}
		}
	}
	return 1
}

// amount is a number of the configuration, or a placeholder for one.
type amount struct {
	fixed  int
	text   string // with a placeholder
	warned *atomic.Bool
}

func (a *amount) set() bool { return a.fixed > 0 || a.text != "" }

// parseAmount reads a number. What {env.NAME} and the like stand for is known
// now, and has to be one.
func parseAmount(repl *caddy.Replacer, s string) (amount, error) {
	if s == "" {
		return amount{}, nil
	}
	text := repl.ReplaceKnown(s, "")
	if open := strings.IndexByte(text, '{'); open >= 0 && strings.IndexByte(text[open:], '}') > 0 {
		return amount{text: text, warned: new(atomic.Bool)}, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxUnits {
		return amount{}, fmt.Errorf("%q is not a number from 1 to %d, nor a placeholder", s, maxUnits)
	}
	return amount{fixed: n}, nil
}

// of returns the number for a request; 0 is no limit. first is true when the
// placeholder gave no number for the first time.
func (a *amount) of(repl *caddy.Replacer) (n int, first bool) {
	if a.text == "" {
		return a.fixed, false
	}
	n, err := strconv.Atoi(strings.TrimSpace(repl.ReplaceAll(a.text, "")))
	if err != nil || n < 1 {
		return 0, a.warned.CompareAndSwap(false, true)
	}
	return min(n, maxUnits), false
}

// provisionLimits sets up the limits, and what they count.
func (h *Handler) provisionLimits(repl *caddy.Replacer) (err error) {
	if h.callerKeys, err = parseKeys(repl, h.Caller); err != nil {
		return fmt.Errorf("caller: %w", err)
	}
	if len(h.callerKeys) == 0 {
		h.callerKeys = defaultCaller
	}
	if h.Count == "" {
		h.Count = "tools/call"
	}
	if h.Count != "tools/call" && h.Count != "all" {
		return fmt.Errorf("count is %q, must be tools/call or all", h.Count)
	}
	if h.MaxStreams < 0 || h.MaxStreams > maxUnits {
		return fmt.Errorf("max_streams is %d, must be from 1 to %d", h.MaxStreams, maxUnits)
	}
	if len(h.Limits) > limits.MaxTiers {
		return fmt.Errorf("there are %d limits, at most %d are possible", len(h.Limits), limits.MaxTiers)
	}
	seen := make(map[string]bool)
	for i, l := range h.Limits {
		if err := l.provision(repl, h.serviceName(), h.metrics); err != nil {
			return fmt.Errorf("limit %d: %w", i, err)
		}
		if seen[l.Name] {
			return fmt.Errorf("limit %d: the name %q is taken", i, l.Name)
		}
		seen[l.Name] = true
	}
	h.streams = h.metrics.limit(h.serviceName(), streamLimit)
	return nil
}
