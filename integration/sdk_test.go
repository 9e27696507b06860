package integration

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// toolCall is one call for a client to make.
type toolCall struct {
	Name      string         `json:"name"`
	Arguments map[string]any `json:"arguments"`
}

// outcome is what a client made of a call: the result that it gave to its
// caller, or what it raised.
type outcome struct {
	Result json.RawMessage `json:"result"`
	Thrown *struct {
		Name    string          `json:"name"`
		Code    any             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"thrown"`
}

// sdk is a client library.
type sdk struct {
	name   string
	modern bool // speaks protocol 2026-07-28 here
	calls  func(t *testing.T, url string, calls []toolCall) []outcome
}

const modernVersion = "2026-07-28"

var sdks = []sdk{
	{"TypeScript 1", false, node("calls_v1.ts")},
	{"TypeScript 2", false, node("calls_v2.ts", "legacy")},
	{"TypeScript 2 modern", true, node("calls_v2.ts", modernVersion)},
	{"Python 1", false, python("v1", "calls_v1.py")},
	{"Python 2", false, python("v2", "calls_v2.py", "legacy")},
	{"Python 2 modern", true, python("v2", "calls_v2.py", modernVersion)},
	{"Go", false, goCalls},
}

func node(script string, args ...string) func(*testing.T, string, []toolCall) []outcome {
	return func(t *testing.T, url string, calls []toolCall) []outcome {
		return program(t, calls, func(calls string) (string, []string) {
			return nodeCommand(t, script, append([]string{url, calls}, args...)...)
		})
	}
}

// nodeCommand runs a script of clients/ below the installed packages, where
// its imports are looked for.
func nodeCommand(t *testing.T, script string, args ...string) (string, []string) {
	return cached(t, "bin", "node"), append([]string{"--preserve-symlinks", "--preserve-symlinks-main", "--disable-warning=ExperimentalWarning",
		cached(t, "node", "clients", script)}, args...)
}

func python(generation, script string, args ...string) func(*testing.T, string, []toolCall) []outcome {
	return func(t *testing.T, url string, calls []toolCall) []outcome {
		return program(t, calls, func(calls string) (string, []string) {
			return cached(t, "python-"+generation, "bin", "python"), append([]string{"clients/" + script, url, calls}, args...)
		})
	}
}

func program(t *testing.T, calls []toolCall, command func(calls string) (string, []string)) []outcome {
	t.Helper()
	b, err := json.Marshal(calls)
	if err != nil {
		t.Fatal(err)
	}
	var said struct {
		Outcomes []outcome `json:"outcomes"`
	}
	name, args := command(string(b))
	runJSON(t, &said, name, args...)
	if len(said.Outcomes) != len(calls) {
		t.Fatalf("%d outcomes of %d calls", len(said.Outcomes), len(calls))
	}
	return said.Outcomes
}

// goCalls does with the go-sdk what the programs in clients/ do.
func goCalls(t *testing.T, url string, calls []toolCall) []outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	c := mcp.NewClient(&mcp.Implementation{Name: "calls-go", Version: "1.0.0"}, nil)
	s, err := c.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: url}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.ListTools(ctx, nil); err != nil {
		t.Fatal(err)
	}
	var out []outcome
	for _, call := range calls {
		var said struct {
			Result any `json:"result,omitempty"`
			Thrown any `json:"thrown,omitempty"`
		}
		res, err := s.CallTool(ctx, &mcp.CallToolParams{Name: call.Name, Arguments: call.Arguments})
		var rpc *jsonrpc.Error
		switch {
		case err == nil:
			said.Result = res
		case errors.As(err, &rpc):
			said.Thrown = map[string]any{"name": "jsonrpc.Error", "code": rpc.Code, "message": rpc.Message, "data": rpc.Data}
		default:
			said.Thrown = map[string]any{"name": "error", "message": err.Error()}
		}
		b, err := json.Marshal(said)
		if err != nil {
			t.Fatal(err)
		}
		var o outcome
		if err := json.Unmarshal(b, &o); err != nil {
			t.Fatal(err)
		}
		out = append(out, o)
	}
	return out
}

// result fails unless the client gave the wanted envelope to its caller.
func (o outcome) result(t *testing.T, w want) {
	t.Helper()
	if o.Thrown != nil {
		t.Errorf("the client raised %s: %s", o.Thrown.Name, o.Thrown.Message)
		return
	}
	w.anyOrder = true
	w.toolResult(t, string(o.Result))
	if strings.Contains(string(o.Result), "Traceback") || strings.Contains(string(o.Result), "/srv/app") {
		t.Errorf("text of the server crossed: %s", o.Result)
	}
}

// succeeded fails unless the call gave a result that is no error.
func (o outcome) succeeded(t *testing.T) {
	t.Helper()
	var r struct {
		IsError bool `json:"isError"`
	}
	if o.Thrown != nil || json.Unmarshal(o.Result, &r) != nil || r.IsError {
		t.Errorf("no success: %s %+v", o.Result, o.Thrown)
	}
}
