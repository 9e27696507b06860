package classify

import (
	"strings"

	"github.com/tidwall/gjson"

	"github.com/caddymcp/gateway/normalize/envelope"
	"github.com/caddymcp/gateway/normalize/sanitize"
)

// The first sentences by code, for causes without one of their own.
var leads = map[envelope.Code]sanitize.Safe{
	envelope.SSRFBlocked:            sanitize.Const("Permission Error: the address is private or reserved and may not be reached."),
	envelope.UpstreamNonJSON:        leadNonJSON,
	envelope.OutputValidationFailed: sanitize.Const("Error: the tool returned a result that breaks its own output schema."),
	envelope.BadRequest:             sanitize.Const("Validation Error: the arguments of this call were refused."),
	envelope.AuthFailed:             sanitize.Const("Permission Error: authentication with the service behind this tool failed."),
	envelope.Forbidden:              sanitize.Const("Permission Error: access was denied by the service behind this tool."),
	envelope.NotFound:               sanitize.Const("Error: what was asked for was not found."),
	envelope.RateLimited:            sanitize.Const("Error: rate limit reached."),
	envelope.AtCapacity:             sanitize.Const("Error: the service behind this tool is at capacity."),
	envelope.ServiceDisabled:        sanitize.Const("Error: this tool or service is switched off."),
	envelope.ServiceUnavailable:     sanitize.Const("Error: a service behind this tool is unavailable."),
	envelope.UpstreamError:          sanitize.Const("Error: the service behind this tool failed with an internal error."),
	envelope.UpstreamClientError:    sanitize.Const("Error: the service behind this tool refused the request."),
	envelope.UpstreamUnknown:        sanitize.Const("Error: the tool failed."),
}

// The last sentences by class.
var advices = map[envelope.Class]sanitize.Safe{
	envelope.Validation: sanitize.Const("Correct the arguments before calling again."),
	envelope.Permission: sanitize.Const("Retrying will not help; access must be granted first."),
	envelope.Retryable:  sanitize.Const("Try again later."),
	envelope.Dependency: sanitize.Const("Try again later."),
	envelope.Terminal:   sanitize.Const("Retrying the same call will not help."),
}

var (
	adviceKeys   = sanitize.Const("Retrying will not help; valid credentials are needed first.")
	adviceURL    = sanitize.Const("Use a public address.")
	adviceAbsent = sanitize.Const("Check the name or the id.")
	adviceOff    = sanitize.Const("It stays off until somebody switches it on.")
	tooLarge     = cause{id: "gateway.too_large", lead: sanitize.Const("Error: the answer of the service behind this tool was too large."), advice: sanitize.Const("Ask for less at a time.")}
)

// writer composes the text of one verdict.
type writer struct {
	e   *Evidence
	d   *doc
	v   *Verdict
	dec decision
	k   known
}

func (c *Classifier) write(e *Evidence, d *doc, v *Verdict, dec decision) sanitize.Safe {
	w := &writer{e: e, d: d, v: v, dec: dec, k: known{tool: e.Tool, args: gjson.ParseBytes(e.Arguments)}}
	if v.Class == envelope.Validation {
		if s, ok := w.violations(); ok {
			return s
		}
	}
	lead := w.lead()
	reason := w.reason(lead.String())
	if reason.IsZero() && c.Lenient && !d.quiet() && len(d.msgs) > 0 {
		if s, ok := sanitize.Residual(d.msgs[0]); ok {
			reason = s
		}
	}
	more, ok := w.further()
	switch {
	case !ok:
		return sanitize.Join(lead, reason, w.advice(reason.IsZero()))
	case reason.IsZero():
		return sanitize.Join(lead, more, w.advice(true))
	}
	return sanitize.Join(lead, reason, more)
}

func (w *writer) lead() sanitize.Safe {
	if w.dec.issue != nil && (w.v.Class == envelope.Validation || w.v.Code == envelope.OutputValidationFailed) {
		if s, ok := w.argument(w.dec.issue); ok {
			return s
		}
	}
	if w.dec.cause != nil && !w.dec.cause.lead.IsZero() {
		return w.dec.cause.lead
	}
	switch {
	case w.v.Code == envelope.ServiceUnavailable && w.v.Class == envelope.Dependency:
		return leadReach
	case w.v.Code == envelope.UpstreamError && w.v.Class == envelope.Terminal:
		return leadCrash
	}
	return leads[w.v.Code]
}

func (w *writer) advice(bare bool) sanitize.Safe {
	if w.v.Wait > 0 {
		if s, ok := sanitize.Compose("Try again after %s.", sanitize.Duration(w.v.Wait)); ok {
			return s
		}
	}
	if w.v.Class == envelope.Validation {
		if s, ok := w.hint(); ok {
			return s
		}
	}
	if w.dec.cause != nil && !w.dec.cause.advice.IsZero() {
		return w.dec.cause.advice
	}
	if bare && w.v.Class == envelope.Terminal && w.v.Code != envelope.NotFound && w.v.Code != envelope.ServiceDisabled {
		if s, ok := w.properties(); ok {
			return s
		}
	}
	switch w.v.Code {
	case envelope.AuthFailed:
		return adviceKeys
	case envelope.SSRFBlocked:
		return adviceURL
	case envelope.NotFound:
		return adviceAbsent
	case envelope.ServiceDisabled:
		return adviceOff
	}
	return advices[w.v.Class]
}

// maxTries bounds the places that are looked at for a reason.
const maxTries = 8

// reason returns "Reason: ..." from the words around the anchors, without what
// the lead already says.
func (w *writer) reason(lead string) sanitize.Safe {
	if w.d.quiet() {
		return sanitize.Safe{}
	}
	said := lower(lead)
	var parts []run
	size, tries, short, limit := 0, 0, 1, 3
	repeated := false // an anchor says what the lead says
	add := func(text string, start, end int, forward bool) {
		if tries++; len(parts) == limit || tries > maxTries {
			return
		}
		ws := w.k.clause(text, start, end, forward)
		s := lower(ws.String())
		if quietHit(phrases.find(s, nil)) {
			return
		}
		repeated = repeated || len(s) > 2 && strings.Contains(said, s)
		if len(s) < 3 || hollow(s) || len(strings.Fields(s)) < short || strings.Contains(said, s) || size+len(s) > maxClause {
			return
		}
		if n, num := smallInt(s); num && !httpStatus(n) {
			return // a port or an id
		} else if num {
			ws = cat(one(sanitize.Word("HTTP ")), ws)
			limit = 4
		}
		if strings.IndexByte(s, ' ') < 0 && !single(text[start:end], s) {
			return
		}
		if n := len(parts); n > 0 && strings.Contains(s, lower(parts[n-1].String())) {
			parts = parts[:n-1] // says the same and more
		}
		if n := len(parts); n > 0 && className(parts[n-1].String()) {
			parts = parts[:n-1] // the name of an exception says less than its message
		} else if n > 0 && className(s) {
			return
		}
		said += " " + s
		size += len(s)
		parts = append(parts, ws)
	}
	if it := w.dec.issue; it != nil && it.msg != "" {
		w.k.name, w.k.joined = it.path, it.kind == kindMissing
		if end := it.at + len(it.msg); end <= len(w.d.text) && w.d.text[it.at:end] == it.msg {
			add(w.d.text, it.at, end, true)
		} else {
			add(it.msg, 0, len(it.msg), true)
		}
		for _, h := range w.dec.anchors {
			add(w.d.text, h.start, h.end, true)
		}
		for _, h := range w.d.hits {
			if catalogue[h.rule].tier < tierClass && !it.strong || it.path == "" && len(parts) == 0 {
				add(w.d.text, h.start, h.end, true)
			}
		}
		if k := strings.Index(it.msg, ": "); k > 0 && len(parts) > 0 {
			short = 2
			add(it.msg, 0, k, true) // what stands before a value that is not shown
		}
		if len(parts) == 0 && !repeated && !it.strong {
			short = 3
			add(w.d.text, 0, max(0, strings.IndexByte(w.d.text+"\n", '\n')), true) // what the list of issues stands under
		}
	} else {
		w.k.names = w.dec.cause != nil && w.dec.cause.id == "argument.missing"
		auth := w.v.Code == envelope.AuthFailed
		for _, h := range w.dec.anchors {
			add(w.d.text, h.start, h.end, !auth)
		}
		for _, h := range w.d.hits {
			if catalogue[h.rule].tier < tierClass {
				add(w.d.text, h.start, h.end, !auth)
			}
		}
		for _, h := range w.dec.anchors {
			if q := strings.LastIndexAny(w.d.text[h.start:h.end], "'\"`"); q > 0 {
				add(w.d.text, h.start+q+1, h.end, !auth) // what stands behind a name that is not shown
			}
		}
		short = 3
		for _, m := range w.d.msgs[min(len(w.d.msgs), 1):] {
			if at := strings.Index(w.d.text, m); at >= 0 && !auth {
				n := max(0, w.d.sentenceOf(at))
				end := len(w.d.text)
				if n+1 < len(w.d.sentences) {
					end = w.d.sentences[n+1]
				}
				add(w.d.text, at, max(at, end), true)
			}
		}
		short = 1
		for _, h := range w.d.hits {
			if len(parts) == 0 && !repeated || len(parts) == 1 && catalogue[h.rule].id == "vague" && (limit == 4 || w.later(h)) {
				add(w.d.text, h.start, h.end, !auth)
			}
		}
	}
	if len(parts) == 0 && !repeated && len(w.d.msgs) > 0 && w.dec.issue == nil && w.v.Code != envelope.AuthFailed {
		n := 0
		if len(w.dec.anchors) > 0 {
			n = max(0, w.d.sentenceOf(w.dec.anchors[0].start))
		}
		end := len(w.d.text)
		if n+1 < len(w.d.sentences) {
			end = w.d.sentences[n+1]
		}
		short, tries = 3, 0
		add(w.d.text, w.d.sentences[n], end, true)
	}
	for n := len(parts); n > 0; n-- {
		if s, ok := sentence(parts[:n]); ok {
			return s
		}
	}
	if len(parts) > 1 {
		if s, ok := sentence(parts[1:]); ok {
			return s
		}
	}
	return sanitize.Safe{}
}

// className reports whether a part is but the name of a class of errors.
func className(s string) bool {
	s = lower(s)
	return strings.IndexByte(s, ' ') < 0 && strings.IndexByte(s, '_') < 0 && len(s) > 5 && (strings.HasSuffix(s, "error") || strings.HasSuffix(s, "exception"))
}

// single reports whether one word may be a reason: it is all of its anchor, or the
// name of an error.
func single(anchor, s string) bool {
	if _, num := smallInt(s); num {
		return true
	}
	return len(s) >= 3 && len(anchor) <= len(s)+2 || strings.IndexByte(s, '_') > 0 || strings.HasSuffix(s, "error") && s != "error" && s != "valueerror"
}

// later reports whether a hit stands in a sentence after those of the anchors,
// where the rest of the reason stands; what stands before is a wrapper.
func (w *writer) later(h hit) bool {
	for _, a := range w.dec.anchors {
		if w.d.sentenceOf(h.start) <= w.d.sentenceOf(a.start) {
			return false
		}
	}
	return len(w.dec.anchors) > 0
}

// hollow reports whether a clause says nothing.
func hollow(s string) bool {
	for w := range strings.FieldsSeq(s) {
		if w = strings.Trim(w, ".,:;()'-"); len(w) > 2 && !edge[w] && w != "not" && w != "cannot" && w != "can't" && w != "could" && w != "nor" && w != "null" && w != "none" && w != "undefined" && w != "failed" && w != "the" && w != "only" && w != "must" && w != "should" {
			return false
		}
	}
	return true
}

// sentence writes the clauses as one sentence.
func sentence(parts []run) (sanitize.Safe, bool) {
	all := run{sanitize.Word("Reason: ")}
	for i, p := range parts {
		if i > 0 {
			all = append(all, sanitize.Word("; "))
		}
		all = append(all, p...)
	}
	return append(all, sanitize.Word(".")).sentence()
}
