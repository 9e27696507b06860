package classify

import (
	"strconv"
	"strings"

	"github.com/caddymcp/gateway/normalize/envelope"
)

// byStatus decides by an HTTP status.
func (p *picker) byStatus(status, at int, e *Evidence) decision {
	dec := decision{status: status, rule: "http." + strconv.Itoa(status)}
	dec.code, dec.class = statusCode(status)
	if at >= 0 {
		dec.anchors = append(dec.anchors, hit{-1, at, at + 3})
	}
	h, ok := p.first(tierInfra, tierProse)
	if a, same := p.firstCode(dec.code); same && (!ok || catalogue[h.rule].code != dec.code) {
		h, ok = a, true
	}
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

// firstTold is firstCode without what advises.
func (p *picker) firstTold(code envelope.Code) (hit, bool) {
	for _, h := range p.d.hits {
		if c := &catalogue[h.rule]; c.code == code && c.tier == tierMeaning && !p.cancelled[h.rule] && !p.inArgument(h) && !p.d.asides[max(0, p.d.sentenceOf(h.start))] {
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
