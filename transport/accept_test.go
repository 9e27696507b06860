package transport

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"
	"testing"
)

func TestCheckBodyAccepts(t *testing.T) {
	modernCall := `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"get","arguments":{"a":[1, 2]},"task":{},` + metaBoth + `}}`
	encoded := "Mcp-Name: =?base64?" + base64.StdEncoding.EncodeToString([]byte("größe")) + "?="
	one := func(m Message) []Message { return []Message{m} }
	tests := []struct {
		name    string
		head    *Head
		body    string
		era     Era
		version string
		want    []Message // without Params
	}{
		{"modern call", modernHead("tools/call", "Mcp-Name: get"), modernCall, Modern, "2026-07-28",
			one(Message{ID: []byte("7"), Method: "tools/call", Tool: "get", Name: "get", Arguments: []byte(`{"a":[1, 2]}`)})},
		{"white space around header values", modernHead(" \ttools/call ", "Mcp-Name:   get\t "), modernCall, Modern, "2026-07-28",
			one(Message{ID: []byte("7"), Method: "tools/call", Tool: "get", Name: "get", Arguments: []byte(`{"a":[1, 2]}`)})},
		{"encoded name", modernHead("tools/call", encoded), strings.Replace(modernCall, `"get"`, `"gr\u00f6\u00dfe"`, 1), Modern, "2026-07-28",
			one(Message{ID: []byte("7"), Method: "tools/call", Tool: "größe", Name: "größe", Arguments: []byte(`{"a":[1, 2]}`)})},
		{"modern resource", modernHead("resources/read", "Mcp-Name: file:///a"), `{"jsonrpc":"2.0","id":"x","method":"resources/read","params":{"uri":"file:///a",` + metaBoth + `}}`, Modern, "2026-07-28",
			one(Message{ID: []byte(`"x"`), Method: "resources/read", Name: "file:///a"})},
		{"modern task", modernHead("tasks/get", "Mcp-Name: t1"), `{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"t1",` + metaBoth + `}}`, Modern, "2026-07-28",
			one(Message{ID: []byte("1"), Method: "tasks/get", Name: "t1"})},
		{"modern initialize is the server's to refuse", modernHead("initialize"), `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{` + metaBoth + `}}`, Modern, "2026-07-28",
			one(Message{ID: []byte("1"), Method: "initialize"})},
		{"modern session id is ignored", modernHead("tools/list", "Mcp-Session-Id: a b"), `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + metaBoth + `}}`, Modern, "2026-07-28",
			one(Message{ID: []byte("1"), Method: "tools/list"})},
		{"modern notification without method header", legacyHead("MCP-Protocol-Version: 2026-07-28"), `{"jsonrpc":"2.0","method":"notifications/x"}`, Modern, "2026-07-28",
			one(Message{Kind: Notification, Method: "notifications/x"})},
		{"initialize without header", legacyHead(), `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"1999-01-01","capabilities":{},"clientInfo":{}}}`, Legacy, "",
			one(Message{ID: []byte("0"), Method: "initialize"})},
		{"initialize with header", legacyHead("MCP-Protocol-Version: 2025-11-25"), `{"jsonrpc":"2.0","id":0,"method":"initialize"}`, Legacy, "2025-11-25",
			one(Message{ID: []byte("0"), Method: "initialize"})},
		{"no header", legacyHead(), `{"jsonrpc":"2.0","id":-1.0,"method":"ping"}`, Legacy, "2025-03-26",
			one(Message{ID: []byte("-1.0"), Method: "ping"})},
		{"long id", legacyHead("Mcp-Session-Id: abc"), ` {"id":12345678901234567890,"jsonrpc":"2.0","method":"ping"} `, Legacy, "2025-03-26",
			one(Message{ID: []byte("12345678901234567890"), Method: "ping"})},
		{"task", legacyHead("MCP-Protocol-Version: 2025-11-25"), `{"jsonrpc":"2.0","id":"a\u0062","method":"tools/c\u0061ll","params":{"task":{"ttl":1},"name":"x\ty"}}`, Legacy, "2025-11-25",
			one(Message{ID: []byte(`"a\u0062"`), Method: "tools/call", Tool: "x\ty", Name: "x\ty", Task: true})},
		{"surrogate pair", legacyHead(), `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\ud83d\ude00"}}`, Legacy, "2025-03-26",
			one(Message{ID: []byte("1"), Method: "tools/call", Tool: "😀", Name: "😀"})},
		{"response", legacyHead("MCP-Protocol-Version: 2025-06-18"), `{"jsonrpc":"2.0","id":4,"result":{"method":1}}`, Legacy, "2025-06-18",
			one(Message{Kind: Response, ID: []byte("4")})},
		{"error without id", legacyHead(), `{"jsonrpc":"2.0","error":{"code":1,"message":"x"}}`, Legacy, "2025-03-26",
			one(Message{Kind: Response})},
		{"unknown method", legacyHead(), `{"jsonrpc":"2.0","id":1,"method":"x/y","more":[true,false,null,-0.5e+3]}`, Legacy, "2025-03-26",
			one(Message{ID: []byte("1"), Method: "x/y"})},
		{"same keys in siblings, other case in arguments", legacyHead(), `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"n","arguments":{"Name":1,"name":2,"a":[{"b":1},{"b":1}]}}}`, Legacy, "2025-03-26",
			one(Message{ID: []byte("1"), Method: "tools/call", Tool: "n", Name: "n", Arguments: []byte(`{"Name":1,"name":2,"a":[{"b":1},{"b":1}]}`)})},
		{"as deep as allowed", legacyHead(), `{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":` + deep(62) + `}}`, Legacy, "2025-03-26",
			one(Message{ID: []byte("1"), Method: "x"})},
		{"batch", legacyHead("MCP-Protocol-Version: 2025-03-26"), `[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}} , {"jsonrpc":"2.0","id":"1","method":"ping"},{"jsonrpc":"2.0","method":"notifications/x"},{"jsonrpc":"2.0","id":1,"result":{}}]`, Legacy, "2025-03-26",
			[]Message{{ID: []byte("1"), Method: "tools/call", Tool: "a", Name: "a"}, {ID: []byte(`"1"`), Method: "ping"}, {Kind: Notification, Method: "notifications/x"}, {Kind: Response, ID: []byte("1")}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var r Rules
			got, f := r.CheckBody(tt.head, []byte(tt.body))
			if f != nil {
				t.Fatalf("refused: %+v", f)
			}
			if got.Era != tt.era || got.Version != tt.version || got.Batch != (len(tt.want) > 1) || len(got.Messages) != len(tt.want) {
				t.Fatalf("got %+v", got)
			}
			for i, m := range got.Messages {
				w := tt.want[i]
				if m.Kind != w.Kind || !bytes.Equal(m.ID, w.ID) || m.Method != w.Method || m.Tool != w.Tool || m.Name != w.Name || !bytes.Equal(m.Arguments, w.Arguments) || m.Task != w.Task {
					t.Errorf("message %d: got %+v, want %+v", i, m, w)
				}
			}
		})
	}
}

func TestCheckBodyVersions(t *testing.T) {
	ping := []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	r := Rules{Versions: []string{"2025-11-25", "2025-06-18"}}
	_, f := r.CheckBody(legacyHead(), ping)
	if f == nil || f.Text != "Unsupported MCP-Protocol-Version: 2025-03-26. Supported: 2025-11-25, 2025-06-18." {
		t.Errorf("no header: %+v", f)
	}
	if _, f = r.CheckBody(legacyHead(), []byte(`{"jsonrpc":"2.0","id":1,"method":"initialize"}`)); f != nil {
		t.Errorf("initialize: %+v", f)
	}
	if _, f = r.CheckBody(legacyHead(), []byte("["+string(ping)+"]")); f == nil || f.Code != CodeVersion || f.ID != nil {
		t.Errorf("batch: %+v", f)
	}
	h := modernHead("tools/list")
	h.Upstream = []string{"2026-07-28", "2025-06-18", "2025-03-26"}
	_, f = r.CheckBody(h, []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{`+metaBoth+`}}`))
	if f == nil || string(f.Data) != `{"supported":["2025-06-18"],"requested":"2026-07-28"}` {
		t.Errorf("modern where only legacy is accepted: %+v", f)
	}
	h.Upstream = []string{"2024-11-05"}
	if _, f = r.CheckBody(h, []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{`+metaBoth+`}}`)); f == nil || !strings.Contains(f.Text, "2025-11-25, 2025-06-18.") {
		t.Errorf("nothing in common: %+v", f)
	}
}

func TestRulesDefaults(t *testing.T) {
	r := Rules{MaxBody: 10, MaxDepth: 3}
	r.Defaults()
	if r.MaxBody != 10 || r.MaxDepth != 3 || strings.Join(r.Versions, ", ") != list {
		t.Errorf("got %+v", r)
	}
	if _, f := r.CheckBody(legacyHead(), []byte(`"`+strings.Repeat("x", 9)+`"`)); f == nil || f.Text != "Request body is larger than 10 bytes." {
		t.Errorf("size: %+v", f)
	}
	r = Rules{MaxDepth: 3}
	if _, f := r.CheckBody(legacyHead(), []byte(`{"a":[[[]]]}`)); f == nil || f.Text != "Parse error: nested too deeply" {
		t.Errorf("depth: %+v", f)
	}
	r.Defaults()
	if r.MaxBody != DefaultMaxBody {
		t.Errorf("size %d", r.MaxBody)
	}
}

func TestThrottled(t *testing.T) {
	for method, want := range map[string]bool{"tools/call": true, "tools/list": true, "x": true, "": false, "initialize": false,
		"ping": false, "server/discover": false, "notifications/cancelled": false} {
		if Throttled(method) != want {
			t.Errorf("%q: %v", method, !want)
		}
	}
}

func TestErrorBody(t *testing.T) {
	got := string(ErrorBody([]byte("1.0"), 429, "a \"b\"\n", []byte(`{"x":1}`)))
	if want := `{"jsonrpc":"2.0","id":1.0,"error":{"code":429,"message":"a \"b\"\n","data":{"x":1}}}`; got != want {
		t.Errorf("got %s", got)
	}
	if got = string(ErrorBody(nil, -32700, "x", nil)); got != `{"jsonrpc":"2.0","error":{"code":-32700,"message":"x"}}` {
		t.Errorf("got %s", got)
	}
}

// FuzzCheckBody holds that what was accepted means the same to encoding/json, which ignores case, replaces what
// is no Unicode and lets the last of two equal keys win.
func FuzzCheckBody(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1.0,"method":"tools/call","params":{"name":"a\u0062","arguments":{"x":[1,"\ud83d\ude00"]}}}`), "", "")
	f.Add([]byte(`[{"jsonrpc":"2.0","id":"1","method":"tools/call","params":{"name":"a","name":"b"}}]`), "2025-03-26", "")
	f.Add([]byte(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"get",`+metaBoth+`}}`), "2026-07-28", "get")
	type message struct {
		ID     json.RawMessage
		Method string
		Params struct {
			Name      json.RawMessage
			Arguments json.RawMessage
		}
	}
	f.Fuzz(func(t *testing.T, body []byte, version, name string) {
		h := legacyHead()
		if version != "" {
			h.Header.Set("MCP-Protocol-Version", version)
			h.Header.Set("Mcp-Method", "tools/call")
			h.Header.Set("Mcp-Name", name)
		}
		before := bytes.Clone(body)
		var r Rules
		req, refusal := r.CheckBody(h, body)
		if !bytes.Equal(before, body) {
			t.Fatal("the body changed")
		}
		if refusal != nil {
			if refusal.Code == CodeParse && refusal.Text == "Parse error: invalid JSON" && json.Valid(body) {
				t.Fatalf("valid JSON called invalid: %q", body)
			}
			if !json.Valid(refusal.Body()) || refusal.Status < 400 || refusal.Reason == "" {
				t.Fatalf("bad refusal %+v", refusal)
			}
			return
		}
		want := make([]message, 1)
		var err error
		if req.Batch {
			err = json.Unmarshal(body, &want)
		} else {
			err = json.Unmarshal(body, &want[0])
		}
		if err != nil || len(want) != len(req.Messages) {
			t.Fatalf("%q: %d messages, encoding/json has %d (%v)", body, len(req.Messages), len(want), err)
		}
		for i, m := range req.Messages {
			w := want[i]
			if m.Method != w.Method || !bytes.Equal(m.ID, w.ID) || m.Kind == Call && m.ID == nil {
				t.Fatalf("%q: %+v is %+v to encoding/json", body, m, w)
			}
			if m.Method != "tools/call" {
				continue
			}
			var tool string
			if err := json.Unmarshal(w.Params.Name, &tool); err != nil || tool != m.Tool || !bytes.Equal(m.Arguments, w.Params.Arguments) {
				t.Fatalf("%q: calls %q with %s, to encoding/json %q with %s", body, m.Tool, m.Arguments, tool, w.Params.Arguments)
			}
		}
	})
}

func BenchmarkCheckBody(b *testing.B) {
	for name, size := range map[string]int{"1KB": 1 << 10, "64KB": 64 << 10} {
		var args strings.Builder
		for i := 0; args.Len() < size-300; i++ {
			args.WriteString(`"key` + strconv.Itoa(i) + `":{"text":"a value of some length, as arguments have","n":12345},`)
		}
		body := []byte(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"get","arguments":{` + strings.TrimSuffix(args.String(), ",") + `},` + metaBoth + `}}`)
		text := []byte(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"get","arguments":{"text":"` + strings.Repeat("a line of a file ", size/17) + `"},` + metaBoth + `}}`)
		for kind, body := range map[string][]byte{"keys": body, "text": text} {
			b.Run(name+" "+kind, func(b *testing.B) {
				h, r := modernHead("tools/call", "Mcp-Name: get"), Rules{}
				r.Defaults()
				b.SetBytes(int64(len(body)))
				b.ReportAllocs()
				for b.Loop() {
					if _, f := r.CheckBody(h, body); f != nil {
						b.Fatal(f.Text)
					}
				}
			})
		}
	}
}
