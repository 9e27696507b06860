package transport

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// JSON-RPC and MCP error codes that this package makes. Where none of them fits, the code of a refusal is its
// HTTP status as a positive integer, because -32000 to -32099 is reserved by the MCP specification.
const (
	CodeParse          = -32700 // JSON-RPC 2.0: invalid JSON
	CodeInvalidRequest = -32600 // JSON-RPC 2.0: not a valid request object
	CodeInvalidParams  = -32602 // JSON-RPC 2.0: invalid method parameters
	CodeHeaderMismatch = -32020 // MCP 2026-07-28: a header disagrees with the body
	CodeVersion        = -32022 // MCP 2026-07-28: unsupported protocol version
)

// The values of Refusal.Reason. They are stable and few, fit for a metric's label.
const (
	ReasonHost           = "host"
	ReasonOrigin         = "origin"
	ReasonMethod         = "method"
	ReasonAuth           = "auth"
	ReasonMediaType      = "media_type"
	ReasonAccept         = "accept"
	ReasonTooLarge       = "too_large"
	ReasonParse          = "parse"
	ReasonInvalidRequest = "invalid_request"
	ReasonDuplicateKey   = "duplicate_key"
	ReasonBatch          = "batch"
	ReasonEnvelope       = "envelope"
	ReasonHeaderMismatch = "header_mismatch"
	ReasonVersion        = "version"
	ReasonSession        = "session"
	ReasonInvalidParams  = "invalid_params"
)

// maxEcho is how many characters of a value that the client sent may stand in a text.
const maxEcho = 64

// Refusal is a request that broke a rule. Text may echo what the client itself sent, cut and cleaned, so it
// belongs in the answer and not in a log; Reason is the word for logs and metrics.
type Refusal struct {
	Status int         // HTTP status
	Code   int         // JSON-RPC error code
	Text   string      // JSON-RPC error message
	Data   []byte      // JSON-RPC error data that the specification defines, or nil
	Header http.Header // headers of the answer, e.g. Allow and WWW-Authenticate; may be nil
	ID     []byte      // raw token of the request's id; nil when there is none or it could not be read
	Reason string      // one of the Reason constants
}

// Body is the JSON-RPC error message of the refusal.
func (f *Refusal) Body() []byte { return ErrorBody(f.ID, f.Code, f.Text, f.Data) }

// ErrorBody is a JSON-RPC error message. A nil id leaves the member out, never null: clients of the TypeScript
// and Go SDK break on null. text is escaped; id and data are raw JSON and are written as they are.
func ErrorBody(id []byte, code int, text string, data []byte) []byte {
	b := make([]byte, 0, 96+len(id)+len(text)+len(data))
	b = append(b, `{"jsonrpc":"2.0",`...)
	if id != nil {
		b = append(b, `"id":`...)
		b = append(b, id...)
		b = append(b, ',')
	}
	b = append(b, `"error":{"code":`...)
	b = strconv.AppendInt(b, int64(code), 10)
	b = append(b, `,"message":`...)
	b = gjson.AppendJSONString(b, text)
	if data != nil {
		b = append(b, `,"data":`...)
		b = append(b, data...)
	}
	return append(b, "}}"...)
}

// echo cuts and cleans a value of the client for a text: printable ASCII only, at most 64 characters.
func echo(v string) string {
	var b strings.Builder
	for i := 0; i < len(v) && b.Len() < maxEcho; i++ {
		if v[i] >= ' ' && v[i] <= '~' {
			b.WriteByte(v[i])
		}
	}
	return b.String()
}

func refuse(status, code int, reason, text string) *Refusal {
	return &Refusal{Status: status, Code: code, Reason: reason, Text: text}
}

func badRequest(code int, reason, text string, id []byte) *Refusal {
	return &Refusal{Status: http.StatusBadRequest, Code: code, Reason: reason, Text: text, ID: id}
}
