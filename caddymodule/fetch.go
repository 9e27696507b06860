package caddymodule

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"github.com/caddymcp/gateway/normalize"
	"github.com/caddymcp/gateway/transport"
)

// The bounds of a list of tools that the gateway asks for itself.
const (
	fetchTimeout  = 10 * time.Second
	fetchAgain    = time.Minute // after a failure
	fetchPages    = 20
	fetchMaxBytes = 4 << 20 // of one page
	fetchScopes   = 4096
)

// fetched are the callers for whom a list of tools passed, or was asked for.
type fetched struct {
	mu   sync.Mutex
	done map[string]time.Time     // when to ask again; zero: never
	busy map[string]chan struct{} // closed when the fetch has ended
}

// begin reports whether this request has to ask. When another one asks, it
// waits for that.
func (f *fetched) begin(ctx context.Context, scope string, now time.Time) bool {
	f.mu.Lock()
	if until, ok := f.done[scope]; ok && (until.IsZero() || now.Before(until)) {
		f.mu.Unlock()
		return false
	}
	if wait, ok := f.busy[scope]; ok {
		f.mu.Unlock()
		select {
		case <-wait:
		case <-ctx.Done():
		}
		return false
	}
	defer f.mu.Unlock()
	if f.busy == nil {
		f.busy = make(map[string]chan struct{})
	}
	f.busy[scope] = make(chan struct{})
	return true
}

func (f *fetched) end(scope string, again time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.mark(scope, again)
	close(f.busy[scope])
	delete(f.busy, scope)
}

// listed notes that the caller's own list passed.
func (f *fetched) listed(scope string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.mark(scope, time.Time{})
}

func (f *fetched) mark(scope string, again time.Time) {
	if f.done == nil || len(f.done) >= fetchScopes {
		// Forgetting costs one more list for each caller.
		f.done = make(map[string]time.Time)
	}
	f.done[scope] = again
}

// fetchSchema asks the server for its tools before the first call of a caller
// who has not listed them, when the config says so.
func (x *exchange) fetchSchema(p *pending) {
	h := x.h
	if h.Schemas != "fetch" || p.Schema != nil {
		return
	}
	scope := x.scope()
	if h.fetched.begin(x.r.Context(), scope, x.start) {
		var again time.Time
		outcome := "ok"
		defer func() { h.fetched.end(scope, again) }()
		if err := x.fetchTools(p); err != nil {
			again, outcome = time.Now().Add(fetchAgain), "failed"
			h.logger.Warn("asking the server for its tools failed, calls pass unchecked", x.fields()...)
		}
		h.metrics.policy.fetches.WithLabelValues(outcome).Inc()
	}
	for _, q := range x.calls {
		if q.IsToolCall() && q.Schema == nil {
			q.Schema = h.schema(scope, q.Tool)
			q.Structured = h.structured(q.Schema)
		}
	}
}

// fetchTools asks for all pages.
func (x *exchange) fetchTools(p *pending) error {
	ctx, cancel := context.WithTimeout(x.r.Context(), fetchTimeout)
	defer cancel()
	cursor := ""
	for page := range fetchPages {
		result, err := x.fetchPage(ctx, p, page, cursor)
		if err != nil {
			return err
		}
		x.learn(result)
		next := gjson.GetBytes(result, "nextCursor").String()
		if next == "" || next == cursor {
			return nil
		}
		cursor = next
	}
	return nil
}

// fetchPage asks for one page, with the credentials, the session and the version
// of the caller.
func (x *exchange) fetchPage(ctx context.Context, p *pending, page int, cursor string) (result []byte, err error) {
	body, err := x.listRequest(p, page, cursor)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r := x.r.Clone(ctx)
	for k := range r.Header {
		if strings.HasPrefix(k, "Mcp-Param-") {
			r.Header.Del(k)
		}
	}
	r.Header.Del("Mcp-Name")
	if x.modern() {
		r.Header.Set("Mcp-Method", "tools/list")
	}
	r.Header.Set("Content-Type", "application/json")
	x.outgoing(r)
	setBody(r, body)
	rec := &recorder{header: make(http.Header), done: cancel}
	if err := rec.run(x.next, r); err != nil && rec.result == nil {
		return nil, err
	}
	return rec.end()
}

// listRequest is the request for one page. What a modern client says of itself
// in _meta goes along.
func (x *exchange) listRequest(p *pending, page int, cursor string) (body []byte, err error) {
	body = []byte(fmt.Sprintf(`{"jsonrpc":"2.0","id":"mcp-gateway-list-%d","method":"tools/list","params":{}}`, page))
	if cursor != "" {
		if body, err = sjson.SetBytes(body, "params.cursor", cursor); err != nil {
			return nil, err
		}
	}
	if !x.modern() {
		return body, nil
	}
	for i := range x.req.Messages {
		if m := &x.req.Messages[i]; bytes.Equal(m.ID, p.ID) {
			meta := gjson.GetBytes(m.Params, "_meta")
			if !meta.IsObject() {
				break
			}
			raw, err := sjson.Delete(meta.Raw, "progressToken")
			if err != nil {
				return nil, err
			}
			return sjson.SetRawBytes(body, "params._meta", []byte(raw))
		}
	}
	return body, nil
}

var errNoList = errors.New("the server did not list its tools")

// recorder takes the answer to a request of the gateway's own.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
	split  *transport.Splitter
	result []byte
	done   func() // the result is there, the rest may go
}

// run calls the next handler. A proxy reports an answer that it could not copy
// by a panic.
func (c *recorder) run(next interface {
	ServeHTTP(http.ResponseWriter, *http.Request) error
}, r *http.Request) (err error) {
	defer func() {
		switch v := recover(); v {
		case nil:
		case http.ErrAbortHandler:
			err = errNoList
		default:
			panic(v)
		}
	}()
	return next.ServeHTTP(c, r)
}

func (c *recorder) Header() http.Header { return c.header }

func (c *recorder) WriteHeader(status int) {
	if c.status != 0 || status < 200 && status != http.StatusSwitchingProtocols {
		return
	}
	c.status = status
	if media, _, _ := mime.ParseMediaType(c.header.Get("Content-Type")); media == "text/event-stream" {
		c.split = &transport.Splitter{Max: fetchMaxBytes}
	}
}

func (c *recorder) Write(p []byte) (int, error) {
	c.WriteHeader(http.StatusOK)
	switch {
	case c.result != nil:
		return 0, io.ErrClosedPipe
	case c.split == nil:
		if c.body.Len()+len(p) > fetchMaxBytes {
			return 0, io.ErrShortWrite
		}
		return c.body.Write(p)
	}
	err := c.split.Write(p, func(ev transport.Event) error {
		if ev.Cont || ev.Over || ev.Tail || c.result != nil {
			return nil
		}
		c.answer(ev.Data())
		return nil
	})
	if c.result != nil {
		c.done()
	}
	return len(p), err
}

// Flush implements http.Flusher; there is nobody to flush to.
func (c *recorder) Flush() {}

// answer keeps the result of a message that has one.
func (c *recorder) answer(msg []byte) {
	if !normalize.IsMessage(msg) {
		return
	}
	if r := gjson.GetBytes(msg, "result"); r.IsObject() && r.Get("tools").IsArray() {
		c.result = []byte(r.Raw)
	}
}

// end returns the result.
func (c *recorder) end() ([]byte, error) {
	if c.split == nil && c.status < 300 {
		c.answer(c.body.Bytes())
	}
	if c.result == nil {
		return nil, errNoList
	}
	return c.result, nil
}
