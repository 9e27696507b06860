package transport

import (
	"encoding/base64"
	"net/http"
	"strings"
	"unicode/utf8"
)

// modern has the rungs of 2026-07-28: the envelope in _meta first, then the headers that mirror the body
// (basic/index "Request metadata", basic/transports/streamable-http "Standard headers"). f are the members of
// the one message.
func (r *Rules) modern(h *Head, req *Request, f *fields) *Refusal {
	id := answerID(req)
	if req.Batch {
		return badRequest(CodeInvalidRequest, ReasonBatch, "Invalid Request: batches exist in protocol version "+Version20250326+" only", nil)
	}
	req.Era = Modern
	m := &req.Messages[0]
	m.Task = false
	if m.Kind == Response {
		return badRequest(CodeInvalidRequest, ReasonInvalidRequest, "Invalid Request: responses are not posted in protocol version "+Version20260728, nil)
	}
	version, ok := text(f.metaVersion)
	if m.Kind == Call || f.metaVersion != nil {
		switch {
		case len(f.meta) == 0 || f.meta[0] != '{':
			return envelopeRefusal("_meta is missing", id)
		case !ok:
			return envelopeRefusal("_meta needs "+keyMetaVersion, id)
		case m.Kind == Call && (len(f.metaCapabilities) == 0 || f.metaCapabilities[0] != '{'):
			return envelopeRefusal("_meta needs "+keyMetaCapabilities, id)
		}
	}
	for _, name := range [...]string{headerVersion, headerMethod, headerName} {
		if len(h.Header[name]) > 1 {
			return mismatch(shown[name]+" header repeats", id)
		}
	}
	header, present := versionHeader(h.Header)
	switch {
	case !present:
		return mismatch(shown[headerVersion]+" header is missing", id)
	case f.metaVersion == nil:
		version = header // a notification need not say it twice
	case header != version:
		return mismatch(shown[headerVersion]+" header does not match _meta", id)
	}
	if !r.accepts(version) {
		return r.unsupported(h, version, id)
	}
	req.Version = version
	return mirrored(h.Header, m, id)
}

var shown = map[string]string{headerVersion: "MCP-Protocol-Version", headerMethod: "Mcp-Method", headerName: "Mcp-Name"}

func envelopeRefusal(text string, id []byte) *Refusal {
	return badRequest(CodeInvalidParams, ReasonEnvelope, "Invalid params: "+text, id)
}

func mismatch(text string, id []byte) *Refusal {
	return badRequest(CodeHeaderMismatch, ReasonHeaderMismatch, "Header mismatch: "+text, id)
}

// mirrored compares Mcp-Method and Mcp-Name with the body. The specification says nothing of notifications; there
// a header may be absent, but not lie.
func mirrored(h http.Header, m *Message, id []byte) *Refusal {
	method := h[headerMethod]
	switch {
	case len(method) == 0 && m.Kind == Call:
		return mismatch("Mcp-Method header is missing", id)
	case len(method) > 0 && trimOWS(method[0]) != m.Method:
		return mismatch("Mcp-Method header does not match the method", id)
	}
	if !hasName(m.Method) {
		return nil
	}
	name := h[headerName]
	if len(name) == 0 {
		if m.Name == "" {
			return nil // nothing to mirror
		}
		return mismatch("Mcp-Name header is missing", id)
	}
	if v, ok := decodeName(trimOWS(name[0])); !ok || v != m.Name {
		return mismatch("Mcp-Name header does not match the body", id)
	}
	return nil
}

// hasName lists the methods that Mcp-Name is required for. The tasks are those of the tasks extension.
func hasName(method string) bool {
	switch method {
	case methodCall, methodGet, methodRead, "tasks/get", "tasks/update", "tasks/cancel":
		return true
	}
	return false
}

// decodeName reads a mirrored value: =?base64?…?= with exactly these markers and strict padding, else printable
// ASCII as it stands.
func decodeName(v string) (string, bool) {
	if in, ok := strings.CutPrefix(v, "=?base64?"); ok {
		if in, ok = strings.CutSuffix(in, "?="); ok {
			b, err := base64.StdEncoding.Strict().DecodeString(in)
			return string(b), err == nil && utf8.Valid(b)
		}
	}
	for i := range len(v) {
		if (v[i] < ' ' || v[i] > '~') && v[i] != '\t' {
			return "", false
		}
	}
	return v, true
}
