package classify

import (
	"github.com/caddymcp/gateway/normalize/envelope"
	"github.com/caddymcp/gateway/normalize/sanitize"
)

// Classify returns what a failure is. It never panics: when a step fails, the
// verdict carries the fixed text of the code. It depends on nothing but the
// evidence and the classifier's settings.
func (c *Classifier) Classify(e *Evidence) (v Verdict) {
	defer func() {
		if recover() != nil {
			v = fixed(Verdict{Code: envelope.UpstreamUnknown, Class: envelope.Terminal, Rule: "recovered"})
		}
	}()
	if e == nil {
		e = &Evidence{}
	}
	if v, ok := c.passthrough(e); ok {
		return v
	}
	d := gather(e)
	return c.verdict(e, d)
}

// Explain is Classify with the names of the sanitizing rules that the raw text
// hit, which take a second pass over it.
func (c *Classifier) Explain(e *Evidence) (v Verdict) {
	v = c.Classify(e)
	defer func() { _ = recover() }()
	if e == nil {
		return v
	}
	_, hits := sanitize.Mask(gather(e).raw)
	v.Removed = hits.Rules()
	return v
}

func (c *Classifier) verdict(e *Evidence, d *doc) Verdict {
	dec := d.decide(e)
	if dec.code == envelope.UpstreamUnknown && len(e.Schema.CheckArguments(e.Arguments)) > 0 {
		// A text that says nothing, and arguments that break the schema.
		dec = decision{code: envelope.BadRequest, class: envelope.Validation, status: dec.status, rule: "schema"}
	}
	if dec.code == envelope.UpstreamUnknown && dec.rule == "unknown" && !d.saysNothing() {
		if code, class, ok := electorate().decide(d.low); ok && !endsVague(d.low) {
			dec.code, dec.class, dec.rule = code, class, "words"
		}
	}
	v := Verdict{Code: dec.code, Class: dec.class, Status: dec.status, Rule: dec.rule, Trace: d.trace}
	if !v.Code.Known() {
		v.Code = envelope.UpstreamUnknown
	}
	if !v.Class.Known() {
		v.Class = v.Code.Class()
	}
	if v.Status == 0 && e.Status >= 400 {
		v.Status = e.Status
	}
	limited := v.Code == envelope.RateLimited || v.Code == envelope.AtCapacity
	v.Wait = headerWait(e.Header, limited)
	if v.Wait == 0 {
		v.Wait = d.wait.d
	}
	if v.Wait == 0 && (v.Class == envelope.Retryable || v.Class == envelope.Dependency) {
		v.Wait = proseWait(d.low)
	}
	v.Text = c.write(e, d, &v, dec)
	if !sanitize.Guard(v.Text.String(), c.Literals) {
		return fixed(v)
	}
	return v
}

// fixed gives the verdict the fixed text of its code.
func fixed(v Verdict) Verdict {
	v.Text = v.Code.Text()
	return v
}
