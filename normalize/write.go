package normalize

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"sync"

	"github.com/tidwall/gjson"

	"github.com/caddymcp/gateway/normalize/envelope"
	"github.com/caddymcp/gateway/normalize/sanitize"
)

// Meta keys of the specification that a failing result keeps.
const (
	metaRelatedTask = "io.modelcontextprotocol/related-task"
	metaServerInfo  = "io.modelcontextprotocol/serverInfo"
)

// Result writes the envelope as the JSON-RPC answer to a tools/call: a
// CallToolResult with isError. meta is the upstream's _meta, or nil: what the
// specification defines of it stays, everything else is dropped.
func Result(c *Call, e envelope.Envelope, meta []byte) []byte {
	b := openMessage(c.ID, "result", 2*resultRoom)
	return append(appendResult(b, c, e, meta), '}')
}

// ResultObject writes the CallToolResult of Result alone, for a success that has
// to be replaced (Exchange.Success).
func ResultObject(c *Call, e envelope.Envelope, meta []byte) []byte { return result(c, e, meta) }

func result(c *Call, e envelope.Envelope, meta []byte) []byte {
	return appendResult(make([]byte, 0, 2*resultRoom), c, e, meta)
}

// resultRoom is what one of the two envelopes of most results takes, in bytes.
const resultRoom = 640

// appendResult writes the CallToolResult alone.
func appendResult(b []byte, c *Call, e envelope.Envelope, meta []byte) []byte {
	env := Marshal(e)
	b = append(b, `{"content":[{"type":"text","text":`...)
	b = append(b, Marshal(e.Sanitized.String())...)
	b = append(b, `}]`...)
	if c.Structured {
		b = append(b, `,"structuredContent":`...)
		b = append(b, env...)
	}
	b = append(b, `,"isError":true,"_meta":{`...)
	b = append(b, keptMeta(meta)...)
	b = append(b, `"`+envelope.MetaKey+`":`...)
	b = append(b, env...)
	b = append(b, '}')
	if c.Modern {
		// Required of every result by 2026-07-28, unknown before it.
		b = append(b, `,"resultType":"complete"`...)
	}
	return append(b, '}')
}

// Error writes the envelope as a JSON-RPC error with the given code. data, when
// not nil, is data that the specification defines for the code and stays as it
// is; otherwise the envelope is the data.
func Error(c *Call, code int64, e envelope.Envelope, data []byte) []byte {
	return message(c.ID, "error", rpcError(code, e, data))
}

// maxCode bounds the codes that stay what they are; a longer number is no code.
const maxCode = 99_999

func rpcError(code int64, e envelope.Envelope, data []byte) []byte {
	if code > maxCode || code < -maxCode {
		code = -32603
	}
	if data == nil {
		data = Marshal(e)
	}
	return Marshal(struct {
		Code    int64           `json:"code"`
		Message sanitize.Safe   `json:"message"`
		Data    json.RawMessage `json:"data"`
	}{code, e.Sanitized, data})
}

// ErrorCode returns the JSON-RPC code for an error that the gateway makes
// itself: the standard code where one fits, else the HTTP status as a positive
// number. -32000 to -32099 is reserved (MCP 2026-07-28, basic, error codes).
func ErrorCode(e envelope.Envelope) int64 {
	switch e.Code {
	case envelope.BadRequest:
		return -32602
	case envelope.NotFound:
		return -32602
	case envelope.UpstreamUnknown, envelope.OutputValidationFailed:
		return -32603
	}
	switch {
	case e.Status == http.StatusInternalServerError || e.Status == 0:
		return -32603
	default:
		return int64(e.Status)
	}
}

// Answer writes the envelope in the dialect of the call: a result for
// tools/call, a JSON-RPC error for everything else.
func Answer(c *Call, e envelope.Envelope) []byte {
	if c.IsToolCall() && !c.Task {
		return Result(c, e, nil)
	}
	return Error(c, ErrorCode(e), e, nil)
}

// message writes a JSON-RPC message. Without an id the field is absent: null is
// outside the schema of MCP and clients choke on it.
func message(id []byte, member string, value []byte) []byte {
	b := openMessage(id, member, len(value))
	return append(append(b, value...), '}')
}

// openMessage is a message up to the value of its last member, with room for that.
func openMessage(id []byte, member string, room int) []byte {
	b := make([]byte, 0, room+len(id)+48)
	b = append(b, `{"jsonrpc":"2.0",`...)
	if len(id) > 0 {
		b = append(b, `"id":`...)
		b = append(b, id...)
		b = append(b, ',')
	}
	b = append(b, '"')
	b = append(b, member...)
	return append(b, `":`...)
}

// keptMeta returns the members of an upstream's _meta that stay, each followed
// by a comma.
func keptMeta(meta []byte) []byte {
	var b []byte
	m := gjson.ParseBytes(meta)
	if !m.IsObject() {
		return nil
	}
	add := func(key string, v any) {
		b = append(b, Marshal(key)...)
		b = append(b, ':')
		b = append(b, Marshal(v)...)
		b = append(b, ',')
	}
	m.ForEach(func(k, v gjson.Result) bool {
		switch k.String() {
		case metaRelatedTask:
			if id := v.Get("taskId"); id.Type == gjson.String && plain(id.String()) && !strings.Contains(id.String(), " ") {
				add(metaRelatedTask, map[string]string{"taskId": id.String()})
			}
		case metaServerInfo:
			name, version := v.Get("name"), v.Get("version")
			if label(name.String()) && number(version.String()) {
				add(metaServerInfo, map[string]string{"name": name.String(), "version": version.String()})
			}
		}
		return len(b) < 1024
	})
	return b
}

// label reports whether s may stand where a client shows it: the name of a
// server.
func label(s string) bool {
	_, ok := sanitize.Ident(s)
	return ok && len(s) <= 40
}

// number reports the version of a server.
func number(s string) bool {
	_, ok := sanitize.Value(s)
	return ok && len(s) <= 32 && !strings.Contains(s, " ") && strings.ContainsAny(s, "0123456789")
}

// plain reports whether s is short and printable ASCII without markup.
func plain(s string) bool {
	if s == "" || len(s) > 128 {
		return false
	}
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' || s[i] == '<' || s[i] == '`' {
			return false
		}
	}
	return true
}

// encoder writes into a buffer of its own.
type encoder struct {
	bytes.Buffer
	*json.Encoder
}

var encoders = sync.Pool{New: func() any {
	e := new(encoder)
	e.Encoder = json.NewEncoder(&e.Buffer)
	e.SetEscapeHTML(false)
	return e
}}

// Marshal encodes v without the escapes for HTML. v never fails to encode.
func Marshal(v any) []byte {
	e := encoders.Get().(*encoder)
	defer func() {
		if e.Cap() <= 64<<10 {
			encoders.Put(e)
		}
	}()
	e.Reset()
	if err := e.Encode(v); err != nil {
		return []byte("null")
	}
	return bytes.Clone(bytes.TrimSuffix(e.Bytes(), []byte{'\n'}))
}
