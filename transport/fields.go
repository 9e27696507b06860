package transport

import "bytes"

const (
	keyMetaVersion      = "io.modelcontextprotocol/protocolVersion"
	keyMetaCapabilities = "io.modelcontextprotocol/clientCapabilities"
)

// note keeps the raw value of a member that the rules speak of, and finds keys that are one of the protocol's
// but for their case: decoders that ignore case, as Go's does, would take them for it.
func (s *scanner) note(lv level, key, raw []byte) {
	f := &s.f
	switch lv {
	case message:
		f.message(key, raw)
	case params:
		f.inParams(key, raw)
	case meta:
		f.inMeta(key, raw)
	case outcome, nested:
		f.inOutcome(lv, key, raw)
	case block:
		if f.firstText == nil && string(key) == "text" {
			f.firstText = raw
		}
	}
}

// inOutcome notes what tells a success from a failure. A key that is isError but
// for its case counts: some clients decode so.
func (f *fields) inOutcome(lv level, key, raw []byte) {
	switch {
	case len(key) == len("isError") && bytes.EqualFold(key, []byte("isError")):
		f.marked = f.marked || string(raw) != "false"
	case lv == nested:
	case string(key) == "structuredContent":
		f.structured = raw
	case string(key) == "content":
		f.marked = f.marked || raw[0] != '['
	case string(key) == "task":
		f.unended = f.unended || raw[0] == '{'
	case string(key) == "resultType":
		kind, isText := text(raw)
		f.unended = f.unended || isText && kind != "" && kind != "complete"
	}
}

func (f *fields) message(key, raw []byte) {
	switch string(key) {
	case "jsonrpc":
		f.jsonrpc = raw
	case "id":
		f.idRepeated = f.id != nil
		f.id = raw
	case "method":
		f.method = raw
	case "params":
		f.params = raw
	case "result":
		f.result = raw
	case "error":
		f.err = raw
	default:
		f.fold(key, messageKeys)
	}
}

func (f *fields) inParams(key, raw []byte) {
	switch string(key) {
	case "name":
		f.name = raw
	case "arguments":
		f.arguments = raw
	case "_meta":
		f.meta = raw
	case "uri":
		f.uri = raw
	case "taskId":
		f.taskID = raw
	case "task":
		f.task = raw
	default:
		f.fold(key, paramsKeys)
	}
}

func (f *fields) inMeta(key, raw []byte) {
	switch string(key) {
	case keyMetaVersion:
		f.metaVersion = raw
	case keyMetaCapabilities:
		f.metaCapabilities = raw
	default:
		f.fold(key, metaKeys)
	}
}

var (
	messageKeys = keys("jsonrpc", "id", "method", "params", "result", "error")
	// paramsKeys are the members of params in the schemas of all versions.
	paramsKeys = keys("name", "arguments", "_meta", "uri", "taskId", "task", "cursor", "protocolVersion",
		"capabilities", "clientInfo", "ref", "argument", "context", "level", "requestId", "reason", "progressToken",
		"progress", "total", "message", "requestState", "inputResponses", "notifications", "elicitationId")
	metaKeys = keys(keyMetaVersion, keyMetaCapabilities, "io.modelcontextprotocol/clientInfo",
		"io.modelcontextprotocol/logLevel", "io.modelcontextprotocol/related-task", "progressToken")
)

func keys(names ...string) [][]byte {
	out := make([][]byte, len(names))
	for i, n := range names {
		out[i] = []byte(n)
	}
	return out
}

func (f *fields) fold(key []byte, known [][]byte) {
	if f.variant != nil {
		return
	}
	for _, k := range known {
		if bytes.EqualFold(key, k) && !bytes.Equal(key, k) {
			f.variant = key
			return
		}
	}
}
