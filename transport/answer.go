package transport

import "bytes"

// maxAnswerDepth is how deep an answer may nest: as deep as encoding/json reads.
const maxAnswerDepth = 10000

// Answer is a JSON-RPC message as a server sent it. Its byte slices are parts of the message.
type Answer struct {
	ID     []byte // raw token; nil when absent or null
	Kind   MessageKind
	Result []byte // raw value; nil when absent
	Error  []byte // raw value; nil when absent, or null beside a result or a method
	Method string // of a call or a notification
	// Dup is true when a key repeats in the message, or directly in its result, error or params: readers then
	// differ on what it says, and the caller should take the worst reading.
	Dup bool
	// Marked is true when a result may say that it is a failure: isError, in any case of its letters, is there and
	// not false, in the result or in an object that may be a tool result itself. A result that is not marked is a
	// success, as far as it says.
	Marked bool
	// Unended is true when a result says that its call goes on: it has a resultType other than complete (MCP 2026-07-28),
	// or is a task (MCP 2025-11-25, tasks).
	Unended bool
	// Structured is the raw structuredContent of a result, and Text the raw first text of its content; nil when
	// absent.
	Structured, Text []byte
}

// PeekAnswer reads what a server sent. ok is false when msg is not exactly one JSON object, or has none of
// result, error and method. Nothing else is asked of it: a success must not fail for a missing jsonrpc member.
// Keys count in their exact case. It does not allocate in proportion to msg.
func PeekAnswer(msg []byte) (a Answer, ok bool) {
	s := begin(msg, maxAnswerDepth, false)
	defer s.end()
	if s.next() != '{' || !s.object(message) || !s.done() {
		return Answer{}, false
	}
	f := &s.f
	a = Answer{ID: f.id, Result: f.result, Error: f.err, Dup: f.repeated != nil,
		Marked: f.marked, Unended: f.unended, Structured: f.structured, Text: f.firstText}
	if string(a.ID) == "null" {
		a.ID = nil
	}
	if m, isText := text(f.method); isText {
		a.Method = m
	}
	if string(a.Error) == "null" && (a.Result != nil || a.Method != "") {
		a.Error = nil
	}
	switch {
	case a.Result != nil || a.Error != nil:
		a.Kind = Response
	case a.Method == "":
		return Answer{}, false
	case a.ID == nil:
		a.Kind = Notification
	}
	return a, true
}

// HeadKind tells what a message is from its beginning, when the rest is not at hand: a top-level result or error
// makes it a response, else a method makes it a call or, as far as no id was seen, a notification. ok is false
// when none of them was seen. id is the raw token, nil when it was not seen whole. Of a batch the first message
// decides, without its id. It reads data once and keeps nothing.
func HeadKind(data []byte) (kind MessageKind, id []byte, ok bool) {
	h := head{b: data}
	batch := h.take('[')
	if !h.take('{') {
		return 0, nil, false
	}
	var method, outcome, null bool
	for {
		key, whole := h.text()
		if !whole || !h.take(':') {
			break
		}
		name := string(unquote(key))
		value, whole := h.value()
		switch name {
		case "result":
			outcome = true
		case "error":
			null = string(value) == "null"
			outcome = outcome || !null
		case "method":
			method = true
		case "id":
			if !batch && string(value) != "null" {
				id = value
			}
		}
		if !whole || !h.take(',') {
			break
		}
	}
	switch {
	case outcome, null && !method:
		return Response, id, true
	case !method:
		return 0, id, false
	case id == nil:
		return Notification, nil, true
	}
	return Call, id, true
}

// head walks over the members of an object that may be cut anywhere. It trusts the syntax.
type head struct {
	b []byte
	i int
}

// take skips white space and the byte c.
func (h *head) take(c byte) bool {
	for h.i < len(h.b) && bytes.IndexByte([]byte(" \t\r\n"), h.b[h.i]) >= 0 {
		h.i++
	}
	if h.i < len(h.b) && h.b[h.i] == c {
		h.i++
		return true
	}
	return false
}

// text is the next string with its quotes; false when there is none or it is cut.
func (h *head) text() ([]byte, bool) {
	if !h.take('"') {
		return nil, false
	}
	start := h.i - 1
	for h.i < len(h.b) {
		switch h.b[h.i] {
		case '\\':
			h.i++
		case '"':
			h.i++
			return h.b[start:h.i], true
		}
		h.i++
	}
	h.i = len(h.b)
	return nil, false
}

// value is the next value; false when it is cut. Brackets are counted, not matched.
func (h *head) value() ([]byte, bool) {
	h.take(' ')
	start, depth := h.i, 0
	for h.i < len(h.b) {
		switch h.b[h.i] {
		case '"':
			if _, whole := h.text(); !whole {
				return nil, false
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return bytes.TrimRight(h.b[start:h.i], " \t\r\n"), true
			}
			depth--
		case ',':
			if depth == 0 {
				return bytes.TrimRight(h.b[start:h.i], " \t\r\n"), true
			}
		}
		h.i++
	}
	return nil, false
}
