package caddymodule

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/google/uuid"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/caddymcp/gateway/normalize"
	"github.com/caddymcp/gateway/normalize/envelope"
	"github.com/caddymcp/gateway/normalize/sanitize"
)

// Words of the client are cut to this before they stand in a log or a
// placeholder.
const maxWord = 128

// describe makes the placeholders of the request known and sets the fields of
// the access log.
func (x *exchange) describe() {
	x.repl.Map(x.placeholder)
	if !x.logged() {
		return
	}
	if extra, ok := x.r.Context().Value(caddyhttp.ExtraLogFieldsCtxKey).(*caddyhttp.ExtraLogFields); ok {
		extra.Add(zap.Inline(x))
	}
}

// logged reports whether the server may write an access log.
func (x *exchange) logged() bool {
	srv, ok := x.r.Context().Value(caddyhttp.ServerCtxKey).(*caddyhttp.Server)
	return !ok || srv.Logs != nil
}

// MarshalLogObject writes the fields of the access log, which asks for them when
// the request has ended, if there is one.
func (x *exchange) MarshalLogObject(enc zapcore.ObjectEncoder) error {
	if x.req != nil {
		enc.AddString("mcp_method", x.method())
	}
	if tool := x.tool(); tool != "" {
		enc.AddString("mcp_tool", tool)
	}
	if x.known() {
		enc.AddString("mcp_key_hash", x.whoHash.String())
	}
	if x.refusedBy != "" {
		enc.AddString("mcp_limit", x.refusedBy)
	}
	if x.code != "" {
		enc.AddString("mcp_code", string(x.code))
		enc.AddString("mcp_error_class", string(x.class))
	}
	if x.madeID {
		enc.AddString("uuid", x.requestID) // as Caddy names its own
	}
	return nil
}

// placeholder gives the values of {http.mcp_gateway.*} when they are asked for.
func (x *exchange) placeholder(key string) (any, bool) {
	name, ok := strings.CutPrefix(key, "http.mcp_gateway.")
	if !ok {
		return nil, false
	}
	switch name {
	case "service":
		return x.service(), true
	case "method":
		return x.method(), true
	case "tool":
		return x.tool(), true
	case "era":
		return x.era(), x.req != nil
	case "code":
		return string(x.code), x.code != ""
	case "error_class":
		return string(x.class), x.class != ""
	case "key_hash":
		return x.whoHash.String(), x.known()
	case "limit":
		return x.refusedBy, x.refusedBy != ""
	}
	return nil, false
}

// noteFailure sets the placeholders and access-log fields of a failure, and
// tells the subscribers of the event. The first failure of a batch stands for
// all of it.
func (x *exchange) noteFailure(e *envelope.Envelope) {
	if x.code == "" {
		x.code, x.class = e.Code, e.Class
	}
	if x.h.events.ShouldEmit("mcp_gateway_failure") {
		x.h.events.Emit(x.h.ctx, "mcp_gateway_failure", map[string]any{
			"service": x.service(), "code": string(e.Code), "error_class": string(e.Class), "status": e.Status,
			"method": x.method(), "tool": x.tool(), "request_id": x.id(),
		})
	}
}

// report takes down one failure that was rewritten, or seen in disguise: metric,
// placeholders, event, one line without any text of the server, and at debug
// the original with its secrets masked.
func (x *exchange) report(rep *normalize.Report) {
	h, e := x.h, &rep.Envelope
	if !rep.Flagged {
		x.failed = true
	}
	x.noteOutcome(rep.Call, e.Class)
	h.metrics.failure(x, rep)
	x.noteFailure(e)
	msg := "rewrote failure"
	if rep.Flagged {
		msg = "failure in disguise passed"
	}
	if c := h.logger.Check(levelOf(e.Class), msg); c != nil {
		c.Write(append(x.fields(), zap.String("code", string(e.Code)), zap.String("error_class", string(e.Class)),
			zap.Int("status", e.Status), zap.String("rule", rep.Rule))...)
	}
	if c := h.logger.Check(zapcore.DebugLevel, "original failure"); c != nil {
		c.Write(append(x.fields(), zap.String("original",
			sanitize.MaskLog(string(rep.Original), h.Errors.LogTraceLines, h.Errors.literals)))...)
	}
}

// levelOf is the level of a failure's line: what somebody may have to look into
// is a warning, what the caller has to mend is not.
func levelOf(c envelope.Class) zapcore.Level {
	if c == envelope.Dependency || c == envelope.Retryable {
		return zapcore.WarnLevel
	}
	return zapcore.InfoLevel
}

// logRefusal writes the line of a refused request.
func (x *exchange) logRefusal(f refusal) {
	c := x.h.logger.Check(zapcore.InfoLevel, "refused request")
	if c == nil {
		return
	}
	fields := append(x.fields(), zap.String("reason", f.reason), zap.Int("status", f.status))
	if f.env != nil {
		fields = append(fields, zap.String("code", string(f.env.Code)), zap.String("error_class", string(f.env.Class)))
	}
	c.Write(fields...)
}

// logError writes what the next handler said when it failed. Such errors name
// addresses of the operator's own network: the operator needs them.
func (x *exchange) logError(err error, status int) {
	if err == nil {
		return
	}
	level := zapcore.DebugLevel
	if status >= http.StatusInternalServerError {
		level = zapcore.ErrorLevel
	}
	if c := x.h.logger.Check(level, "next handler failed"); c != nil {
		c.Write(append(x.fields(), zap.Int("status", status),
			zap.String("error", sanitize.MaskLog(err.Error(), x.h.Errors.LogTraceLines, x.h.Errors.literals)))...)
	}
}

// fields are in every line of the gateway.
func (x *exchange) fields() []zap.Field {
	return []zap.Field{
		zap.String("request_id", x.id()), zap.String("service", x.service()),
		zap.String("mcp_method", x.method()), zap.String("mcp_tool", x.tool()),
	}
}

// id is the request's id, the same as {http.request.uuid}. Few requests need one. If nobody has asked for Caddy's by then
// it is made here: to make its own, Caddy writes to a map that a proxy's transport reads at the same time. A value that is
// set comes before Caddy's, so that whoever asks later gets the same.
func (x *exchange) id() string {
	if x.requestID != "" {
		return x.requestID
	}
	if made, ok := caddyhttp.GetVar(x.r.Context(), "uuid").(fmt.Stringer); ok {
		x.requestID = made.String()
	} else {
		x.requestID, x.madeID = uuid.NewString(), true
		x.repl.Set("http.request.uuid", x.requestID)
	}
	return x.requestID
}

func (x *exchange) service() string {
	if len(x.calls) > 0 && x.calls[0].Service != "" {
		return x.calls[0].Service
	}
	return x.h.serviceName()
}

func (x *exchange) method() string {
	switch {
	case x.req == nil:
		return ""
	case x.req.Batch:
		return "batch"
	case len(x.req.Messages) == 1:
		return word(x.req.Messages[0].Method)
	}
	return ""
}

func (x *exchange) tool() string {
	if len(x.calls) == 1 {
		return word(x.calls[0].Tool)
	}
	return ""
}

func (x *exchange) era() string {
	if x.modern() {
		return "modern"
	}
	return "legacy"
}

// word cuts and cleans a word of the client.
func word(s string) string {
	clean := len(s) <= maxWord
	for i := 0; clean && i < len(s); i++ {
		clean = s[i] > ' ' && s[i] <= '~'
	}
	if clean {
		return s
	}
	b := make([]byte, 0, maxWord)
	for i := 0; i < len(s) && len(b) < maxWord; i++ {
		if s[i] > ' ' && s[i] <= '~' {
			b = append(b, s[i])
		}
	}
	return string(b)
}
