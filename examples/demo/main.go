// Command demo is an MCP server whose tools fail in the ways of real servers:
// with tracebacks, SQL, HTML pages, secrets in the text, or not at all. It is
// what the gateway is tried on, so nothing here is kept from the client.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:3001", "address to listen on; port 0 lets the system choose")
	stateless := flag.Bool("stateless", true, "serve without sessions, which protocol 2026-07-28 needs")
	hang := flag.Duration("hang", 10*time.Minute, "how long the tool \"hang\" may hang")
	flag.Parse()
	if err := run(*addr, *stateless, *hang); err != nil {
		log.Fatal(err)
	}
}

func run(addr string, stateless bool, hang time.Duration) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	server := newServer(hang)
	mux := http.NewServeMux()
	mux.Handle("/mcp", badGateway(mcp.NewStreamableHTTPHandler(
		func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: stateless},
	)))
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })

	s := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	context.AfterFunc(ctx, func() { s.Close() })
	log.Printf("demo MCP server on http://%s/mcp", l.Addr())
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func newServer(hang time.Duration) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "demo", Version: "1.0.0"}, nil)
	s.AddReceivingMiddleware(recovered)
	addSuccesses(s)
	addFailures(s, hang)
	return s
}

// recovered turns a panic into a JSON-RPC error, as frameworks with a recovery
// option do. The SDK has none: a panic would end the process.
func recovered(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
		defer func() {
			if v := recover(); v != nil {
				name := ""
				if call, ok := req.(*mcp.CallToolRequest); ok {
					name = call.Params.Name
				}
				res, err = nil, &jsonrpc.Error{
					Code:    jsonrpc.CodeInternalError,
					Message: fmt.Sprintf("panic recovered in %s tool handler: %v", name, v),
				}
			}
		}()
		return next(ctx, method, req)
	}
}
