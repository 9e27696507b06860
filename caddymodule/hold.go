package caddymodule

import (
	"bytes"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/tidwall/gjson"

	"github.com/caddymcp/gateway/normalize"
	"github.com/caddymcp/gateway/normalize/classify"
	"github.com/caddymcp/gateway/normalize/schema"
)

// carrier tells the normalizer what HTTP says of a message.
func carrier(status int, h http.Header) normalize.Carrier {
	return normalize.Carrier{Status: status, Header: h}
}

// finishHeld looks at an answer that is whole.
func (w *responseWriter) finishHeld() error {
	x, h := w.x, w.Header()
	body := w.held.Bytes()
	if w.coding != "" {
		plain, err := decode(w.coding, body, x.h.MaxResponseBody)
		switch {
		case errors.Is(err, errTooLarge):
			w.fault = classify.TooLarge
		case err != nil:
			w.fault = classify.NotJSON
		}
		body = plain
		h.Del("Content-Encoding")
		h.Set("Content-Length", strconv.Itoa(len(body)))
	}
	if w.status >= 400 {
		return x.answerFailure(failure{status: w.status, header: h, body: body})
	}
	if w.fault == classify.NoFault {
		if out, ok := x.success(body); ok {
			return w.send(out, body)
		}
		switch trimmed := bytes.TrimSpace(body); {
		case len(trimmed) == 0:
			w.fault = classify.Empty
		case !normalize.IsMessage(body):
			w.fault = classify.NotJSON
		}
	}
	if w.fault == classify.WrongType && len(bytes.TrimSpace(body)) == 0 {
		w.fault = classify.Empty
	}
	if w.fault != classify.NoFault {
		return x.answerFailure(failure{status: w.status, fault: w.fault, header: h, body: body})
	}
	out := x.message(carrier(w.status, h), body)
	if x.unknown {
		return x.denyUnknown()
	}
	if open := x.open(); len(open) > 0 {
		// JSON that answers nothing would leave the client waiting.
		return x.answerFailure(failure{status: w.status, fault: classify.Empty, header: h})
	}
	return w.send(out, body)
}

// send passes a held answer on: out, in the place of body.
func (w *responseWriter) send(out, body []byte) error {
	h := w.Header()
	if !same(out, body) {
		changed(h, len(out))
	}
	w.x.allowOrigin(h)
	w.ResponseWriter.WriteHeader(w.status)
	_, err := w.ResponseWriter.Write(out)
	return err
}

// changed fixes the headers of an answer whose body is not the server's.
func changed(h http.Header, length int) {
	for _, k := range []string{"Etag", "Digest", "Content-Digest", "Repr-Digest", "Content-Md5", "Last-Modified", "Trailer"} {
		h.Del(k)
	}
	h.Set("Content-Length", strconv.Itoa(length))
}

// message looks at one message of the server, or a batch of them, and returns
// what the client gets: the same slice, if nothing had to change.
func (x *exchange) message(car normalize.Carrier, msg []byte) []byte {
	if out := x.negotiated(msg); out != nil {
		return out
	}
	out, reports := x.h.norm.Message(car, msg, x)
	for i := range reports {
		if x.unknownTool(&reports[i]) {
			x.unknown = true
			return x.hiddenAnswer()
		}
		x.report(&reports[i])
	}
	return out
}

// negotiated replaces the answer to initialize when the server chose a version
// that is not accepted: the client then says so instead of going on with it
// (MCP 2025-11-25, lifecycle, version negotiation).
func (x *exchange) negotiated(msg []byte) []byte {
	if len(x.calls) != 1 || x.calls[0].Method != "initialize" {
		return nil
	}
	v := gjson.GetBytes(msg, "result.protocolVersion")
	if !v.Exists() {
		return nil
	}
	p := x.calls[0]
	f := x.h.rules.CheckNegotiated(v.String(), p.ID)
	if f == nil {
		return nil
	}
	p.answered, x.failed = true, true
	x.h.metrics.refused(f.Reason)
	return f.Body()
}

// Success implements normalize.Exchange.
func (x *exchange) Success(c *normalize.Call, result []byte) []byte {
	switch c.Method {
	case "tools/call":
		return x.readToolResult(c, result)
	case "tools/list":
		return x.toolList(result)
	case "":
		// A resumed stream: whatever it answers, nothing hidden may be in it.
		if tools := x.tools(); tools.Restricted() && gjson.GetBytes(result, "tools").IsArray() {
			result, _ = schema.FilterTools(result, tools.Visible)
		}
	case "server/discover":
		x.h.learnVersions(result)
	}
	return result
}

// learnVersions notes which versions the server speaks, so that a refusal names
// no version that it would refuse in turn.
func (h *Handler) learnVersions(discover []byte) {
	var versions []string
	gjson.GetBytes(discover, "supportedVersions").ForEach(func(_, v gjson.Result) bool {
		if len(v.Str) == len(time.DateOnly) {
			versions = append(versions, v.String())
		}
		return len(versions) < 32
	})
	if len(versions) > 0 {
		h.upstreamVersions.Store(&versions)
	}
}
