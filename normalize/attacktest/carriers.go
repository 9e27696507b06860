package attacktest

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/caddymcp/gateway/normalize"
	"github.com/caddymcp/gateway/normalize/classify"
)

// carrier puts a text where a server may put it.
type carrier struct {
	name string
	put  func(c *Case, text string)
	// reads is true when the text is read for its reason there.
	reads bool
}

// rpc writes a JSON-RPC answer.
func rpc(member, value string) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":7,%q:%s}`, member, value)
}

func result(value string) func(*Case, string) {
	return func(c *Case, text string) {
		c.Message = rpc("result", strings.ReplaceAll(value, "$", quote(text)))
	}
}

func rpcError(value string) func(*Case, string) {
	return func(c *Case, text string) {
		c.Message = rpc("error", strings.ReplaceAll(value, "$", quote(text)))
	}
}

func page(status int, contentType, body string, fault classify.Fault) func(*Case, string) {
	return func(c *Case, text string) {
		c.Carrier = normalize.Carrier{Status: status, Header: http.Header{"Content-Type": {contentType}}}
		if contentType == "application/json" {
			text = quote(text)
		}
		c.Page, c.Fault = []byte(strings.ReplaceAll(body, "$", text)), fault
	}
}

const textBlock = `{"type":"text","text":$}`

var carriers = []carrier{
	{"result", result(`{"isError":true,"content":[` + textBlock + `]}`), true},
	{"second block", result(`{"isError":true,"content":[{"type":"text","text":"Error"},` + textBlock + `]}`), true},
	{"many blocks", result(`{"isError":true,"content":[` + strings.Repeat(`{"type":"text","text":""},`, 20) + textBlock + `]}`), true},
	{"split blocks", func(c *Case, text string) {
		k := len(text) / 2
		for k > 0 && k < len(text) && text[k]&0xc0 == 0x80 {
			k--
		}
		c.Message = rpc("result", `{"isError":true,"content":[{"type":"text","text":`+quote(text[:k])+`},{"type":"text","text":`+quote(text[k:])+`}]}`)
	}, false},
	{"block without type", result(`{"isError":true,"content":[{"text":$}]}`), true},
	{"content string", result(`{"isError":true,"content":$}`), true},
	{"structured", result(`{"isError":true,"content":[{"type":"text","text":"The tool failed"}],"structuredContent":{"message":$,"debug":$}}`), false},
	{"structured alone", result(`{"isError":true,"content":[],"structuredContent":{"error":{"message":$}}}`), true},
	{"structured key", result(`{"isError":true,"content":[],"structuredContent":{$:1,"nested":{$:[$]}}}`), false},
	{"meta", result(`{"isError":true,"content":[],"_meta":{"debug":$,"io.modelcontextprotocol/serverInfo":{"name":$,"version":$},"io.modelcontextprotocol/related-task":{"taskId":"t-1","note":$}}}`), false},
	{"meta key", result(`{"isError":true,"content":[],"_meta":{$:$}}`), false},
	{"resource", result(`{"isError":true,"content":[{"type":"resource","resource":{"uri":$,"text":$,"mimeType":$}}]}`), false},
	{"resource link", result(`{"isError":true,"content":[{"type":"resource_link","uri":$,"name":$,"description":$}]}`), false},
	{"image", result(`{"isError":true,"content":[{"type":"image","data":$,"mimeType":$}]}`), false},
	{"annotations", result(`{"isError":true,"content":[{"type":"text","text":"Not found","annotations":{"audience":[$]},"_meta":{"x":$}}]}`), false},
	{"other members", result(`{"isError":true,"content":[],"debug":$,"stack":$,"resultType":$}`), false},
	{"toolResult", result(`{"toolResult":{"isError":true,"content":[` + textBlock + `]},"x":$}`), true},
	{"task", func(c *Case, text string) {
		c.Call = &normalize.Call{ID: []byte("7"), Method: "tasks/get", Modern: true, Structured: true}
		c.Message = rpc("result", `{"taskId":"t","status":"failed","statusMessage":`+quote(text)+`,"result":{"isError":true,"content":[{"type":"text","text":`+quote(text)+`}]}}`)
	}, true},
	{"task error", func(c *Case, text string) {
		c.Call = &normalize.Call{ID: []byte("7"), Method: "tasks/get", Modern: true, Structured: true}
		c.Message = rpc("result", `{"taskId":"t","status":"failed","statusMessage":`+quote(text)+`,"error":{"code":-32603,"message":`+quote(text)+`,"data":`+quote(text)+`}}`)
	}, false},
	{"task status", func(c *Case, text string) {
		c.Message = []byte(`{"jsonrpc":"2.0","method":"notifications/tasks/status","params":{"taskId":"t","status":"failed","statusMessage":` + quote(text) + `}}`)
	}, false},
	{"task notification", func(c *Case, text string) {
		c.Message = []byte(`{"jsonrpc":"2.0","method":"notifications/tasks","params":{"taskId":"t","result":{"isError":true,"content":[{"type":"text","text":` + quote(text) + `}]}}}`)
	}, true},
	{"tasks/result", func(c *Case, text string) {
		c.Call = &normalize.Call{ID: []byte("7"), Method: "tasks/result", Structured: true}
		c.Message = rpc("result", `{"isError":true,"content":[{"type":"text","text":`+quote(text)+`}],"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"t-1"}}}`)
	}, true},
	{"error", rpcError(`{"code":-32603,"message":$}`), true},
	{"error 0", rpcError(`{"code":0,"message":$}`), true},
	{"error nested prefix", func(c *Case, text string) {
		c.Message = rpc("error", `{"code":-32603,"message":`+quote("MCP error -32603: MCP error -32603: "+text)+`}`)
	}, true},
	{"error data", rpcError(`{"code":-32603,"message":"Internal error","data":{"message":$,"stack":$}}`), false},
	{"error data string", rpcError(`{"code":-32603,"message":"Internal error","data":$}`), true},
	{"error string", rpcError(`$`), true},
	{"error of a list", func(c *Case, text string) {
		c.Call = &normalize.Call{ID: []byte("7"), Method: "tools/list"}
		c.Message = rpc("error", `{"code":-32603,"message":`+quote(text)+`,"data":{"x":`+quote(text)+`}}`)
	}, true},
	{"error with defined data", func(c *Case, text string) {
		c.Call = &normalize.Call{ID: []byte("7"), Method: "resources/read"}
		c.Message = rpc("error", `{"code":-32002,"message":`+quote(text)+`,"data":{"uri":`+quote(text)+`,"debug":`+quote(text)+`}}`)
	}, false},
	{"version data", rpcError(`{"code":-32022,"message":$,"data":{"supported":["2025-11-25",$],"requested":$,"debug":$}}`), false},
	{"capability data", rpcError(`{"code":-32021,"message":$,"data":{"requiredCapabilities":{"sampling":{},$:{"x":$}}}}`), false},
	{"error beside a result", func(c *Case, text string) {
		c.Message = []byte(`{"jsonrpc":"2.0","id":7,"debug":` + quote(text) + `,"result":{"content":[` + strings.ReplaceAll(textBlock, "$", quote(text)) + `]},"error":{"code":1,"message":` + quote(text) + `}}`)
	}, true},
	{"batch", func(c *Case, text string) {
		c.Message = []byte(`[{"jsonrpc":"2.0","id":7,"result":{"isError":true,"content":[{"type":"text","text":` + quote(text) + `}]}},{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":` + quote(text) + `}}]`)
	}, true},
	{"unknown call", func(c *Case, text string) {
		c.Call = nil
		c.Message = rpc("result", `{"isError":true,"content":[{"type":"text","text":`+quote(text)+`}]}`)
	}, true},
	{"disguised text", func(c *Case, text string) {
		c.Message = rpc("result", `{"content":[{"type":"text","text":`+quote("Error: "+text)+`}]}`)
	}, true},
	{"disguised JSON", func(c *Case, text string) {
		c.Message = rpc("result", `{"content":[{"type":"text","text":`+quote(`{"ok":false,"error":`+quote(text)+`}`)+`}]}`)
	}, true},
	{"JSON in text", func(c *Case, text string) {
		c.Message = rpc("result", `{"isError":true,"content":[{"type":"text","text":`+quote(`{"error":{"message":`+quote(text)+`,"env":`+quote(text)+`}}`)+`}]}`)
	}, true},
	{"JSON thrice", func(c *Case, text string) {
		c.Message = rpc("result", `{"isError":true,"content":[{"type":"text","text":`+quote(quote(quote(text)))+`}]}`)
	}, false},
	{"Python literal", func(c *Case, text string) {
		c.Message = rpc("result", `{"isError":true,"content":[{"type":"text","text":`+quote(`{'error': `+quote(text)+`, 'ok': False}`)+`}]}`)
	}, false},
	{"page text", page(500, "text/plain", "$", classify.NoFault), true},
	{"page HTML", page(502, "text/html", "<html><head><title>$</title></head><body><h1>$</h1><pre>$</pre></body></html>", classify.NoFault), false},
	{"page JSON", page(500, "application/json", `{"error":$,"trace":$}`, classify.NoFault), true},
	{"page detail", page(500, "application/json", `{"detail":{"error":$,"type":"ValueError","traceback":$}}`, classify.NoFault), true},
	{"page list", page(422, "application/json", `{"detail":[{"loc":["body",$],"msg":$,"type":$,"input":$}]}`, classify.NoFault), false},
	{"page 200", page(200, "text/html", "$", classify.NotJSON), false},
	{"page cut", page(200, "application/json", `{"jsonrpc":"2.0","id":7,"result":{"isError":true,"content":[{"type":"text","text":$`, classify.NotJSON), false},
	{"page for a list", func(c *Case, text string) {
		page(503, "text/plain", "$", classify.NoFault)(c, text)
		c.Call = &normalize.Call{ID: []byte("7"), Method: "resources/list"}
	}, false},
	{"headers", func(c *Case, text string) {
		one := strings.NewReplacer("\n", " ", "\r", " ").Replace(text)
		c.Carrier = normalize.Carrier{Status: 429, Header: http.Header{
			"Retry-After": {one}, "X-Error": {one}, "Www-Authenticate": {`Bearer error="` + one + `"`}, "X-Ratelimit-Reset": {one}, "Set-Cookie": {one}, "Content-Type": {one},
		}}
		c.Page = []byte("busy")
	}, false},
}
