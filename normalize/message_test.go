package normalize

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/caddymcp/gateway/normalize/classify"
	"github.com/caddymcp/gateway/normalize/envelope"
)

// one is an exchange with a single call.
type one struct{ call *Call }

func (o one) Call([]byte) *Call                   { return o.call }
func (one) Success(_ *Call, result []byte) []byte { return result }
func toolCall(id string) *Call {
	return &Call{ID: []byte(id), Method: "tools/call", Tool: "get_orders", Structured: true, Disguised: DisguiseFlag}
}

func TestMessage(t *testing.T) {
	raw := "sqlite3.OperationalError: no such table: user_data_v2"
	failing := `{"content":[{"type":"text","text":"` + raw + `"}],"isError":true}`
	tests := []struct {
		name, in string
		call     *Call
		same     bool   // the bytes must be the input's
		member   string // result or error
		at       string // where the failing result stands
		code     envelope.Code
		rpc      int64
	}{
		{name: "success", in: `{"jsonrpc":"2.0","id":7,"result":{"content":[],"isError":false}}`, same: true},
		{name: "success with spaces", in: " {\"id\":7, \"jsonrpc\":\"2.0\",\n\"result\":{ } } ", same: true},
		{name: "null error beside a result", in: `{"jsonrpc":"2.0","id":7,"result":{},"error":null}`, same: true},
		{name: "server request", in: `{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage","params":{"isError":true}}`, same: true},
		{name: "progress", in: `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}`, same: true},
		{name: "input required", in: `{"jsonrpc":"2.0","id":7,"result":{"resultType":"input_required","requestState":"x"}}`, same: true},
		{name: "elicitation", in: `{"jsonrpc":"2.0","id":7,"error":{"code":-32042,"message":"m","data":{"elicitations":[]}}}`, same: true},
		{name: "is error", in: `{"jsonrpc":"2.0","id":7,"result":` + failing + `}`, member: "result", at: "result", code: envelope.NotFound},
		{name: "repeated isError", in: `{"jsonrpc":"2.0","id":7,"result":{"isError":true,"content":[],"isError":false}}`, member: "result", at: "result"},
		{name: "other case", in: `{"jsonrpc":"2.0","id":7,"result":{"IsError":true,"content":[]}}`, member: "result", at: "result"},
		{name: "toolResult", in: `{"jsonrpc":"2.0","id":7,"result":{"toolResult":` + failing + `}}`, member: "result", at: "result.toolResult", code: envelope.NotFound},
		{name: "task", in: `{"jsonrpc":"2.0","id":7,"result":{"taskId":"t","status":"failed","result":` + failing + `}}`, member: "result", at: "result.result",
			call: &Call{ID: []byte("7"), Method: "tasks/get", Modern: true}, code: envelope.NotFound},
		{name: "task notification", in: `{"jsonrpc":"2.0","method":"notifications/tasks","params":{"taskId":"t","result":` + failing + `}}`, member: "params", at: "params.result", code: envelope.NotFound},
		{name: "raised by a tool", in: `{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"` + raw + `"}}`, member: "result", at: "result", code: envelope.NotFound},
		{name: "code zero", in: `{"jsonrpc":"2.0","id":7,"error":{"code":0,"message":"GET https://api.example.com: 403 Forbidden"}}`, member: "result", at: "result", code: envelope.Forbidden},
		{name: "unknown tool", in: `{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"Unknown tool: get_orders"}}`, member: "error", rpc: -32602, code: envelope.NotFound},
		{name: "unknown method", in: `{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"Method not found"}}`, member: "error", rpc: -32601, code: envelope.NotFound},
		{name: "malformed", in: `{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"Invalid Request"}}`, member: "error", rpc: -32600},
		{name: "task-augmented", in: `{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"` + raw + `"}}`, member: "error", rpc: -32603,
			call: &Call{ID: []byte("7"), Method: "tools/call", Task: true}},
		{name: "other method", in: `{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"` + raw + `"}}`, member: "error", rpc: -32603,
			call: &Call{ID: []byte("7"), Method: "resources/read"}},
		{name: "neither result nor error", in: `{"jsonrpc":"2.0","id":7}`, member: "result", at: "result", code: envelope.UpstreamUnknown},
		{name: "id of the server", in: `{"jsonrpc":"2.0","id":"server-error","error":{"code":-32603,"message":"boom"}}`, member: "result", at: "result"},
		{name: "id null", in: `{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"boom"}}`, member: "result", at: "result"},
	}
	n := new(Normalizer)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := tt.call
			if c == nil {
				c = toolCall("7")
			}
			in := []byte(tt.in)
			out, reports := n.Message(Carrier{Status: 200}, in, one{c})
			if tt.same {
				if &out[0] != &in[0] || len(out) != len(in) || len(reports) != 0 {
					t.Fatalf("changed to %s", out)
				}
				return
			}
			if len(reports) != 1 {
				t.Fatalf("%d reports", len(reports))
			}
			if !json.Valid(out) || strings.Contains(string(out), "user_data_v2") {
				t.Fatalf("out: %s", out)
			}
			if id := gjson.GetBytes(out, "id"); tt.member != "params" && id.Raw != "7" {
				t.Errorf("id %q", id.Raw)
			}
			env := gjson.GetBytes(out, "error.data")
			if tt.member == "error" {
				if got := gjson.GetBytes(out, "error.code").Int(); got != tt.rpc {
					t.Errorf("JSON-RPC code %d, want %d", got, tt.rpc)
				}
			} else {
				res := gjson.GetBytes(out, tt.at)
				env = res.Get("_meta").Get(gjson.Escape(envelope.MetaKey))
				if !res.Get("isError").Bool() || res.Get("content.#").Int() != 1 ||
					res.Get("content.0.text").Str != env.Get("sanitized_error").Str {
					t.Errorf("result %s", res.Raw)
				}
				if c.Structured && res.Get("structuredContent").Raw != env.Raw {
					t.Errorf("structuredContent %s", res.Get("structuredContent").Raw)
				}
				if got := res.Get("resultType").Str == "complete"; got != (c.Modern || tt.member == "params") {
					t.Errorf("resultType present: %v", got)
				}
			}
			if tt.code != "" && env.Get("code").Str != string(tt.code) {
				t.Errorf("code %s, want %s", env.Get("code").Str, tt.code)
			}
			if env.Get("error").Str == "" || env.Get("error").Str != env.Get("sanitized_error").Str {
				t.Errorf("envelope %s", env.Raw)
			}
		})
	}
}

func TestMessageBatch(t *testing.T) {
	in := []byte(` [ {"jsonrpc":"2.0","id":1,"result":{"content":[ ]}} , {"jsonrpc":"2.0","id":2,"result":{"isError":true,"content":[{"type":"text","text":"boom"}]}}, {"jsonrpc":"2.0","method":"notifications/progress"} ]`)
	calls := batch{"1": toolCall("1"), "2": toolCall("2")}
	out, reports := new(Normalizer).Message(Carrier{}, in, calls)
	if len(reports) != 1 || !json.Valid(out) {
		t.Fatalf("%d reports, out %s", len(reports), out)
	}
	if got := gjson.GetBytes(out, "#").Int(); got != 3 {
		t.Errorf("%d messages", got)
	}
	if !bytes.HasPrefix(out, []byte(` [ {"jsonrpc":"2.0","id":1,"result":{"content":[ ]}} , `)) ||
		!bytes.HasSuffix(out, []byte(`, {"jsonrpc":"2.0","method":"notifications/progress"} ]`)) {
		t.Errorf("other members changed: %s", out)
	}
	if gjson.GetBytes(out, "1.id").Raw != "2" || !gjson.GetBytes(out, "1.result.isError").Bool() {
		t.Errorf("out %s", out)
	}
}

type batch map[string]*Call

func (b batch) Call(id []byte) *Call                { return b[string(id)] }
func (batch) Success(_ *Call, result []byte) []byte { return result }

func TestDisguised(t *testing.T) {
	in := `{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"{\"ok\":false,\"error\":\"invalid_auth\"}"}]}}`
	for _, mode := range []Disguise{DisguiseOff, DisguiseFlag, DisguiseRewrite} {
		c := toolCall("7")
		c.Disguised = mode
		out, reports := new(Normalizer).Message(Carrier{}, []byte(in), one{c})
		if got := string(out) == in; got != (mode != DisguiseRewrite) {
			t.Errorf("%s: untouched is %v", mode, got)
		}
		if want := map[Disguise]int{DisguiseOff: 0, DisguiseFlag: 1, DisguiseRewrite: 1}[mode]; len(reports) != want {
			t.Errorf("%s: %d reports", mode, len(reports))
		}
		if mode == DisguiseRewrite && gjson.GetBytes(out, "result.structuredContent.code").Str != "auth_failed" {
			t.Errorf("%s: %s", mode, out)
		}
	}
}

// replacing is an exchange that edits results.
type replacing struct{ one }

func (replacing) Success(*Call, []byte) []byte { return []byte(`{"tools":[]}`) }

func TestSuccessIsSpliced(t *testing.T) {
	c := &Call{ID: []byte("7"), Method: "tools/list"}
	in := `{"jsonrpc" : "2.0", "result":{"tools":[{"name":"a"}]} ,"id":7}`
	out, reports := new(Normalizer).Message(Carrier{}, []byte(in), replacing{one{c}})
	if want := `{"jsonrpc" : "2.0", "result":{"tools":[]} ,"id":7}`; string(out) != want || reports != nil {
		t.Errorf("out %s", out)
	}
	out, _ = new(Normalizer).Message(Carrier{}, []byte("["+in+"]"), replacing{one{c}})
	if want := `[{"jsonrpc" : "2.0", "result":{"tools":[]} ,"id":7}]`; string(out) != want {
		t.Errorf("out %s", out)
	}
}

func TestMetaOfFailure(t *testing.T) {
	in := `{"jsonrpc":"2.0","id":7,"result":{"isError":true,"content":[],"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"t-1","x":"y"},"io.modelcontextprotocol/serverInfo":{"name":"demo","version":"1"},"debug":"secret"}}}`
	out, _ := new(Normalizer).Message(Carrier{}, []byte(in), one{toolCall("7")})
	meta := gjson.GetBytes(out, "result._meta")
	if got := meta.Get(gjson.Escape("io.modelcontextprotocol/related-task")).Raw; got != `{"taskId":"t-1"}` {
		t.Errorf("related task %s", got)
	}
	if got := meta.Get(gjson.Escape("io.modelcontextprotocol/serverInfo") + ".name").Str; got != "demo" {
		t.Errorf("server info %s", meta.Raw)
	}
	if strings.Contains(string(out), "secret") {
		t.Errorf("out %s", out)
	}
}

func TestSuggestion(t *testing.T) {
	c := toolCall("7")
	c.Suggest = func(code envelope.Code) string {
		if code == envelope.Forbidden {
			return "foura_proxy"
		}
		return ""
	}
	in := `{"jsonrpc":"2.0","id":7,"result":{"isError":true,"content":[{"type":"text","text":"HTTP 403 Forbidden"}]}}`
	out, _ := new(Normalizer).Message(Carrier{}, []byte(in), one{c})
	env := gjson.GetBytes(out, "result.structuredContent")
	if env.Get("suggestion.tool").Str != "foura_proxy" || !strings.HasSuffix(env.Get("error").Str, "Try the tool 'foura_proxy' instead.") {
		t.Errorf("envelope %s", env.Raw)
	}
}

func TestFailure(t *testing.T) {
	tests := []struct {
		name   string
		call   *Call
		status int
		fault  classify.Fault
		body   string
		code   envelope.Code
		member string
	}{
		{"refused", toolCall("7"), 0, classify.Refused, "", envelope.ServiceUnavailable, "result"},
		{"timeout", toolCall("7"), 0, classify.Timeout, "", envelope.ServiceUnavailable, "result"},
		{"html", toolCall("7"), 502, classify.NoFault, "<html><title>502 Bad Gateway</title></html>", envelope.UpstreamError, "result"},
		{"not json", toolCall("7"), 200, classify.NotJSON, `{"jsonrpc":"2.0","id":7,"res`, envelope.UpstreamNonJSON, "result"},
		{"too large", toolCall("7"), 200, classify.TooLarge, "", envelope.UpstreamError, "result"},
		{"cut", toolCall("7"), 200, classify.Cut, "", envelope.ServiceUnavailable, "result"},
		{"list", &Call{ID: []byte(`"x"`), Method: "tools/list"}, 503, classify.NoFault, "busy", envelope.ServiceUnavailable, "error"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, rep := new(Normalizer).Failure(Carrier{Status: tt.status}, tt.fault, []byte(tt.body), tt.call)
			if !json.Valid(out) || !gjson.GetBytes(out, tt.member).Exists() || rep.Envelope.Code != tt.code {
				t.Errorf("code %s, out %s", rep.Envelope.Code, out)
			}
			if gjson.GetBytes(out, "id").Raw != string(tt.call.ID) {
				t.Errorf("id in %s", out)
			}
		})
	}
}

func TestIsMessage(t *testing.T) {
	for in, want := range map[string]bool{
		`{"jsonrpc":"2.0","id":1,"result":{}}`:          true,
		`[{"jsonrpc":"2.0","id":1,"result":{}}]`:        true,
		`{"id":1,"error":{"code":-32603,"message":""}}`: true,
		`{"error":"boom"}`:                              false,
		`{"detail":"not found"}`:                        false,
		`[]`:                                            false,
		`[1]`:                                           false,
		`"x"`:                                           false,
		`{"jsonrpc":"2.0"`:                              false,
		``:                                              false,
	} {
		if got := IsMessage([]byte(in)); got != want {
			t.Errorf("%s: %v", in, got)
		}
	}
}

// FuzzMessage: a message without a failure leaves as it came; whatever comes
// out is valid JSON with the call's id.
func FuzzMessage(f *testing.F) {
	for _, s := range []string{
		`{"jsonrpc":"2.0","id":7,"result":{"content":[]}}`, `{"jsonrpc":"2.0","id":7,"result":{"isError":true}}`,
		`[{"jsonrpc":"2.0","id":7,"error":{"code":1}}]`, `{"result":{"toolResult":{"isError":true}}}`,
		`{"method":"notifications/tasks","params":{"result":{"isError":true}}}`, `{"jsonrpc":"2.0","id":7}`,
	} {
		f.Add([]byte(s))
	}
	n := new(Normalizer)
	f.Fuzz(func(t *testing.T, in []byte) {
		if !gjson.ValidBytes(in) {
			return
		}
		before := bytes.Clone(in)
		out, reports := n.Message(Carrier{}, in, one{toolCall("7")})
		if !bytes.Equal(in, before) {
			t.Fatal("the input was written to")
		}
		if !gjson.ValidBytes(out) {
			t.Fatalf("%s became %s", in, out)
		}
		rewritten := false
		for _, r := range reports {
			rewritten = rewritten || !r.Flagged
			if !r.Envelope.Code.Known() || !r.Envelope.Class.Known() || r.Envelope.Sanitized.IsZero() {
				t.Fatalf("envelope %+v", r.Envelope)
			}
		}
		if !rewritten && !bytes.Equal(out, in) {
			t.Fatalf("no failure, but %s became %s", in, out)
		}
	})
}

// The check of a success must not cost memory that grows with it.
func BenchmarkSuccess(b *testing.B) {
	for _, size := range []int{1 << 10, 64 << 10, 1 << 20} {
		in := []byte(`{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"` + strings.Repeat("x", size) + `"}]}}`)
		b.Run(byteSize(size), func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			n, x := new(Normalizer), one{toolCall("7")}
			for b.Loop() {
				if out, _ := n.Message(Carrier{}, in, x); len(out) != len(in) {
					b.Fatal("changed")
				}
			}
		})
	}
}

func byteSize(n int) string {
	if n >= 1<<20 {
		return "1MiB"
	}
	return map[int]string{1 << 10: "1KiB", 64 << 10: "64KiB"}[n]
}
