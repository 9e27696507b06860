package transport

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// headers makes canonical ones from "name: value" lines.
func headers(lines ...string) http.Header {
	h := http.Header{}
	for _, l := range lines {
		name, value, _ := strings.Cut(l, ":")
		h.Add(name, strings.TrimPrefix(value, " "))
	}
	return h
}

const metaBoth = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

// modernCall is the head and the body of a correct modern tools/call, with other members of params put before _meta.
func modernHead(method string, more ...string) *Head {
	return &Head{Method: "POST", Path: "/mcp", Host: "example.com",
		Header: headers(append([]string{"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: " + method}, more...)...)}
}

func legacyHead(lines ...string) *Head {
	return &Head{Method: "POST", Path: "/mcp", Host: "example.com", Header: headers(lines...)}
}

const list = "2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05, 2024-10-07"

func versionData(requested string) string {
	return `{"supported":["` + strings.ReplaceAll(list, ", ", `","`) + `"],"requested":"` + requested + `"}`
}

func unsupportedText(v string) string {
	return "Unsupported MCP-Protocol-Version: " + v + ". Supported: " + list + "."
}

func deep(n int) string {
	return strings.Repeat("[", n) + strings.Repeat("]", n)
}

func TestCheckBodyRefuses(t *testing.T) {
	modern := func(v string) []string { return []string{"MCP-Protocol-Version: " + v} }
	call := `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"get","arguments":{},` + metaBoth + `}}`
	old := []string{"MCP-Protocol-Version: 2025-06-18"}
	batch := []string{"MCP-Protocol-Version: 2025-03-26"}
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	tests := []struct {
		name    string
		headers []string
		body    string
		status  int
		code    int
		reason  string
		text    string
		id      string
		data    string
	}{
		{"too large", nil, strings.Repeat(" ", DefaultMaxBody+1), 413, 413, ReasonTooLarge, "Request body is larger than 262144 bytes.", "", ""},
		{"utf-8", nil, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", 400, -32700, ReasonParse, "Parse error: invalid UTF-8", "", ""},
		{"lone high surrogate", nil, `{"jsonrpc":"2.0","id":1,"method":"\ud800"}`, 400, -32700, ReasonParse, "Parse error: invalid UTF-8", "", ""},
		{"lone low surrogate", nil, `{"jsonrpc":"2.0","id":1,"method":"x\udc00\ud800"}`, 400, -32700, ReasonParse, "Parse error: invalid UTF-8", "", ""},
		{"byte order mark", nil, "\xef\xbb\xbf" + ping, 400, -32700, ReasonParse, "Parse error: invalid JSON", "", ""},
		{"empty", nil, "", 400, -32700, ReasonParse, "Parse error: empty body", "", ""},
		{"blank", nil, " \n", 400, -32700, ReasonParse, "Parse error: empty body", "", ""},
		{"cut", nil, `{"jsonrpc":"2.0","id":1`, 400, -32700, ReasonParse, "Parse error: invalid JSON", "", ""},
		{"trailing", nil, ping + `x`, 400, -32700, ReasonParse, "Parse error: invalid JSON", "", ""},
		{"two", nil, ping + ping, 400, -32700, ReasonParse, "Parse error: invalid JSON", "", ""},
		{"trailing comma", nil, `{"jsonrpc":"2.0","id":1,"method":"ping",}`, 400, -32700, ReasonParse, "Parse error: invalid JSON", "", ""},
		{"control character", nil, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\nb\"}", 400, -32700, ReasonParse, "Parse error: invalid JSON", "", ""},
		{"batch cut", batch, `[` + ping, 400, -32700, ReasonParse, "Parse error: invalid JSON", "", ""},
		{"deep", nil, `{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":` + deep(63) + `}}`, 400, -32700, ReasonParse, "Parse error: nested too deeply", "", ""},
		{"broken after a repeated key", nil, `{"id":1,"id":2,`, 400, -32700, ReasonParse, "Parse error: invalid JSON", "", ""},

		{"number", nil, `5`, 400, -32600, ReasonInvalidRequest, "Invalid Request: the body must be an object", "", ""},
		{"no version", nil, `{"id":1,"method":"ping"}`, 400, -32600, ReasonInvalidRequest, `Invalid Request: jsonrpc must be "2.0"`, "1", ""},
		{"version 1", nil, `{"jsonrpc":"1.0","id":"a","method":"ping"}`, 400, -32600, ReasonInvalidRequest, `Invalid Request: jsonrpc must be "2.0"`, `"a"`, ""},
		{"version number", nil, `{"jsonrpc":2.0,"id":1,"method":"ping"}`, 400, -32600, ReasonInvalidRequest, `Invalid Request: jsonrpc must be "2.0"`, "1", ""},
		{"id null", nil, `{"jsonrpc":"2.0","id":null,"method":"ping"}`, 400, -32600, ReasonInvalidRequest, "Invalid Request: id must be a string or an integer", "", ""},
		{"id fraction", nil, `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, 400, -32600, ReasonInvalidRequest, "Invalid Request: id must be a string or an integer", "", ""},
		{"id exponent", nil, `{"jsonrpc":"2.0","id":1e2,"method":"ping"}`, 400, -32600, ReasonInvalidRequest, "Invalid Request: id must be a string or an integer", "", ""},
		{"id bool", nil, `{"jsonrpc":"2.0","id":true,"method":"ping"}`, 400, -32600, ReasonInvalidRequest, "Invalid Request: id must be a string or an integer", "", ""},
		{"id object", nil, `{"jsonrpc":"2.0","id":{},"method":"ping"}`, 400, -32600, ReasonInvalidRequest, "Invalid Request: id must be a string or an integer", "", ""},
		{"no method", nil, `{"jsonrpc":"2.0","id":1}`, 400, -32600, ReasonInvalidRequest, "Invalid Request: method is missing", "1", ""},
		{"method number", nil, `{"jsonrpc":"2.0","id":1,"method":5}`, 400, -32600, ReasonInvalidRequest, "Invalid Request: method must be a string", "1", ""},
		{"method empty", nil, `{"jsonrpc":"2.0","id":1,"method":""}`, 400, -32600, ReasonInvalidRequest, "Invalid Request: method must be a string", "1", ""},
		{"params array", nil, `{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}`, 400, -32600, ReasonInvalidRequest, "Invalid Request: params must be an object", "1", ""},
		{"params null", nil, `{"jsonrpc":"2.0","id":1,"method":"ping","params":null}`, 400, -32600, ReasonInvalidRequest, "Invalid Request: params must be an object", "1", ""},
		{"method and result", nil, `{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}`, 400, -32600, ReasonInvalidRequest, "Invalid Request: a message has either method or result or error", "1", ""},
		{"result and error", nil, `{"jsonrpc":"2.0","id":1,"error":{},"result":{}}`, 400, -32600, ReasonInvalidRequest, "Invalid Request: a response has either result or error", "", ""},
		{"result without id", nil, `{"jsonrpc":"2.0","result":{}}`, 400, -32600, ReasonInvalidRequest, "Invalid Request: a result needs an id", "", ""},
		{"call without id", nil, `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"x"}}`, 400, -32600, ReasonInvalidRequest, "Invalid Request: id is missing", "", ""},
		{"key twice", nil, `{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call"}`, 400, -32600, ReasonDuplicateKey, "Invalid Request: the key 'method' repeats", "1", ""},
		{"key twice, escaped", nil, `{"jsonrpc":"2.0","id":1,"method":"tools/list","\u006dethod":"tools/call"}`, 400, -32600, ReasonDuplicateKey, "Invalid Request: the key 'method' repeats", "1", ""},
		{"id twice", nil, `{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, 400, -32600, ReasonDuplicateKey, "Invalid Request: the key 'id' repeats", "", ""},
		{"key twice, deep", nil, `{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":[{"b":1,"c":2,"b":3}]}}`, 400, -32600, ReasonDuplicateKey, "Invalid Request: the key 'b' repeats", "1", ""},
		{"key twice, many", nil, `{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":{` + manyMembers(40) + `,"k20":0}}}`, 400, -32600, ReasonDuplicateKey, "Invalid Request: the key 'k20' repeats", "1", ""},
		{"key long", nil, `{"jsonrpc":"2.0","id":1,"method":"x","` + strings.Repeat("é", 9) + strings.Repeat("k", 99) + `":1,"` + strings.Repeat("é", 9) + strings.Repeat("k", 99) + `":2}`, 400, -32600, ReasonDuplicateKey, "Invalid Request: the key '" + strings.Repeat("k", 64) + "' repeats", "1", ""},
		{"Method", nil, `{"jsonrpc":"2.0","id":1,"method":"tools/list","Method":"tools/call"}`, 400, -32600, ReasonDuplicateKey, "Invalid Request: the key 'Method' differs from the protocol's only in case", "1", ""},
		{"long s", nil, `{"jsonrpc":"2.0","id":1,"method":"x","paramſ":{}}`, 400, -32600, ReasonDuplicateKey, "Invalid Request: the key 'param' differs from the protocol's only in case", "1", ""},
		{"Name", nil, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","Name":"b"}}`, 400, -32600, ReasonDuplicateKey, "Invalid Request: the key 'Name' differs from the protocol's only in case", "1", ""},
		{"ARGUMENTS", nil, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","ARGUMENTS":{}}}`, 400, -32600, ReasonDuplicateKey, "Invalid Request: the key 'ARGUMENTS' differs from the protocol's only in case", "1", ""},
		{"meta version", nil, `{"jsonrpc":"2.0","id":1,"method":"x","params":{"_meta":{"io.modelcontextprotocol/ProtocolVersion":"x"}}}`, 400, -32600, ReasonDuplicateKey, "Invalid Request: the key 'io.modelcontextprotocol/ProtocolVersion' differs from the protocol's only in case", "1", ""},

		{"batch, later version", old, `[` + ping + `]`, 400, -32600, ReasonBatch, "Invalid Request: batches exist in protocol version 2025-03-26 only", "", ""},
		{"batch, unknown version", modern("x"), `[` + ping + `]`, 400, -32600, ReasonBatch, "Invalid Request: batches exist in protocol version 2025-03-26 only", "", ""},
		{"batch, modern header", modern("2026-07-28"), `[` + ping + `]`, 400, -32600, ReasonBatch, "Invalid Request: batches exist in protocol version 2025-03-26 only", "", ""},
		{"batch, modern member", nil, `[` + call + `]`, 400, -32600, ReasonBatch, "Invalid Request: batches exist in protocol version 2025-03-26 only", "", ""},
		{"batch, empty", batch, `[ ]`, 400, -32600, ReasonBatch, "Invalid Request: a batch must not be empty", "", ""},
		{"batch, initialize", batch, `[` + ping + `,{"jsonrpc":"2.0","id":2,"method":"initialize"}]`, 400, -32600, ReasonBatch, "Invalid Request: initialize must not stand in a batch", "", ""},
		{"batch, number", nil, `[1]`, 400, -32600, ReasonBatch, "Invalid Request: a batch holds objects only", "", ""},
		{"batch in a batch", nil, `[[` + ping + `]]`, 400, -32600, ReasonBatch, "Invalid Request: a batch holds objects only", "", ""},
		{"batch, bad member", nil, `[` + ping + `,{"jsonrpc":"2.0","id":3}]`, 400, -32600, ReasonInvalidRequest, "Invalid Request: method is missing", "", ""},
		{"batch, id twice", nil, `[` + ping + `,{"jsonrpc":"2.0","id":1.0,"method":"ping"}]`, 400, -32600, ReasonBatch, "Invalid Request: an id repeats within the batch", "", ""},
		{"batch, too many", nil, `[` + strings.TrimSuffix(strings.Repeat(`{"jsonrpc":"2.0","method":"notifications/x"},`, 101), ",") + `]`, 400, -32600, ReasonBatch, "Invalid Request: a batch holds at most 100 messages", "", ""},

		{"modern response", modern("2026-07-28"), `{"jsonrpc":"2.0","id":1,"result":{}}`, 400, -32600, ReasonInvalidRequest, "Invalid Request: responses are not posted in protocol version 2026-07-28", "", ""},
		{"no meta", modern("2026-07-28"), `{"jsonrpc":"2.0","id":101,"method":"server/discover","params":{}}`, 400, -32602, ReasonEnvelope, "Invalid params: _meta is missing", "101", ""},
		{"no params", modern("2026-07-28"), `{"jsonrpc":"2.0","id":101,"method":"tools/list"}`, 400, -32602, ReasonEnvelope, "Invalid params: _meta is missing", "101", ""},
		{"discover without header", nil, `{"jsonrpc":"2.0","id":101,"method":"server/discover"}`, 400, -32602, ReasonEnvelope, "Invalid params: _meta is missing", "101", ""},
		{"later date", modern("2027-01-01"), `{"jsonrpc":"2.0","id":101,"method":"tools/list"}`, 400, -32602, ReasonEnvelope, "Invalid params: _meta is missing", "101", ""},
		{"initialize, modern header", modern("2026-07-28"), `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`, 400, -32602, ReasonEnvelope, "Invalid params: _meta is missing", "1", ""},
		{"no version in meta", modern("2026-07-28"), `{"jsonrpc":"2.0","id":102,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/clientCapabilities":{}}}}`, 400, -32602, ReasonEnvelope, "Invalid params: _meta needs io.modelcontextprotocol/protocolVersion", "102", ""},
		{"version in meta is a number", nil, `{"jsonrpc":"2.0","id":102,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":1,"io.modelcontextprotocol/clientCapabilities":{}}}}`, 400, -32602, ReasonEnvelope, "Invalid params: _meta needs io.modelcontextprotocol/protocolVersion", "102", ""},
		{"no capabilities", modern("2026-07-28"), `{"jsonrpc":"2.0","id":104,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`, 400, -32602, ReasonEnvelope, "Invalid params: _meta needs io.modelcontextprotocol/clientCapabilities", "104", ""},
		{"capabilities null", modern("2026-07-28"), `{"jsonrpc":"2.0","id":104,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":null}}}`, 400, -32602, ReasonEnvelope, "Invalid params: _meta needs io.modelcontextprotocol/clientCapabilities", "104", ""},
		{"no version header", nil, call, 400, -32020, ReasonHeaderMismatch, "Header mismatch: MCP-Protocol-Version header is missing", "7", ""},
		{"other version header", modern("2025-11-25"), call, 400, -32020, ReasonHeaderMismatch, "Header mismatch: MCP-Protocol-Version header does not match _meta", "7", ""},
		{"version header twice", append(modern("2026-07-28"), modern("2026-07-28")...), call, 400, -32020, ReasonHeaderMismatch, "Header mismatch: MCP-Protocol-Version header repeats", "7", ""},
		{"method header twice", append(modern("2026-07-28"), "Mcp-Method: tools/call", "Mcp-Method: tools/call"), call, 400, -32020, ReasonHeaderMismatch, "Header mismatch: Mcp-Method header repeats", "7", ""},
		{"name header twice", append(modern("2026-07-28"), "Mcp-Method: tools/call", "Mcp-Name: get", "Mcp-Name: other"), call, 400, -32020, ReasonHeaderMismatch, "Header mismatch: Mcp-Name header repeats", "7", ""},
		{"modern version not accepted", modern("v999.0.0"), strings.ReplaceAll(call, "2026-07-28", "v999.0.0"), 400, -32022, ReasonVersion, unsupportedText("v999.0.0"), "7", versionData("v999.0.0")},
		{"no method header", modern("2026-07-28"), call, 400, -32020, ReasonHeaderMismatch, "Header mismatch: Mcp-Method header is missing", "7", ""},
		{"other method header", append(modern("2026-07-28"), "Mcp-Method: TOOLS/CALL"), call, 400, -32020, ReasonHeaderMismatch, "Header mismatch: Mcp-Method header does not match the method", "7", ""},
		{"no name header", append(modern("2026-07-28"), "Mcp-Method: tools/call"), call, 400, -32020, ReasonHeaderMismatch, "Header mismatch: Mcp-Name header is missing", "7", ""},
		{"other name header", append(modern("2026-07-28"), "Mcp-Method: tools/call", "Mcp-Name: Get"), call, 400, -32020, ReasonHeaderMismatch, "Header mismatch: Mcp-Name header does not match the body", "7", ""},
		{"name header, loose base64", append(modern("2026-07-28"), "Mcp-Method: tools/call", "Mcp-Name: =?base64?Z2V0Zz=?="), strings.Replace(call, `"get"`, `"getg"`, 1), 400, -32020, ReasonHeaderMismatch, "Header mismatch: Mcp-Name header does not match the body", "7", ""},
		{"notification, no version header", nil, `{"jsonrpc":"2.0","method":"notifications/x","params":{` + metaBoth + `}}`, 400, -32020, ReasonHeaderMismatch, "Header mismatch: MCP-Protocol-Version header is missing", "", ""},
		{"notification, lying method header", append(modern("2026-07-28"), "Mcp-Method: tools/call"), `{"jsonrpc":"2.0","method":"notifications/x"}`, 400, -32020, ReasonHeaderMismatch, "Header mismatch: Mcp-Method header does not match the method", "", ""},
		{"modern call of nothing", append(modern("2026-07-28"), "Mcp-Method: tools/call"), `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{` + metaBoth + `}}`, 400, -32602, ReasonInvalidParams, "Invalid params: params.name must be a string", "7", ""},

		{"legacy version", modern("2025-01-01"), ping, 400, -32022, ReasonVersion, unsupportedText("2025-01-01"), "1", versionData("2025-01-01")},
		{"legacy version, notification", modern("2025-01-01"), `{"jsonrpc":"2.0","method":"notifications/initialized"}`, 400, -32022, ReasonVersion, unsupportedText("2025-01-01"), "", versionData("2025-01-01")},
		{"legacy version, response", modern("2025-01-01"), `{"jsonrpc":"2.0","id":4,"result":{}}`, 400, -32022, ReasonVersion, unsupportedText("2025-01-01"), "", versionData("2025-01-01")},
		{"legacy version, initialize", modern("1"), `{"jsonrpc":"2.0","id":1,"method":"initialize"}`, 400, -32022, ReasonVersion, unsupportedText("1"), "1", versionData("1")},
		{"legacy version, empty", modern(""), ping, 400, -32022, ReasonVersion, unsupportedText(""), "1", versionData("")},
		{"legacy version twice", append(modern("2025-06-18"), modern("2025-06-18")...), ping, 400, -32022, ReasonVersion, unsupportedText("2025-06-18, 2025-06-18"), "1", versionData("2025-06-18, 2025-06-18")},
		{"legacy version, long and dirty", modern("\"é<" + strings.Repeat("v", 99)), ping, 400, -32022, ReasonVersion, unsupportedText(`"<` + strings.Repeat("v", 62)), "1", versionData(`\"\u003c` + strings.Repeat("v", 62))},
		{"session id", append(old, "Mcp-Session-Id: a b"), ping, 400, -32600, ReasonSession, "Mcp-Session-Id must be one value of visible ASCII characters.", "1", ""},
		{"session id twice", append(old, "Mcp-Session-Id: a", "Mcp-Session-Id: b"), ping, 400, -32600, ReasonSession, "Mcp-Session-Id must be one value of visible ASCII characters.", "1", ""},
		{"call of nothing", old, `{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":["a"]}}`, 400, -32602, ReasonInvalidParams, "Invalid params: params.name must be a string", `"x"`, ""},

		// Two rungs broken: the earlier one answers.
		{"json before shape", nil, `{"jsonrpc":"1.0",}`, 400, -32700, ReasonParse, "Parse error: invalid JSON", "", ""},
		{"repeated key before version", modern("x"), `{"jsonrpc":"2.0","id":1,"method":"ping","a":1,"a":2}`, 400, -32600, ReasonDuplicateKey, "Invalid Request: the key 'a' repeats", "1", ""},
		{"envelope before header", modern("2025-11-25"), `{"jsonrpc":"2.0","id":7,"method":"x","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`, 400, -32602, ReasonEnvelope, "Invalid params: _meta needs io.modelcontextprotocol/clientCapabilities", "7", ""},
		{"mismatch before version", modern("2026-07-28"), strings.ReplaceAll(call, "2026-07-28", "v999.0.0"), 400, -32020, ReasonHeaderMismatch, "Header mismatch: MCP-Protocol-Version header does not match _meta", "7", ""},
		{"version before method header", append(modern("v9"), "Mcp-Method: x"), strings.ReplaceAll(call, "2026-07-28", "v9"), 400, -32022, ReasonVersion, unsupportedText("v9"), "7", versionData("v9")},
		{"version before session", append(modern("v9"), "Mcp-Session-Id: a b"), ping, 400, -32022, ReasonVersion, unsupportedText("v9"), "1", versionData("v9")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var r Rules
			req, f := r.CheckBody(legacyHead(tt.headers...), []byte(tt.body))
			if f == nil {
				t.Fatalf("accepted as %+v", req)
			}
			if f.Status != tt.status || f.Code != tt.code || f.Reason != tt.reason {
				t.Errorf("got %d %d %s, want %d %d %s", f.Status, f.Code, f.Reason, tt.status, tt.code, tt.reason)
			}
			if f.Text != tt.text {
				t.Errorf("text %q, want %q", f.Text, tt.text)
			}
			if string(f.ID) != tt.id || string(f.Data) != tt.data {
				t.Errorf("id %s data %s, want id %s data %s", f.ID, f.Data, tt.id, tt.data)
			}
			var m struct {
				JSONRPC string
				ID      json.RawMessage
				Error   struct {
					Code    int
					Message string
				}
			}
			if err := json.Unmarshal(f.Body(), &m); err != nil || m.JSONRPC != "2.0" || string(m.ID) != tt.id || m.Error.Code != tt.code || m.Error.Message != tt.text {
				t.Errorf("body %s (%v)", f.Body(), err)
			}
		})
	}
}

func manyMembers(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"k` + strconv.Itoa(i) + `":{"k0":[]}`)
	}
	return b.String()
}
