package caddymodule

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/caddyserver/caddy/v2"
	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/spf13/cobra"
	"github.com/tidwall/gjson"

	"github.com/caddymcp/gateway/normalize"
	"github.com/caddymcp/gateway/normalize/classify"
	"github.com/caddymcp/gateway/normalize/envelope"
	"github.com/caddymcp/gateway/transport"
)

// maxExplain bounds the input of mcp-explain in bytes.
const maxExplain = 16 << 20

func init() {
	caddycmd.RegisterCommand(caddycmd.Command{
		Name:  "mcp-explain",
		Usage: "[--method <name>] [--tool <name>] [--arguments <json>] [--service <name>] [--mode strict|lenient] [<file>]",
		Short: "Shows what a failure of an MCP server would become, and why",
		Long: `
Reads one JSON-RPC response from the file, or from standard input, and prints
the envelope that the gateway would make of it, the rule that decided, and what
was removed from the server's text, by the names of the rules and not by value.

The input may also be an HTTP answer, written as an object:

  {"status": 502, "headers": {"content-type": "text/html"}, "body": "<html>…"}

whose body may be an event stream. Nothing is sent anywhere. A success is
reported as such.
`,
		CobraFunc: func(cmd *cobra.Command) {
			cmd.Args = cobra.MaximumNArgs(1)
			cmd.Flags().String("method", "tools/call", "JSON-RPC method of the request")
			cmd.Flags().String("tool", "", "Name of the tool that was called")
			cmd.Flags().String("arguments", "", "Arguments of the call, as JSON")
			cmd.Flags().String("service", "", "Name of the service")
			cmd.Flags().String("mode", "strict", "strict or lenient")
			cmd.RunE = caddycmd.WrapCommandFuncForCobra(runExplain)
		},
	})
}

func runExplain(fs caddycmd.Flags) (int, error) {
	in := io.Reader(os.Stdin)
	if name := fs.Arg(0); name != "" && name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return caddy.ExitCodeFailedStartup, err
		}
		defer f.Close()
		in = f
	}
	raw, err := io.ReadAll(io.LimitReader(in, maxExplain+1))
	if err != nil {
		return caddy.ExitCodeFailedStartup, err
	}
	if len(raw) > maxExplain {
		return caddy.ExitCodeFailedStartup, fmt.Errorf("the input is larger than %d bytes", maxExplain)
	}
	mode := fs.String("mode")
	if mode != "strict" && mode != "lenient" {
		return caddy.ExitCodeFailedStartup, fmt.Errorf("--mode is %q, must be strict or lenient", mode)
	}
	c := &normalize.Call{
		Method: fs.String("method"), Tool: fs.String("tool"), Service: fs.String("service"), Structured: true,
		Disguised: normalize.DisguiseRewrite,
	}
	if a := fs.String("arguments"); a != "" {
		if !json.Valid([]byte(a)) {
			return caddy.ExitCodeFailedStartup, errors.New("--arguments is not valid JSON")
		}
		c.Arguments = []byte(a)
	}
	n := &normalize.Normalizer{Classifier: classify.Classifier{Lenient: mode == "lenient"}, Explain: true}
	out, err := explain(n, c, raw)
	if err != nil {
		return caddy.ExitCodeFailedStartup, err
	}
	enc := json.NewEncoder(os.Stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return caddy.ExitCodeSuccess, enc.Encode(out)
}

// explanation is what mcp-explain prints.
type explanation struct {
	// Failure is false for a success, of which nothing else is said.
	Failure bool `json:"failure"`
	// Disguised: the server called it a success.
	Disguised bool               `json:"disguised,omitempty"`
	Rule      string             `json:"rule,omitempty"`
	Removed   []string           `json:"removed,omitempty"`
	Envelope  *envelope.Envelope `json:"envelope,omitempty"`
}

func explain(n *normalize.Normalizer, c *normalize.Call, raw []byte) (*explanation, error) {
	msg, car := raw, normalize.Carrier{}
	if h, ok := httpAnswer(raw); ok {
		car = normalize.Carrier{Status: h.Status, Header: h.header()}
		msg = h.message()
	}
	if len(bytes.TrimSpace(msg)) == 0 || !normalize.IsMessage(msg) {
		if car.Status == 0 {
			return nil, errors.New("the input is neither a JSON-RPC response nor an HTTP answer with status and body")
		}
		fault := classify.NoFault
		if car.Status < 400 {
			fault = classify.NotJSON
			if len(bytes.TrimSpace(msg)) == 0 {
				fault = classify.Empty
			}
		}
		_, rep := n.Failure(car, fault, msg, c)
		return explanationOf(&rep, false), nil
	}
	c.ID = []byte(gjson.GetBytes(msg, "id").Raw)
	_, reports := n.Message(car, msg, single{c})
	if len(reports) == 0 {
		return new(explanation), nil
	}
	marked := gjson.GetBytes(msg, "error").Exists() || bytes.Contains(msg, []byte(`"isError"`)) &&
		(gjson.GetBytes(msg, "result.isError").Bool() || gjson.GetBytes(msg, "result.toolResult.isError").Bool())
	return explanationOf(&reports[0], !marked && gjson.GetBytes(msg, "result").Exists()), nil
}

func explanationOf(rep *normalize.Report, disguised bool) *explanation {
	return &explanation{Failure: true, Disguised: disguised, Rule: rep.Rule, Removed: rep.Removed, Envelope: &rep.Envelope}
}

// single is an exchange of one call that nobody waits for.
type single struct{ call *normalize.Call }

func (s single) Call([]byte) *normalize.Call                   { return s.call }
func (single) Success(_ *normalize.Call, result []byte) []byte { return result }

// answerOverHTTP is the form in which mcp-explain reads an HTTP answer.
type answerOverHTTP struct {
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"`
	Body    *string           `json:"body"`
}

func httpAnswer(raw []byte) (answerOverHTTP, bool) {
	var h answerOverHTTP
	m := gjson.ParseBytes(raw)
	if !gjson.ValidBytes(raw) || !m.IsObject() || m.Get("status").Type != gjson.Number || m.Get("jsonrpc").Exists() {
		return h, false
	}
	if json.Unmarshal(raw, &h) != nil {
		return h, false
	}
	return h, h.Body != nil
}

func (h answerOverHTTP) header() http.Header {
	out := make(http.Header, len(h.Headers))
	for k, v := range h.Headers {
		out.Set(k, v)
	}
	return out
}

// message returns the body, or the last message of an event stream.
func (h answerOverHTTP) message() []byte {
	if !strings.HasPrefix(h.header().Get("Content-Type"), "text/event-stream") {
		return []byte(*h.Body)
	}
	var last []byte
	keep := func(ev transport.Event) error {
		if d := ev.Data(); len(bytes.TrimSpace(d)) > 0 {
			last = bytes.Clone(d)
		}
		return nil
	}
	s := transport.Splitter{Max: maxExplain}
	if s.Write([]byte(*h.Body), keep) != nil || s.Close(keep) != nil {
		return nil
	}
	return last
}
