package caddymodule

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/caddymcp/gateway/normalize/classify"
	"github.com/caddymcp/gateway/transport"
)

// mode is what the response writer does with the server's answer.
type mode int

const (
	undecided mode = iota
	pass           // nothing in it can fail: hand it on
	hold           // one message: hold it until it is whole
	stream         // server-sent events: look at one at a time
	deaf           // the gateway answers instead: drop what still comes
)

// responseWriter stands between the server and the client. It decides from
// status and headers what the answer is, and passes on nothing of a failure.
type responseWriter struct {
	caddyhttp.ResponseWriterWrapper
	x      *exchange
	mode   mode
	status int
	hints  int            // informational answers so far
	fault  classify.Fault // what is wrong with the answer itself, seen in its header
	held   *buffer
	coding string // content coding that the server used although asked not to
	events *eventWriter
}

// maxHints is how many informational answers pass. More are taken for an answer
// without end: net/http sets no bound on them.
const maxHints = 100

func newResponseWriter(x *exchange) *responseWriter {
	x.rw = responseWriter{ResponseWriterWrapper: caddyhttp.ResponseWriterWrapper{ResponseWriter: x.w}, x: x}
	return &x.rw
}

// free gives the buffers back.
func (w *responseWriter) free() {
	if w.events != nil {
		w.events.stop()
	}
	if w.held != nil {
		giveBack(w.held)
	}
	w.held = nil
}

// WriteHeader decides what happens to the answer. Informational answers pass,
// maxHints of them, and decide nothing; 101 is final.
func (w *responseWriter) WriteHeader(status int) {
	if w.mode != undecided {
		return
	}
	if status >= 100 && status < 200 && status != http.StatusSwitchingProtocols {
		if w.hints++; w.hints > maxHints {
			w.x.abort(errTooLarge)
			return
		}
		w.ResponseWriter.WriteHeader(status)
		return
	}
	if w.x.aborted() != nil {
		// A proxy reports the cancellation as a client that left.
		w.mode = deaf
		return
	}
	w.status = status
	w.mode = w.decide()
	h := w.Header()
	if w.x.modern() {
		// Clients of the legacy era adopt a session from any answer.
		h.Del("Mcp-Session-Id")
	}
	if w.mode != hold {
		w.x.allowOrigin(h)
	}
	switch w.mode {
	case pass:
		w.ResponseWriter.WriteHeader(status)
	case hold:
		w.held = bufferFor(h, w.x.h.MaxResponseBody)
	case stream:
		h.Del("Content-Length")
		h.Del("Content-Encoding")
		w.events = newEventWriter(w.x, w.ResponseWriter, carrier(status, h), w.coding)
		if w.x.suspect {
			// Until the server's first word: it may be that there is no such tool.
			w.events.waiting = status
			return
		}
		w.ResponseWriter.WriteHeader(status)
	}
}

func (w *responseWriter) decide() mode {
	h := w.Header()
	switch {
	case w.status == http.StatusSwitchingProtocols, w.status == http.StatusNoContent,
		w.status == http.StatusNotModified, w.x.r.Method == http.MethodHead:
		return pass
	case w.status == 499 && w.x.clientGone():
		return pass
	case w.status >= 400:
		w.coding = contentCoding(h)
		return hold
	case w.status >= 300:
		return pass
	case len(w.x.calls) == 0 && w.x.kind != transport.Listen, w.status == http.StatusAccepted:
		return pass
	}
	w.coding = contentCoding(h)
	media := mediaType(h.Get("Content-Type"))
	switch {
	case w.coding != "" && !decodable(w.coding):
		w.fault = classify.NotJSON
		return hold
	case media == "text/event-stream":
		return stream
	case w.x.kind == transport.Listen:
		return pass
	case media == "application/json" || strings.HasSuffix(media, "+json"):
		return hold
	}
	w.fault = classify.WrongType
	return hold
}

// mediaType is the media type without its parameters, in lower case.
func mediaType(s string) string {
	if s == "application/json" || s == "text/event-stream" {
		return s
	}
	media, _, _ := mime.ParseMediaType(s)
	return media
}

// Write takes a part of the body.
func (w *responseWriter) Write(p []byte) (int, error) {
	if w.mode == undecided {
		w.WriteHeader(http.StatusOK)
	}
	switch w.mode {
	case pass:
		return w.ResponseWriter.Write(p)
	case stream:
		n, err := w.events.Write(p)
		if err == errUnknown {
			w.mode = deaf
			w.x.abort(errUnknown)
			return len(p), nil
		}
		return n, err
	case hold:
		w.x.alive()
		return w.keep(p)
	}
	return len(p), nil
}

// keep holds a part of the body. Of an answer that is a failure anyway the head
// suffices; any other answer that is too large is given up.
func (w *responseWriter) keep(p []byte) (int, error) {
	room := w.x.h.MaxResponseBody - int64(w.held.Len())
	if int64(len(p)) <= room {
		w.held = enlarge(w.held, len(p))
		return w.held.Write(p)
	}
	if w.status >= 400 || w.fault != classify.NoFault {
		w.held = enlarge(w.held, int(room))
		w.held.Write(p[:room])
		w.mode = deaf
		w.x.abort(errEnough) // the rest may never end
		return len(p), nil
	}
	w.mode = deaf
	w.fault = classify.TooLarge
	w.x.abort(errTooLarge)
	return len(p), nil
}

// ReadFrom keeps io.Copy from going around Write.
func (w *responseWriter) ReadFrom(r io.Reader) (int64, error) {
	if w.mode == pass {
		return w.ResponseWriterWrapper.ReadFrom(r)
	}
	return io.Copy(struct{ io.Writer }{w}, r)
}

// FlushError flushes what was passed on. While an answer is held there is
// nothing to flush, and the header must not go out.
func (w *responseWriter) FlushError() error {
	if w.mode == stream && w.events.waiting != 0 {
		return nil
	}
	switch w.mode {
	case pass, stream:
		return http.NewResponseController(w.ResponseWriter).Flush()
	}
	return nil
}

// owes reports whether the client still waits for an answer that a broken
// answer of the server leaves open.
func (w *responseWriter) owes() bool {
	switch w.mode {
	case hold, deaf:
		return true
	case stream:
		return len(w.x.open()) > 0 || w.x.aborted() != nil || w.x.unknown && w.events.waiting != 0
	}
	return false
}

// finish ends the answer. err and cut say how the next handler ended.
func (w *responseWriter) finish(err error, cut bool) error {
	x := w.x
	fault := classify.NoFault
	switch x.aborted() {
	case errSilent:
		fault = classify.Timeout
	case errTooLarge:
		fault = classify.TooLarge
	case errLeaseLost:
		return w.finishLost()
	}
	if fault == classify.NoFault && cut {
		fault = classify.Cut
	}
	if w.mode == deaf && x.unknown {
		return x.denyUnknown()
	}
	switch w.mode {
	case deaf:
		if errors.Is(context.Cause(x.ctx), errEnough) && !x.clientGone() {
			return w.finishHeld()
		}
	case stream:
		if err = w.events.finish(fault, err); err == errUnknown {
			return x.denyUnknown()
		}
		return err
	case pass:
		return err
	case hold:
		if fault == classify.NoFault && err == nil {
			return w.finishHeld()
		}
	case undecided:
		if err == nil && fault == classify.NoFault {
			return w.finishSilent()
		}
	}
	status := http.StatusBadGateway
	if fault == classify.NoFault {
		fault, status = faultOf(err)
		x.logError(err, status)
	} else if fault == classify.Timeout {
		status = http.StatusGatewayTimeout
	}
	if x.clientGone() {
		return err
	}
	return x.answerFailure(failure{status: status, fault: fault, header: w.Header()})
}

// finishSilent ends an answer of which nothing came, not even a status.
func (w *responseWriter) finishSilent() error {
	if len(w.x.calls) == 0 || w.x.clientGone() {
		return nil
	}
	return w.x.answerFailure(failure{status: http.StatusOK, fault: classify.Empty, header: w.Header()})
}

// faultOf reads the error of the next handler.
func faultOf(err error) (classify.Fault, int) {
	status := http.StatusInternalServerError
	var he caddyhttp.HandlerError
	if errors.As(err, &he) && he.StatusCode != 0 {
		status = he.StatusCode
	}
	return networkFault(err), status
}
