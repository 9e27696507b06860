package transport

import (
	"bytes"
	"unicode/utf8"
)

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
		if !f.message(key, raw) && s.whole {
			f.fold(key, messageKeys)
		}
	case params:
		if s.whole && !f.inParams(key, raw) {
			f.fold(key, paramsKeys)
		}
	case meta:
		if s.whole && !f.inMeta(key, raw) {
			f.fold(key, metaKeys)
		}
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

// message, inParams and inMeta note a member that the rules speak of, and report whether it is one.
func (f *fields) message(key, raw []byte) bool {
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
		return false
	}
	return true
}

func (f *fields) inParams(key, raw []byte) bool {
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
		return false
	}
	return true
}

func (f *fields) inMeta(key, raw []byte) bool {
	switch string(key) {
	case keyMetaVersion:
		f.metaVersion = raw
	case keyMetaCapabilities:
		f.metaCapabilities = raw
	default:
		return false
	}
	return true
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

// fold notes a key that differs in case only from one that is known. Outside ASCII, letters of other lengths are the same
// but for their case.
func (f *fields) fold(key []byte, known [][]byte) {
	if f.variant != nil {
		return
	}
	ascii := isASCII(key)
	for _, k := range known {
		if (!ascii || len(k) == len(key)) && bytes.EqualFold(key, k) && !bytes.Equal(key, k) {
			f.variant = key
			return
		}
	}
}

func isASCII(b []byte) bool {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
