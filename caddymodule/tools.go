package caddymodule

import (
	"time"

	"github.com/tidwall/gjson"

	"github.com/caddymcp/gateway/normalize"
	"github.com/caddymcp/gateway/normalize/envelope"
	"github.com/caddymcp/gateway/normalize/schema"
	"github.com/caddymcp/gateway/policy"
)

type pattern = policy.Pattern

func parsePatterns(texts []string) ([]pattern, error) { return policy.ParsePatterns(texts...) }

func (t *ToolRule) matches(tool string) bool {
	for _, p := range t.patterns {
		if p.Match(tool) {
			return true
		}
	}
	return false
}

// options fills in what the configuration says of a call.
func (x *exchange) options(p *pending) {
	h := x.h
	p.Service, p.ServiceNamed = h.service, h.service != ""
	p.Disguised = normalize.Disguise(h.Errors.Disguised)
	p.timeout = time.Duration(h.Timeout)
	if !p.IsToolCall() || len(h.Tools) == 0 {
		return
	}
	var service, disguised, timeout bool
	for _, t := range h.Tools {
		if !t.matches(p.Tool) {
			continue
		}
		if t.service != "" && !service {
			p.Service, p.ServiceNamed, service = t.service, true, true
		}
		if t.Disguised != "" && !disguised {
			p.Disguised, disguised = normalize.Disguise(t.Disguised), true
		}
		if t.Timeout != 0 && !timeout {
			p.timeout, timeout = time.Duration(t.Timeout), true
		}
	}
	tool := p.Tool
	p.Suggest = func(code envelope.Code) string { return x.h.engine.Suggestion(code, tool, x.tools()) }
}

// learn takes in the schemas of a list of tools.
func (x *exchange) learn(result []byte) {
	scope := ""
	if gjson.GetBytes(result, "cacheScope").Str == "private" {
		scope = x.scope()
		x.h.privateLists.Store(true)
	}
	x.h.schemas.Learn(scope, result, time.Now())
}

// schema returns what is known of a tool to this caller.
func (h *Handler) schema(scope, tool string) *schema.Tool {
	now := time.Now()
	if t := h.schemas.Lookup(scope, tool, now); t != nil {
		return t
	}
	return h.schemas.Lookup("", tool, now)
}

// schema returns what is known of a tool to the caller of the request.
func (x *exchange) schema(tool string) *schema.Tool {
	if !x.h.privateLists.Load() {
		return x.h.schemas.Lookup("", tool, x.start)
	}
	return x.h.schema(x.scope(), tool)
}

// structured reports whether a failing result of a tool may carry the envelope
// in structuredContent. A tool of which nothing is known may.
func (h *Handler) structured(t *schema.Tool) bool {
	switch h.Errors.StructuredContent {
	case "omit":
		return false
	case "always":
		return true
	}
	return !t.HasOutput() || t.Amendable()
}

// toolList sees a tools/list answer pass: it learns the schemas, takes out what
// the caller does not see, and amends schemas so that they admit the envelope.
func (x *exchange) toolList(result []byte) []byte {
	h := x.h
	x.learn(result)
	if h.Schemas == "fetch" && gjson.GetBytes(result, "nextCursor").String() == "" {
		h.fetched.listed(x.scope())
	}
	if tools := x.tools(); tools.Restricted() {
		result, _ = schema.FilterTools(result, tools.Visible)
	}
	if h.Errors.StructuredContent != "amend" {
		return result
	}
	out, _ := schema.AmendOutput(result)
	return out
}
