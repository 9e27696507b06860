package caddymodule

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/caddymcp/gateway/normalize"
	"github.com/caddymcp/gateway/normalize/envelope"
)

func TestExplain(t *testing.T) {
	password := strings.Repeat("Zq7", 6)
	tests := []struct {
		name, in  string
		failure   bool
		disguised bool
		code      envelope.Code
		err       string
	}{
		{name: "result", in: `{"jsonrpc":"2.0","id":1,"result":{"isError":true,"content":[{"type":"text","text":"HTTP 503 at postgres://app:` + password + `@db/x"}]}}`, failure: true, code: envelope.ServiceUnavailable},
		{name: "error", in: `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}`, failure: true, code: envelope.NotFound},
		{name: "disguised", in: `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"ok\":false,\"error\":\"invalid_auth\"}"}]}}`, failure: true, disguised: true, code: envelope.AuthFailed},
		{name: "success", in: `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`},
		{name: "page", in: `{"status":502,"headers":{"content-type":"text/html"},"body":"<html><title>502 Bad Gateway</title></html>"}`, failure: true, code: envelope.UpstreamError},
		{name: "empty", in: `{"status":200,"headers":{},"body":""}`, failure: true, code: envelope.UpstreamNonJSON},
		{name: "stream", in: `{"status":200,"headers":{"content-type":"text/event-stream"},"body":": hi\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":0,\"message\":\"429 Too Many Requests, retry after 12s\"}}\n\n"}`, failure: true, code: envelope.RateLimited},
		{name: "not a message", in: `{"hello":1}`, err: "neither a JSON-RPC response"},
		{name: "not JSON", in: `boom`, err: "neither a JSON-RPC response"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := &normalize.Call{Method: "tools/call", Disguised: normalize.DisguiseRewrite}
			got, err := explain(&normalize.Normalizer{Explain: true}, c, []byte(tt.in))
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Fatalf("error %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			out, _ := json.Marshal(got)
			if strings.Contains(string(out), password) {
				t.Errorf("leaks: %s", out)
			}
			if got.Failure != tt.failure || got.Disguised != tt.disguised {
				t.Fatalf("got %s", out)
			}
			if tt.name == "result" && len(got.Removed) == 0 {
				t.Error("nothing is said to be removed")
			}
			if tt.failure && (got.Envelope.Code != tt.code || got.Rule == "") {
				t.Errorf("got %s, want code %s", out, tt.code)
			}
		})
	}
}

func TestCommandConfig(t *testing.T) {
	for name, tt := range map[string]struct {
		o    commandOptions
		want []string
		err  string
	}{
		"default":   {o: commandOptions{from: ":8080", to: "http://localhost:3001/mcp"}, want: []string{`"listen":[":8080"]`, `"dial":"localhost:3001"`, `"handler":"mcp_gateway"`, `{http.reverse_proxy.upstream.hostport}`, `"automatic_https":{"disable":true}`}},
		"no scheme": {o: commandOptions{from: "127.0.0.1:9000", to: "localhost:3001"}, want: []string{`"listen":["127.0.0.1:9000"]`, `"dial":"localhost:3001"`}},
		"https":     {o: commandOptions{from: "mcp.example.com", to: "https://api.example.com", insecure: true}, want: []string{`"listen":[":443"]`, `"host":["mcp.example.com"]`, `"dial":"api.example.com:443"`, `"insecure_skip_verify":true`}},
		"options":   {o: commandOptions{from: ":1", to: "http://x", service: "orders", stateless: true, accessLog: true}, want: []string{`"service":"orders"`, `"stateless":true`, `"logs":{}`, `"dial":"x:80"`}},
		"no to":     {o: commandOptions{from: ":8080"}, err: "--to is required"},
		"bad to":    {o: commandOptions{from: ":8080", to: "ftp://x"}, err: "not an http or https URL"},
		"bad from":  {o: commandOptions{from: "localhost:80/mcp", to: "http://x"}, err: "is not an address"},
		"https ip":  {o: commandOptions{from: "https://10.0.0.1", to: "http://x"}, err: "needs a host name"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg, err := tt.o.config()
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Fatalf("error %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			b, err := json.Marshal(cfg)
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range tt.want {
				if !strings.Contains(string(b), w) {
					t.Errorf("no %s in %s", w, b)
				}
			}
		})
	}
}
