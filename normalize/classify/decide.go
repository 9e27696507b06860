package classify

import (
	"cmp"
	"slices"
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

// picker answers "which cause of these tiers comes first".
type picker struct {
	d         *doc
	cancelled map[int]bool
	issue     issue
	hasIssue  bool
}

func newPicker(d *doc, e *Evidence) *picker {
	p := &picker{d: d}
	d.sentences = sentenceStarts(d.low)
	d.asides = make([]bool, len(d.sentences))
	for i, start := range d.sentences {
		end := len(d.low)
		if i+1 < len(d.sentences) {
			end = d.sentences[i+1]
		}
		d.asides[i] = aside(d.low[start:end])
	}
	d.hits = pairUp(phrases.find(d.low, make([]hit, 0, 64)), d.sentenceOf)
	for _, h := range cancels.find(d.low, nil) {
		if p.cancelled == nil {
			p.cancelled = map[int]bool{}
		}
		p.cancelled[h.rule] = true
	}
	p.issue, p.hasIssue = d.findIssue(e)
	return p
}

// sentenceOf returns the number of the sentence at a position.
func (d *doc) sentenceOf(at int) int {
	n, _ := slices.BinarySearch(d.sentences, at+1)
	return n - 1
}

// sentenceStarts returns where the sentences and lines of a text begin.
func sentenceStarts(s string) []int {
	out := []int{0}
	for i := 0; i+1 < len(s); i++ {
		switch c := s[i]; {
		case c == '\n', (c == '.' || c == '!' || c == '?' || c == ';') && s[i+1] == ' ', strings.HasPrefix(s[i:], "。"), strings.HasPrefix(s[i:], "！"):
			out = append(out, i+1)
		}
	}
	return out
}

// asides are the beginnings of sentences that advise rather than report.
var asides = []string{"please check", "please make sure", "please verify", "please ensure", "please try", "please retry", "please see", "please contact", "please note", "make sure", "check ",
	"ensure ", "verify ", "you might", "you may", "try ", "see ", "for more", "perhaps", "if ", "note:", "hint", "tip", "did you", "is the ", "to fix", "consider ", "run ", "read more", "contact ", "visit "}

// first returns the hit of the tiers that the sentence order and then the
// position put first; causes of tierInfra precede others in the same sentence.
func (p *picker) first(from, to tier) (hit, bool) {
	some := false
	for _, h := range p.d.hits {
		t := catalogue[h.rule].tier
		some = some || t >= from && t <= to
	}
	if !some {
		return hit{}, false
	}
	for pass := range 2 {
		for i, start := range p.d.sentences {
			end := len(p.d.low)
			if i+1 < len(p.d.sentences) {
				end = p.d.sentences[i+1]
			}
			if p.d.asides[i] != (pass == 1) {
				continue
			}
			if h, ok := p.inSentence(start, end, from, to); ok {
				return h, true
			}
		}
	}
	return hit{}, false
}

func aside(s string) bool {
	s = strings.TrimLeft(s, " \t\n(")
	for _, a := range asides {
		if strings.HasPrefix(s, a) {
			return true
		}
	}
	return false
}

func (p *picker) inSentence(start, end int, from, to tier) (hit, bool) {
	best, found := hit{}, false
	for _, h := range p.d.hits {
		if h.start < start || h.start >= end {
			continue
		}
		c := &catalogue[h.rule]
		if c.tier < from || c.tier > to || p.cancelled[h.rule] || p.inArgument(h) {
			continue
		}
		if !found || p.before(h, best) {
			best, found = h, true
		}
	}
	return best, found
}

// before orders two hits of one sentence.
func (p *picker) before(a, b hit) bool {
	x, y := &catalogue[a.rule], &catalogue[b.rule]
	if o := outranks(x, y); o != 0 {
		return o > 0
	}
	if x.tier == tierInfra && a.rule != b.rule {
		return a.rule < b.rule
	}
	// A phrase that contains another says more than it.
	if a.start <= b.start && a.end >= b.end && a.end-a.start > b.end-b.start {
		return true
	}
	if b.start <= a.start && b.end >= a.end && b.end-b.start > a.end-a.start {
		return false
	}
	if a.start != b.start {
		return a.start < b.start
	}
	if a.end != b.end {
		return a.end > b.end
	}
	return a.rule < b.rule
}

// outranks compares two causes of one sentence: 1 when x wins wherever it
// stands, -1 when y does, 0 when the position decides.
func outranks(x, y *cause) int {
	specific := func(c *cause) bool {
		return c.code == envelope.AuthFailed || c.tier == tierMeaning && (c.code == envelope.Forbidden || c.code == envelope.BadRequest || c.id == "absent.data")
	}
	switch {
	case x.id == "net.failed" && specific(y):
		return -1
	case y.id == "net.failed" && specific(x):
		return 1
	case x.tier != y.tier:
		return cmp.Compare(y.tier, x.tier)
	case x.id == "auth.credentials" && strings.HasPrefix(y.id, "argument."):
		return 1
	case y.id == "auth.credentials" && strings.HasPrefix(x.id, "argument."):
		return -1
	}
	return 0
}

// inArgument reports whether the hit is but the name of the refused argument:
// "timeout must be positive" is no timeout.
func (p *picker) inArgument(h hit) bool {
	if !p.hasIssue || p.issue.path == "" {
		return false
	}
	name := lower(p.issue.path)
	return strings.Contains(name, p.d.low[h.start:h.end])
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
		return true
	}
	end := p.issue.at + len(p.issue.msg)
	if p.issue.at == 0 && len(p.issue.msg) == 0 || len(p.d.issues) > 0 && p.issue.at == 0 {
		return c.tier != tierInfra && c.code != envelope.AuthFailed && c.code != envelope.NotFound
	}
	if c.id == "crash" && h.start < end {
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
	if c.code == envelope.BadRequest && p.hasIssue {
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

// byStatus decides by an HTTP status.
func (p *picker) byStatus(status, at int, e *Evidence) decision {
	dec := decision{status: status, rule: "http." + strconv.Itoa(status)}
	dec.code, dec.class = statusCode(status)
	if at >= 0 {
		dec.anchors = append(dec.anchors, hit{-1, at, at + 3})
	}
	h, ok := p.first(tierInfra, tierProse)
	if ok {
		dec.anchors = append(dec.anchors, h)
	}
	if genericStatus(status) {
		if a, ok := p.firstCode(envelope.AuthFailed); ok {
			c := &catalogue[a.rule]
			dec.code, dec.class, dec.rule, dec.cause = c.code, c.code.Class(), "catalogue."+c.id, c
			return dec
		}
	}
	switch {
	case status == 409 && strings.Contains(p.d.low, "try again"), status == 409 && strings.Contains(p.d.low, "retry"):
		dec.class = envelope.Retryable
	case status == 400 || status == 422:
		if p.hasIssue {
			it := p.issue
			dec.issue = &it
		}
	}
	if ok && catalogue[h.rule].code == dec.code {
		dec.cause = &catalogue[h.rule]
	}
	return dec
}

// firstCode returns the first hit of a cause with that code outside of asides.
func (p *picker) firstCode(code envelope.Code) (hit, bool) {
	for _, h := range p.d.hits {
		if c := &catalogue[h.rule]; c.code == code && !p.cancelled[h.rule] && !p.inArgument(h) {
			return h, true
		}
	}
	return hit{}, false
}

// genericStatus are those that explicit words about credentials outweigh.
func genericStatus(n int) bool {
	switch n {
	case 400, 402, 405, 406, 409, 412, 415, 422:
		return true
	}
	return false
}

// statusCode is the code and class that an HTTP status stands for.
func statusCode(n int) (envelope.Code, envelope.Class) {
	switch {
	case n == 400:
		return envelope.BadRequest, envelope.Validation
	case n == 401 || n == 407:
		return envelope.AuthFailed, envelope.Permission
	case n == 403:
		return envelope.Forbidden, envelope.Permission
	case n == 404:
		return envelope.NotFound, envelope.Terminal
	case n == 408:
		return envelope.ServiceUnavailable, envelope.Retryable
	case n == 422:
		return envelope.UpstreamClientError, envelope.Validation
	case n == 429:
		return envelope.RateLimited, envelope.Retryable
	case n == 503:
		return envelope.ServiceUnavailable, envelope.Retryable
	case n == 529:
		return envelope.AtCapacity, envelope.Retryable
	case n == 504 || n == 524:
		return envelope.UpstreamError, envelope.Retryable
	case n >= 500:
		return envelope.UpstreamError, envelope.Dependency
	case n >= 400:
		return envelope.UpstreamClientError, envelope.Terminal
	}
	return envelope.UpstreamUnknown, envelope.Terminal
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
