package classify

import (
	"strconv"
	"strings"

	"github.com/caddymcp/gateway/normalize/envelope"
)

// decision is what the engine made of the evidence, before any text.
type decision struct {
	code   envelope.Code
	class  envelope.Class
	status int
	rule   string
	cause  *cause
	issue  *issue
	// anchors are the places of the text that show the reason.
	anchors []hit
}

// decide applies the precedence of the signals.
func (d *doc) decide(e *Evidence) decision {
	p := newPicker(d, e)
	inner, at := textStatus(d.low)
	if inner == 0 {
		inner = d.status
	}
	carrier := e.Status
	if e.RPCCode != nil && httpStatus(int(*e.RPCCode)) && carrier < 400 {
		carrier = int(*e.RPCCode)
	}
	if h, ok := p.first(tierOutput, tierOutput); ok {
		return p.by(h, inner, e)
	}
	if h, ok := p.first(tierSSRF, tierSSRF); ok {
		return p.by(h, inner, e)
	}
	if p.hasIssue && p.issue.strong {
		return p.byIssue(e, inner)
	}
	if h, ok := p.first(tierLimit, tierLimit); ok {
		return p.by(h, inner, e)
	}
	if inner == 429 || inner == 0 && carrier == 429 {
		return p.byStatus(429, at, e)
	}
	if h, ok := p.first(tierCapacity, tierCapacity); ok {
		return p.by(h, inner, e)
	}
	if h, ok := p.first(tierDisabled, tierDisabled); ok {
		return p.by(h, inner, e)
	}
	if inner != 0 {
		return p.byStatus(inner, at, e)
	}
	if carrier >= 400 && carrier != 400 && carrier != 500 && carrier != 422 {
		return p.byStatus(carrier, -1, e)
	}
	if dec, ok := p.byFault(e); ok {
		return dec
	}
	h, ok := p.first(tierInfra, tierMeaning)
	if ok && catalogue[h.rule].id == "reply.nonjson" && e.RPCCode != nil && (*e.RPCCode == -32700 || *e.RPCCode == -32600) {
		dec := byRPC(e)
		dec.anchors, dec.status = []hit{h}, carrierStatus(carrier)
		return dec
	}
	if p.hasIssue && (!ok || p.issueFirst(h)) {
		return p.byIssue(e, carrierStatus(carrier))
	}
	if ok && catalogue[h.rule].id == "net.failed" {
		// Why the connection failed may be told in a later sentence.
		if a, auth := p.firstTold(envelope.AuthFailed); auth {
			h = a
		}
	}
	if ok {
		return p.by(h, carrierStatus(carrier), e)
	}
	if h, ok := p.first(tierPair, tierPair); ok {
		return p.by(h, carrierStatus(carrier), e)
	}
	if carrier >= 400 {
		return p.byStatus(carrier, -1, e)
	}
	if h, ok := p.first(tierProse, tierProse); ok {
		return p.by(h, 0, e)
	}
	if d.page {
		return decision{code: envelope.UpstreamNonJSON, class: envelope.Dependency, rule: "page"}
	}
	if d.wait.d > 0 || proseWait(d.low) > 0 {
		// Who says when to come back was asked too often.
		return decision{code: envelope.RateLimited, class: envelope.Retryable, rule: "wait"}
	}
	if h, ok := p.first(tierClass, tierClass); ok {
		return p.by(h, 0, e)
	}
	dec := byRPC(e)
	if h, ok := p.first(tierVague, tierVague); ok && dec.code == envelope.UpstreamUnknown {
		dec.anchors = append(dec.anchors, h)
	}
	return dec
}

func carrierStatus(n int) int {
	if n >= 400 {
		return n
	}
	return 0
}

// issueFirst reports whether prose that names an argument comes before h: it
// does unless another cause was stated before it.
func (p *picker) issueFirst(h hit) bool {
	c := &catalogue[h.rule]
	if c.code == envelope.BadRequest {
		return !c.quiet
	}
	end := p.issue.at + len(p.issue.msg)
	if p.issue.at == 0 && len(p.issue.msg) == 0 || len(p.d.issues) > 0 && p.issue.at == 0 {
		return c.tier != tierInfra && c.code != envelope.AuthFailed && c.code != envelope.NotFound
	}
	if (c.id == "crash" || c.id == "conflict") && h.start < end {
		return false
	}
	inside := h.start >= p.issue.at && h.end <= end
	switch {
	case c.tier == tierInfra:
		return inside && c.code == envelope.UpstreamNonJSON
	case c.code == envelope.AuthFailed:
		return false
	case inside:
		return c.code != envelope.Forbidden || strings.Contains(p.issue.rule, "unexpected") || strings.Contains(p.issue.rule, "empty")
	}
	return p.issue.at < h.start
}

// by decides by a cause of the catalogue.
func (p *picker) by(h hit, status int, e *Evidence) decision {
	c := &catalogue[h.rule]
	dec := decision{code: c.code, class: c.class, status: status, rule: "catalogue." + c.id, cause: c, anchors: []hit{h}}
	if dec.class == "" {
		dec.class = c.code.Class()
	}
	if c.code == envelope.BadRequest && p.hasIssue && !c.quiet {
		it := p.issue
		dec.issue = &it
	}
	if c.code == envelope.OutputValidationFailed && p.hasIssue {
		it := p.issue
		it.output = true
		dec.issue = &it
	}
	return dec
}

// byIssue decides by a refused argument.
func (p *picker) byIssue(e *Evidence, status int) decision {
	it := p.issue
	dec := decision{code: envelope.BadRequest, class: envelope.Validation, status: status, rule: it.rule, issue: &it}
	if dec.rule == "" {
		dec.rule = "validation"
	}
	switch {
	case it.output && p.outputModel(e, it):
		dec.code, dec.class, dec.rule = envelope.OutputValidationFailed, envelope.Terminal, "output.pydantic"
	case p.upstreamData():
		dec.code, dec.class, dec.issue, dec.rule = envelope.UpstreamNonJSON, envelope.Dependency, nil, "reply.shape"
	case status == 422:
		dec.code = envelope.UpstreamClientError
	case status == 401 || status == 403 || status == 404:
		return p.byStatus(status, -1, e)
	}
	return dec
}

// outputModel tells a tool's own output model from its arguments: FastMCP puts
// both under the same words, and only the model's name differs.
func (p *picker) outputModel(e *Evidence, it issue) bool {
	if !strings.Contains(lower(p.d.raw), "error executing tool ") {
		return false
	}
	top := it.path
	if k := strings.IndexAny(top, ".["); k > 0 {
		top = top[:k]
	}
	if _, ok := e.Schema.Property(top); ok {
		return false
	}
	return !hasKey(e.Arguments, top)
}

// upstreamData reports whether the validator looked at an answer of the service.
func (p *picker) upstreamData() bool {
	for _, w := range [...]string{"failed to parse api response", "parse api response", "failed to parse response", "invalid api response", "unexpected api response", "invalid response from", "unexpected response from",
		"response validation", "response did not match", "response does not match", "validating response", "failed to validate response", "invalid response format"} {
		if strings.Contains(p.d.low, w) {
			return true
		}
	}
	return false
}

// byFault decides by what the gateway itself saw.
func (p *picker) byFault(e *Evidence) (decision, bool) {
	switch e.Fault {
	case Refused, Reset, DNS, Cut:
		return decision{code: envelope.ServiceUnavailable, class: envelope.Dependency, rule: "gateway.unreachable", cause: causeByID("net.connect")}, true
	case Timeout:
		return decision{code: envelope.ServiceUnavailable, class: envelope.Retryable, rule: "gateway.timeout", cause: causeByID("net.timeout")}, true
	case Empty, NotJSON, WrongType:
		if e.Status < 400 {
			return decision{code: envelope.UpstreamNonJSON, class: envelope.Dependency, rule: "gateway.unreadable"}, true
		}
	case TooLarge:
		return decision{code: envelope.UpstreamError, class: envelope.Terminal, rule: "gateway.too_large", cause: &tooLarge}, true
	}
	return decision{}, false
}

// byRPC decides by a JSON-RPC code when nothing else spoke.
func byRPC(e *Evidence) decision {
	code := int64(0)
	if e.RPCCode != nil {
		code = *e.RPCCode
	}
	set := func(c envelope.Code) decision {
		return decision{code: c, class: c.Class(), rule: "jsonrpc." + strconv.FormatInt(code, 10)}
	}
	switch code {
	case -32601, -32002:
		return set(envelope.NotFound)
	case -32602, -32600, -32700:
		return set(envelope.BadRequest)
	}
	return decision{code: envelope.UpstreamUnknown, class: envelope.Terminal, rule: "unknown"}
}

func causeByID(id string) *cause {
	for i := range catalogue {
		if catalogue[i].id == id {
			return &catalogue[i]
		}
	}
	return nil
}

// saysNothing reports whether a text tells no reason: that something failed, and no
// more, or that the reason is in a log.
func (d *doc) saysNothing() bool {
	s := strings.Trim(d.low, " .!")
	if strings.Contains(s, "for details") && (strings.Contains(s, "log") || strings.Contains(s, "console")) && strings.Contains(s, "error occurred") {
		return true
	}
	rest, ok := strings.CutPrefix(s, "failed to ")
	if !ok || strings.Count(rest, " ") > 8 || strings.ContainsAny(rest, ";,.(\n") {
		return false
	}
	if _, tail, two := strings.Cut(rest, ": "); two && strings.IndexByte(tail, ' ') >= 0 {
		return false
	}
	for w := range strings.FieldsSeq(rest) {
		switch w {
		case "because", "not", "is", "was", "are", "were", "no", "cannot", "due", "since", "out", "already", "must", "invalid", "missing", "without":
			return false
		}
	}
	return true
}
