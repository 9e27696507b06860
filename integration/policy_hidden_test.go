package integration

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tidwall/gjson"
)

// handshake opens a session of protocol 2025-11-25 and returns the headers of
// its requests.
func (g *gateway) handshake(t *testing.T, path string, header ...string) []string {
	t.Helper()
	header = append([]string{"MCP-Protocol-Version", "2025-11-25"}, header...)
	r := send(t, http.MethodPost, g.URL+path, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`, header...)
	if r.Status != http.StatusOK {
		t.Fatalf("initialize: %d %q", r.Status, r.Body)
	}
	if id := r.Header.Get("Mcp-Session-Id"); id != "" {
		header = append(header, "Mcp-Session-Id", id)
	}
	send(t, http.MethodPost, g.URL+path, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, header...)
	return header
}

// sameRefusal fails unless two answers are the same, apart from the id.
func sameRefusal(t *testing.T, what string, a, b reply, idA, idB string) {
	t.Helper()
	if a.Status != b.Status {
		t.Errorf("%s: status %d and %d", what, a.Status, b.Status)
	}
	if bodyA, bodyB := strings.Replace(a.Body, `"id":`+idA+`,`, `"id":_,`, 1), strings.Replace(b.Body, `"id":`+idB+`,`, `"id":_,`, 1); bodyA != bodyB {
		t.Errorf("%s: bodies differ:\n%s\n%s", what, bodyA, bodyB)
	}
	for _, h := range []http.Header{a.Header, b.Header} {
		h.Del("Date")
	}
	if !reflect.DeepEqual(a.Header, b.Header) {
		t.Errorf("%s: headers differ:\n%v\n%v", what, a.Header, b.Header)
	}
}

func hiddenServers(t *testing.T) []struct {
	name, path, hidden, shown string
	start                     func(t *testing.T) string
} {
	t.Helper()
	return []struct {
		name, path, hidden, shown string
		start                     func(t *testing.T) string
	}{
		{"go-sdk, stateless", "/mcp", "add", "traceback", func(t *testing.T) string { return demoServer(t) }},
		{"go-sdk, stateful", "/", "test_simple_text", "test_error_handling", func(t *testing.T) string { return goEverything(t, false) }},
		{"npm server-everything", "/mcp", "echo", "get-sum", npmEverything},
		{"npm server-filesystem", "/mcp", "list_directory", "read_text_file", func(t *testing.T) string {
			return npmStdio(t, stdioCommand(t, "server-filesystem", t.TempDir()))
		}},
		{"Python mcp 1", "/mcp", "echo", "weather", func(t *testing.T) string { return pythonServer(t, "v1", "sdk_v1") }},
		{"Python mcp 2", "/mcp", "echo", "weather", func(t *testing.T) string { return pythonServer(t, "v2", "sdk_v2") }},
		{"Python fastmcp", "/mcp", "echo", "weather", func(t *testing.T) string { return pythonServer(t, "v1", "fastmcp_server") }},
	}
}

// A hidden tool is in no list, and a call to it gets what a tool gets that does
// not exist: the same bytes apart from the id, the same status and headers.
func TestHiddenIsUnknown(t *testing.T) {
	for _, server := range hiddenServers(t) {
		t.Run(server.name, func(t *testing.T) {
			upstream := server.start(t)
			for _, rejections := range []string{"result", "jsonrpc", "http"} {
				g := start(t, fmt.Sprintf("tools {\ndeny %s\n}\nerrors {\nrejections %s\n}\nlimits memory {\nheaders on\n}\nlimit all {\nrpm 10000\n}", server.hidden, rejections), upstream)
				header := g.handshake(t, server.path)
				try := func(id, tool string) reply {
					return send(t, http.MethodPost, g.URL+server.path, call(id, tool), header...)
				}
				for _, when := range []string{"before a list", "after a list"} {
					if when == "after a list" {
						list := send(t, http.MethodPost, g.URL+server.path, method("3", "tools/list"), header...).response(t, "3")
						names := gjson.Get(list, "result.tools.#.name").String()
						if strings.Contains(names, `"`+server.hidden+`"`) || !strings.Contains(names, `"`+server.shown+`"`) {
							t.Errorf("listed: %s", names)
						}
					}
					hidden, unknown := try("17", server.hidden), try("18", "no_such_tool")
					sameRefusal(t, rejections+", "+when, hidden, unknown, "17", "18")
					switch rejections {
					case "result":
						want{code: "forbidden", class: "permission", status: 403, text: "does not exist or is not available"}.result(t, "17", hidden.Body)
					default:
						want{code: "forbidden", class: "permission", status: 403}.failure(t, "17", 403, hidden.Body)
					}
				}
			}
		})
	}
}

// Real clients cannot tell either.
func TestClientsNeverSeeHidden(t *testing.T) {
	demo := demoServer(t)
	g := start(t, "tools {\ndeny add leak\n}\nlimit all {\nrpm 10000\n}", demo)
	calls := []toolCall{
		{"add", map[string]any{"a": 2, "b": 3}}, {"no_such_tool", map[string]any{"a": 2, "b": 3}},
		{"leak", map[string]any{}}, {"not_even_this", map[string]any{}}, {"weather", map[string]any{"city": "Delft"}},
	}
	b, err := json.Marshal(calls)
	if err != nil {
		t.Fatal(err)
	}
	py := func(generation, script string, args ...string) func(*testing.T) (string, []string) {
		return func(t *testing.T) (string, []string) {
			return cached(t, "python-"+generation, "bin", "python"), append([]string{"clients/" + script, g.URL + "/mcp", string(b)}, args...)
		}
	}
	ts := func(script string, args ...string) func(*testing.T) (string, []string) {
		return func(t *testing.T) (string, []string) {
			return nodeCommand(t, script, append([]string{g.URL + "/mcp", string(b)}, args...)...)
		}
	}
	for name, command := range map[string]func(*testing.T) (string, []string){
		"TypeScript 1": ts("calls_v1.ts"), "TypeScript 2": ts("calls_v2.ts", "legacy"), "TypeScript 2 modern": ts("calls_v2.ts", modernVersion),
		"Python 1": py("v1", "calls_v1.py"), "Python 2": py("v2", "calls_v2.py", "legacy"), "Python 2 modern": py("v2", "calls_v2.py", modernVersion),
	} {
		t.Run(name, func(t *testing.T) {
			var said struct {
				Tools    []struct{ Name string }
				Outcomes []outcome
			}
			program, args := command(t)
			runJSON(t, &said, program, args...)
			if len(said.Outcomes) != len(calls) {
				t.Fatalf("%d outcomes of %d calls", len(said.Outcomes), len(calls))
			}
			for _, tool := range said.Tools {
				if tool.Name == "add" || tool.Name == "leak" {
					t.Errorf("the client saw %s", tool.Name)
				}
			}
			if len(said.Tools) < 5 {
				t.Errorf("the client saw %d tools only", len(said.Tools))
			}
			for i := 0; i < 4; i++ {
				said.Outcomes[i].result(t, want{code: "forbidden", class: "permission", status: 403})
				if i%2 == 1 && string(said.Outcomes[i].Result) != string(said.Outcomes[i-1].Result) {
					t.Errorf("the client can tell:\n%s\n%s", said.Outcomes[i-1].Result, said.Outcomes[i].Result)
				}
			}
			said.Outcomes[4].succeeded(t)
		})
	}
}

// Hidden tools vanish from every page, and what stays keeps its bytes.
func TestHiddenOnEveryPage(t *testing.T) {
	s := mcp.NewServer(&mcp.Implementation{Name: "pages", Version: "1.0.0"}, &mcp.ServerOptions{PageSize: 3})
	for i := range 10 {
		mcp.AddTool(s, &mcp.Tool{Name: fmt.Sprintf("tool_%d", i)}, func(context.Context, *mcp.CallToolRequest, map[string]any) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{}, nil, nil
		})
	}
	for _, json := range []bool{false, true} {
		h := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: json}))
		g := start(t, "tools {\ndeny tool_0 tool_[3-5]\n}\ntools /nowhere {\nallow *\n}", h.URL)
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		c := mcp.NewClient(&mcp.Implementation{Name: "pages-go", Version: "1.0.0"}, nil)
		session, err := c.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: g.URL + "/mcp"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		pages, cursor := 0, ""
		for {
			list, err := session.ListTools(ctx, &mcp.ListToolsParams{Cursor: cursor})
			if err != nil {
				t.Fatal(err)
			}
			pages++
			for _, tool := range list.Tools {
				names = append(names, tool.Name)
			}
			if cursor = list.NextCursor; cursor == "" {
				break
			}
		}
		if want := []string{"tool_1", "tool_2", "tool_6", "tool_7", "tool_8", "tool_9"}; !slices.Equal(names, want) || pages < 4 {
			t.Errorf("JSON %v: %d pages: %v", json, pages, names)
		}
		session.Close()
		cancel()
		h.CloseClientConnections()
		h.Close()
	}
}

// A client that resumes a stream may get a list that another request asked for.
func TestHiddenInResumedStream(t *testing.T) {
	u := newUpstream(t)
	g := start(t, "tools {\ndeny plain\n}", u.URL)
	u.answer(streams("id: 2\ndata: "+lists+"\n\n", 7))
	r := send(t, http.MethodGet, g.URL+"/mcp", "", "Content-Type", "", "Accept", "text/event-stream", "Last-Event-ID", "1",
		"Mcp-Session-Id", "s", "MCP-Protocol-Version", "2025-11-25")
	if strings.Contains(r.Body, `"plain"`) || !strings.Contains(r.Body, `"weather"`) {
		t.Errorf("resumed: %d %q", r.Status, r.Body)
	}
}

// A stream that began with a word of the server keeps its shape; the priming
// event alone does not begin it.
func TestUnknownInStream(t *testing.T) {
	u := newUpstream(t)
	g := start(t, "tools {\ndeny hidden\n}", u.URL)
	hidden := g.post(t, call("1", "hidden"))
	for _, unknown := range []string{
		failing("2", "Unknown tool: nope"),
		`{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"Tool nope not found"}}`,
		`{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"Method not found"}}`,
		`{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"MCP error -32602: Tool nope not found"}],"isError":true}}`,
	} {
		for name, h := range map[string]http.HandlerFunc{
			"JSON":             answers(http.StatusOK, "application/json", unknown, "Mcp-Session-Id", "s", "X-Server", "1"),
			"JSON with status": answers(http.StatusBadRequest, "application/json", unknown),
			"stream":           streams("data: "+unknown+"\n\n", 9),
			"primed stream":    streams("id: 1\nretry: 100\ndata: \n\nid: 2\nevent: message\ndata: "+unknown+"\n\n", 5),
		} {
			u.answer(h)
			sameRefusal(t, name, hidden, g.post(t, call("2", "nope")), "1", "2")
		}
	}
	note := `data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"z"}}` + "\n\n"
	for _, first := range []string{note, ": ping\n\n"} {
		u.answer(streams(first+"data: "+failing("2", "Unknown tool: nope")+"\n\n", 9))
		r := g.post(t, call("2", "nope"))
		want{code: "forbidden", class: "permission", status: 403, text: "does not exist or is not available"}.result(t, "2", r.response(t, "2"))
	}
	// A success of a tool that nobody listed passes as it is, in a stream too.
	ok := `{"jsonrpc":"2.0","id":2,"result":{ "content":[]}}`
	u.answer(streams("id: 1\ndata: \n\ndata: "+ok+"\n\n", 3))
	if r := g.post(t, call("2", "nope")); r.Body != "id: 1\ndata: \n\ndata: "+ok+"\n\n" || r.Status != http.StatusOK {
		t.Errorf("changed: %d %q", r.Status, r.Body)
	}
	// A record that is not found is no unknown tool.
	u.answer(answers(http.StatusOK, "application/json", failing("2", "order 17 was not found")))
	want{code: "not_found"}.result(t, "2", g.post(t, call("2", "nope")).Body)
}

// Of a batch nothing is made when one call may not be.
func TestBatchWithHidden(t *testing.T) {
	u := newUpstream(t)
	g := start(t, "tools {\ndeny hidden\n}", u.URL)
	asked := make(chan string, 10)
	u.answer(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Method
		answers(http.StatusOK, "application/json", lists)(w, r)
	})
	batch := func(a, b string) reply {
		return send(t, http.MethodPost, g.URL+"/mcp", "["+call("1", a)+","+call("2", b)+"]", "MCP-Protocol-Version", "2025-03-26")
	}
	send(t, http.MethodPost, g.URL+"/mcp", method("1", "tools/list"), "MCP-Protocol-Version", "2025-03-26")
	<-asked
	hidden, unknown := batch("hidden", "plain"), batch("nope", "plain")
	sameRefusal(t, "batch", hidden, unknown, "_", "_")
	forbidden := want{code: "forbidden", class: "permission", status: 403}
	forbidden.result(t, "1", gjson.Get(hidden.Body, "0").Raw)
	want{code: "bad_request", class: "validation", text: "another call of the same batch was refused"}.result(t, "2", gjson.Get(hidden.Body, "1").Raw)
	if len(asked) != 0 {
		t.Error("a refused batch reached the server")
	}
}
