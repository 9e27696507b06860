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
	x.own = x.w.Header().Clone()
	for k, v := range f.header {
		x.own[k] = v
	}
	if f.env != nil {
		if f.env.RetryAfter > 0 {
			x.own.Set("Retry-After", strconv.Itoa(f.env.RetryAfter))
		}
		x.noteFailure(f.env)
	}
	x.allowOrigin(x.own)
	x.describe()
	x.logRefusal(f)
	x.h.metrics.refused(f.reason)
	x.write(f.status, f.body, nil)
	return nil
}

// refuseTransport refuses a request that breaks a rule of the transport.
func (x *exchange) refuseTransport(f *transport.Refusal) error {
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
func (x *exchange) refuseCalls(reason string, env envelope.Envelope) error {
	var answers [][]byte
	style := x.h.Errors.Rejections
	for _, p := range x.calls {
		p.answered = true
		if style == "result" {
			answers = append(answers, normalize.Answer(&p.Call, env))
		} else {
			answers = append(answers, normalize.Error(&p.Call, normalize.ErrorCode(env), env, nil))
		}
	}
	if len(answers) == 0 {
		c := normalize.Call{}
		answers = append(answers, normalize.Error(&c, normalize.ErrorCode(env), env, nil))
	}
	body := answers[0]
	if x.req != nil && x.req.Batch {
		body = normalize.Join(answers)
	}
	status := http.StatusOK
	switch {
	case style == "http", style == "result" && !x.allResults() && x.modern():
		// Legacy clients lose their whole session on a 429 (python-sdk
		// before 2.0), so they get the error with 200.
		status = env.Status
	}
	if status == 0 {
		status = http.StatusForbidden
	}
	return x.refuse(refusal{reason: reason, status: status, body: body, env: &env})
}

func (h *Handler) serviceName() string {
	if h.service == "" {
		return normalize.DefaultService
	}
	return h.service
}
