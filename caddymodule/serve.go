package caddymodule

import (
	"context"
	"maps"
	"net/http"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/caddymcp/gateway/transport"
)

// ServeHTTP is the way of a request through the gateway.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	x := h.newExchange(w, r)
	x.next = next
	head := h.headOf(r)
	var refusal *transport.Refusal
	x.kind, refusal = h.rules.CheckHead(&head)
	if refusal = x.authenticate(&head, refusal); refusal != nil {
		return x.refuseTransport(refusal)
	}
	switch x.kind {
	case transport.NotMCP:
		if h.metadata(w, r) {
			return nil
		}
		x.outgoing(r)
		return next.ServeHTTP(w, r)
	case transport.Preflight:
		return h.preflight(w, r)
	case transport.Post:
		body, refusal, err := h.readBody(r)
		if err != nil {
			return err
		}
		if refusal == nil {
			x.req, refusal = h.rules.CheckBody(&head, body)
		}
		if refusal != nil {
			return x.refuseTransport(refusal)
		}
		x.admit(x.req)
		setBody(r, body)
	}
	defer x.finished()
	x.describe()
	if no := x.decide(); no != nil {
		return x.refuseCalls(no)
	}
	if no := x.acquire(); no == clientLeft {
		return x.endForGone()
	} else if no != nil {
		return x.refuseCalls(no)
	}
	return x.forward(next)
}

// forward calls the next handler and sees that the client gets its answer,
// whatever becomes of the server.
func (x *exchange) forward(next caddyhttp.Handler) error {
	x.ctx, x.cancel = context.WithCancelCause(x.r.Context())
	defer x.cancel(nil)
	stop := x.watch()
	defer stop()
	defer x.watchLease()()
	if x.listening() {
		defer x.h.listeners.add(x)()
		x.h.metrics.streams.Inc()
		defer x.h.metrics.streams.Dec()
	}

	x.own = saveHeaders(x.few[:], x.w.Header())
	rw := newResponseWriter(x)
	defer rw.free()
	r := x.r.WithContext(x.ctx)
	r.Header = maps.Clone(r.Header) // outgoing sets whole values, it changes none
	x.outgoing(r)
	err, cut := call(next, rw, r, x)
	return rw.finish(err, cut)
}

// call calls the next handler. A proxy that has sent a header can report a
// broken answer only by http.ErrAbortHandler; as long as the client is there
// that is not its end, because the gateway still owes it an answer.
func call(next caddyhttp.Handler, rw *responseWriter, r *http.Request, x *exchange) (err error, cut bool) {
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		if p != http.ErrAbortHandler || x.clientGone() || !rw.owes() {
			panic(p)
		}
		cut = true
	}()
	return next.ServeHTTP(rw, r), false
}
