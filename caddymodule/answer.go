package caddymodule

import (
	"net/http"
	"strconv"

	"github.com/tidwall/gjson"

	"github.com/caddymcp/gateway/normalize"
	"github.com/caddymcp/gateway/normalize/classify"
)

// failure is an answer that has no usable message: an HTTP error, a body that
// cannot be read, or none.
type failure struct {
	status int            // what the server said, or what a proxy would say
	fault  classify.Fault // what the gateway saw itself
	header http.Header
	body   []byte // what came, or nil
}

// answerFailure writes what the client gets instead.
func (x *exchange) answerFailure(f failure) error {
	challenge := f.header.Get("WWW-Authenticate") != "" &&
		(f.status == http.StatusUnauthorized || f.status == http.StatusForbidden)
	// A client must start anew when its session is gone, and only the status
	// tells it so (MCP 2025-11-25, transports, session management).
	sessionGone := f.status == http.StatusNotFound && !x.modern() && x.r.Header.Get("Mcp-Session-Id") != ""
	keepStatus := challenge || sessionGone

	status := f.status
	var body []byte
	if status < 400 {
		status = http.StatusBadGateway
	}
	car := carrier(f.status, f.header)
	if f.fault != classify.NoFault && f.body == nil {
		car.Status = 0 // a proxy's word for what the fault names
	}
	switch {
	case len(x.calls) == 0:
		body = x.withoutCall(car, f)
	case !keepStatus && f.fault == classify.NoFault && normalize.IsMessage(f.body):
		body = x.message(car, f.body)
		if x.unknown {
			return x.denyUnknown()
		}
		if x.allResults() && isResult(body) {
			status = http.StatusOK
		}
	default:
		var answers [][]byte
		for _, p := range x.open() {
			p.answered = true
			var one []byte
			var rep normalize.Report
			if keepStatus {
				one, rep = x.h.norm.FailureAsError(car, f.fault, f.body, &p.Call)
			} else {
				one, rep = x.h.norm.Failure(car, f.fault, f.body, &p.Call)
			}
			if !keepStatus && x.unknownTool(&rep) {
				return x.denyUnknown()
			}
			x.report(&rep)
			answers = append(answers, one)
		}
		switch {
		case len(answers) == 0:
			body = x.withoutCall(car, f)
		case x.req.Batch:
			body = normalize.Join(answers)
		default:
			body = answers[0]
		}
		if !keepStatus && x.allResults() {
			status = http.StatusOK
		}
	}
	x.write(status, body, f.header)
	return nil
}

// withoutCall is the body for a request that has no id to answer.
func (x *exchange) withoutCall(car normalize.Carrier, f failure) []byte {
	c := normalize.Call{Method: "http", Service: x.h.service}
	body, rep := x.h.norm.FailureAsError(car, f.fault, f.body, &c)
	x.report(&rep)
	return body
}

// allResults reports whether every call may be answered by a failing result,
// which travels with HTTP 200.
func (x *exchange) allResults() bool {
	for _, p := range x.calls {
		if !p.IsToolCall() || p.Task {
			return false
		}
	}
	return len(x.calls) > 0
}

func isResult(body []byte) bool {
	return !gjson.GetBytes(body, "error").Exists()
}

// passing are the headers of the server that may go with an answer that the
// gateway wrote: nobody knows what else a failing server puts there.
var passing = []string{
	"Retry-After", "Www-Authenticate", "Allow", "Mcp-Session-Id", "Cache-Control", "Vary", "Via",
	"Ratelimit", "Ratelimit-Policy", "Access-Control-Allow-Origin", "Access-Control-Allow-Credentials",
	"Access-Control-Expose-Headers", "Traceparent",
}

// write sends an answer that the gateway wrote. theirs are headers of the
// server, or nil.
func (x *exchange) write(status int, body []byte, theirs http.Header) {
	h := x.w.Header()
	kept := make(http.Header, len(passing))
	for _, k := range passing {
		if v, ok := theirs[k]; ok {
			kept[k] = v
		}
	}
	if x.modern() {
		delete(kept, "Mcp-Session-Id")
	}
	x.own.restore(h)
	for k, v := range kept {
		h[k] = v
	}
	x.allowOrigin(h)
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	x.w.WriteHeader(status)
	// An error means that the client has left, which nobody can tell it.
	_, _ = x.w.Write(body)
}

// preflight answers a CORS preflight of an origin that is allowed.
func (h *Handler) preflight(w http.ResponseWriter, r *http.Request) error {
	hd := w.Header()
	hd.Set("Access-Control-Allow-Origin", r.Header.Get("Origin"))
	hd.Add("Vary", "Origin")
	hd.Set("Access-Control-Allow-Methods", "POST, GET, DELETE")
	if v := r.Header.Get("Access-Control-Request-Headers"); v != "" {
		hd.Set("Access-Control-Allow-Headers", v)
		hd.Add("Vary", "Access-Control-Request-Headers")
	}
	hd.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// allowOrigin lets a browser of an allowed origin read the answer, unless the
// server takes care of that itself.
func (x *exchange) allowOrigin(h http.Header) {
	origin := x.r.Header.Get("Origin")
	if origin == "" || len(x.h.AllowedOrigins) == 0 || h.Get("Access-Control-Allow-Origin") != "" {
		return
	}
	h.Set("Access-Control-Allow-Origin", origin)
	h.Add("Vary", "Origin")
	h.Set("Access-Control-Expose-Headers", "Mcp-Session-Id, MCP-Protocol-Version, Retry-After, WWW-Authenticate")
}
