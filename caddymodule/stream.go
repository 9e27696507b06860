package caddymodule

import (
	"io"
	"net/http"
	"sync"

	"github.com/tidwall/gjson"

	"github.com/caddymcp/gateway/normalize"
	"github.com/caddymcp/gateway/normalize/classify"
	"github.com/caddymcp/gateway/transport"
)

// eventWriter passes server-sent events on, one at a time, each as soon as it is
// whole. Only the data of an event that carries a failure changes.
type eventWriter struct {
	x      *exchange
	w      http.ResponseWriter
	car    normalize.Carrier
	split  transport.Splitter
	coding *decoder
	out    []byte // what one Write passes on
	lent   *[]byte
	resume bool // the stream has event ids, so a client may come back for the rest
	drop   bool // the rest of an event that is too large
	broken bool // an event was no JSON

	// waiting is the status that goes out before the first word of the server;
	// 0 when it has gone. said is true when that word has come.
	waiting int
	said    bool
}

func newEventWriter(x *exchange, w http.ResponseWriter, car normalize.Carrier, coding string) *eventWriter {
	e := &eventWriter{x: x, w: w, car: car, lent: outs.Get().(*[]byte)}
	e.out = (*e.lent)[:0]
	e.split.Max = int(x.h.MaxResponseBody)
	if coding != "" {
		e.coding = newDecoder(coding, e.plain)
	}
	return e
}

// Write takes bytes of the stream, cut anywhere.
func (e *eventWriter) Write(p []byte) (int, error) {
	if e.coding != nil {
		if _, err := e.coding.Write(p); err != nil {
			return 0, err
		}
		return len(p), nil
	}
	return len(p), e.plain(p)
}

// plain takes decoded bytes.
func (e *eventWriter) plain(p []byte) error {
	if e.waiting == 0 {
		e.out = e.out[:0]
	}
	err := e.split.Write(p, e.event)
	if e.waiting != 0 {
		if e.x.unknown {
			return errUnknown
		}
		if !e.said && len(e.out) <= maxWaiting {
			return err
		}
		e.commit()
	}
	if len(e.out) > 0 {
		if _, werr := e.w.Write(e.out); werr != nil {
			return werr
		}
		e.x.passedOn()
	}
	if cap(e.out) > maxUsual {
		e.out = nil
	}
	return err
}

// maxWaiting is how much is kept back for the server's first word.
const maxWaiting = 16 << 10

// commit sends the header that waited.
func (e *eventWriter) commit() {
	if e.waiting != 0 {
		e.w.WriteHeader(e.waiting)
		e.waiting = 0
	}
}

// event decides about one event.
func (e *eventWriter) event(ev transport.Event) error {
	if ev.Cont {
		if !e.drop {
			e.out = append(e.out, ev.Raw...)
		}
		return nil
	}
	e.drop = false
	fields := ev.Fields()
	if len(fields.ID) > 0 {
		e.resume = true
	}
	data := fields.Data
	if len(data) == 0 {
		// An event with an id and nothing else only primes the stream.
		e.said = e.said || len(fields.ID) == 0
		e.out = append(e.out, ev.Raw...)
		return nil
	}
	e.said = true
	if ev.Over {
		e.over(ev, data)
		return nil
	}
	e.x.alive()
	if t := string(fields.Type); t != "" && t != "message" {
		// "endpoint" of the HTTP+SSE transport, and what else is no message.
		e.out = append(e.out, ev.Raw...)
		return nil
	}
	a, whole := transport.PeekAnswer(data)
	if whole && plainMessage(&a) {
		e.out = append(e.out, ev.Raw...)
		return nil
	}
	var out []byte
	ok := false
	if whole {
		out, ok = e.x.succeeded(data, &a)
	}
	if !ok && !whole && !gjson.ValidBytes(data) {
		// No client could read it, and nobody knows what it says.
		e.broken = true
		return nil
	}
	if !ok {
		out = e.x.message(e.car, data)
	}
	if same(out, data) {
		e.out = append(e.out, ev.Raw...)
		return nil
	}
	e.out = append(e.out, transport.WithData(ev.Raw, out)...)
	return nil
}

// over decides about an event that is larger than what may be held: it passes
// if it is no answer, and is replaced if it is, or if nobody can tell.
func (e *eventWriter) over(ev transport.Event, data []byte) {
	e.x.alive()
	kind, id, ok := transport.HeadKind(data)
	if ok && kind != transport.Response {
		e.out = append(e.out, ev.Raw...)
		return
	}
	e.drop = true
	c := e.x.Call(id)
	if c.ID == nil && id == nil {
		return
	}
	if c.ID == nil {
		c.ID = id
	}
	e.final(c, classify.TooLarge)
	if !e.x.listening() && len(e.x.open()) == 0 {
		e.x.abort(errTooLarge) // the rest may never end, and nobody needs it
	}
}

// final writes the event that answers a call in the server's stead.
func (e *eventWriter) final(c *normalize.Call, fault classify.Fault) {
	msg, rep := e.x.h.norm.Failure(normalize.Carrier{Header: e.car.Header}, fault, nil, c)
	e.x.report(&rep)
	e.out = append(e.out, transport.EventOf(msg)...)
}

// finish ends the stream. Calls that have no answer get one: a client whose
// stream ends without would wait for its own timeout.
func (e *eventWriter) finish(fault classify.Fault, err error) error {
	if e.coding != nil {
		if cerr := e.coding.Close(); cerr != nil && fault == classify.NoFault {
			fault = classify.Cut
		}
	}
	if e.waiting == 0 {
		e.out = e.out[:0]
	}
	if ferr := e.split.Close(e.tail); ferr != nil {
		return ferr
	}
	if e.waiting != 0 && e.x.unknown {
		return errUnknown
	}
	e.commit()
	open := e.x.open()
	if e.x.clientGone() || e.x.aborted() == errLeaving {
		open = nil
	}
	if fault == classify.NoFault && err == nil && e.resume && !e.x.modern() {
		// The server may close a stream that has ids and expect the client to
		// come back for the rest (MCP 2025-11-25, transports, SSE polling).
		open = nil
	}
	if fault == classify.NoFault {
		fault = classify.Cut
		if e.broken {
			fault = classify.NotJSON
		}
	}
	for _, p := range open {
		p.answered = true
		e.final(&p.Call, fault)
	}
	if len(e.out) == 0 {
		return err
	}
	if _, werr := e.w.Write(e.out); werr != nil {
		return werr
	}
	ferr := http.NewResponseController(e.w).Flush()
	if err == nil {
		err = ferr
	}
	return err
}

// tail decides about what stands after the last blank line. A whole message
// there was meant to be sent; the rest is a cut event, which clients discard.
func (e *eventWriter) tail(ev transport.Event) error {
	if data := ev.Data(); len(data) == 0 || ev.Cont || ev.Over || !gjson.ValidBytes(data) {
		return nil
	}
	if err := e.event(ev); err != nil {
		return err
	}
	e.out = append(e.out, "\n\n"...)
	return nil
}

// outs are buffers for what streams pass on.
var outs = sync.Pool{New: func() any { return new([]byte) }}

// stop ends the decoder, if there is one, and gives the buffer back.
func (e *eventWriter) stop() {
	if e.lent != nil {
		if cap(e.out) <= 64<<10 {
			*e.lent = e.out[:0]
		}
		outs.Put(e.lent)
		e.lent, e.out = nil, nil
	}
	if e.coding != nil {
		_ = e.coding.Close()
	}
}

var _ io.Writer = (*eventWriter)(nil)
