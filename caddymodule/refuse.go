package caddymodule

import (
	"net/http"
	"strconv"

	"github.com/tidwall/sjson"

	"github.com/caddymcp/gateway/normalize"
	"github.com/caddymcp/gateway/normalize/envelope"
	"github.com/caddymcp/gateway/normalize/sanitize"
	"github.com/caddymcp/gateway/transport"
)

// refusal is a request that the gateway answers itself.
type refusal struct {
	reason string // one of a fixed set of words, for the log and the metric
	status int    // HTTP status
	header http.Header
	body   []byte
	env    *envelope.Envelope // nil when the refusal is below the level of calls
}

// refuse is the one place where requests are refused: body, headers, log line,
// metric, event and placeholders cannot disagree.
func (x *exchange) refuse(f refusal) error {
	x.failed = true
	x.own = saveHeaders(x.few[:], x.w.Header())
	for k, v := range f.header {
		x.own.set(k, v...)
	}
	if f.env != nil {
		if f.env.RetryAfter > 0 {
			x.own.set("Retry-After", strconv.Itoa(f.env.RetryAfter))
		}
		x.noteFailure(f.env)
	}
	x.logRefusal(f)
	x.h.metrics.refused(f.reason)
	x.write(f.status, f.body, nil)
	return nil
}

// refuseTransport refuses a request that breaks a rule of the transport.
func (x *exchange) refuseTransport(f *transport.Refusal) error {
	x.describe()
	env := envelope.New(x.h.serviceName(), codeOf(f.Status), sanitize.Safe{}, envelope.WithStatus(f.Status))
	body := f.Body()
	if f.Data == nil {
		// The text stays the fixed one that clients match on; the envelope
		// goes where the specification defines no data.
		if b, err := sjson.SetRawBytes(body, "error.data", normalize.Marshal(env)); err == nil {
			body = b
		}
	}
	return x.refuse(refusal{reason: f.Reason, status: f.Status, header: f.Header, body: body, env: &env})
}

// codeOf is the code of a refusal by the transport.
func codeOf(status int) envelope.Code {
	switch status {
	case http.StatusUnauthorized:
		return envelope.AuthFailed
	case http.StatusForbidden:
		return envelope.Forbidden
	case http.StatusBadRequest:
		return envelope.BadRequest
	}
	return envelope.UpstreamClientError
}

// refuseCalls refuses the calls of a request, in the shape that the operator
// chose, or the one that every client of the protocol delivers to its model.
func (x *exchange) refuseCalls(no *denial) error {
	style := x.h.Errors.Rejections
	answer := func(c *normalize.Call, env envelope.Envelope) []byte {
		if style == "result" {
			return normalize.Answer(c, env)
		}
		return normalize.Error(c, normalize.ErrorCode(env), env, nil)
	}
	var answers [][]byte
	for i, p := range x.calls {
		p.answered = true
		env, ok := no.calls[i]
		if !ok {
			env = no.env
		}
		answers = append(answers, answer(&p.Call, env))
	}
	if len(answers) == 0 {
		answers = append(answers, normalize.Error(new(normalize.Call), normalize.ErrorCode(no.env), no.env, nil))
	}
	body := answers[0]
	if x.req != nil && x.req.Batch {
		body = normalize.Join(answers)
	}
	status := http.StatusOK
	if style == "http" || len(x.calls) == 0 || style == "result" && !x.allResults() && x.modern() {
		// Legacy clients lose their whole session on a 429 (python-sdk
		// before 2.0), so their other requests get the error with 200.
		status = no.env.Status
	}
	if status == 0 {
		status = http.StatusForbidden
	}
	return x.refuse(refusal{reason: no.reason, status: status, body: body, env: &no.env})
}

func (h *Handler) serviceName() string {
	if h.service == "" {
		return normalize.DefaultService
	}
	return h.service
}
