package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const traceback = `Error executing tool traceback: Invalid date format: 2025-13-45
Traceback (most recent call last):
  File "/srv/app/mcp_server.py", line 123, in get_tickets
    date = parse_date(params['date'])
           ^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "/srv/app/utils.py", line 45, in parse_date
    raise ValueError(f"Invalid date format: {date_str}")
ValueError: Invalid date format: 2025-13-45`

const sqlError = `Traceback (most recent call last):
  File "/srv/app/db.py", line 31, in get_user_by_id
    cursor.execute("SELECT name, email FROM user_data_v2 WHERE id = ?", (user_id,))
sqlite3.OperationalError: no such table: user_data_v2`

const rateLimited = `Client error '429 Too Many Requests' for url 'https://api.provider.example/v1/search?q=mcp'
{"error": {"message": "Rate limit reached for requests", "type": "requests"}}
retry-after: 12`

const argumentError = `Error executing tool argument_error: 1 validation error for argument_errorArguments
quantity
  Input should be a valid integer, unable to parse string as an integer [type=int_parsing, input_value=%s, input_type=str]
    For further information visit https://errors.pydantic.dev/2.14/v/int_parsing`

const disguised = `{"error": "not_found", "status": 404, "message": "No order with this number exists"}`

const badGatewayPage = `<html>
<head><title>502 Bad Gateway</title></head>
<body>
<center><h1>502 Bad Gateway</h1></center>
<hr><center>nginx/1.25.3 (edge-7.cluster.internal)</center>
</body>
</html>
`

type noInput struct{}

type quantityInput struct {
	Quantity any `json:"quantity"`
}

const quantitySchema = `{"type":"object","properties":{"quantity":{"type":"integer","minimum":1}},"required":["quantity"]}`

// addFailures adds the tools that fail. hang bounds the one that never answers.
func addFailures(s *mcp.Server, hang time.Duration) {
	fails := func(name, description string, message func() string) {
		mcp.AddTool(s, &mcp.Tool{Name: name, Description: description},
			func(context.Context, *mcp.CallToolRequest, noInput) (*mcp.CallToolResult, any, error) {
				return nil, nil, errors.New(message())
			})
	}
	always := func(s string) func() string { return func() string { return s } }

	fails("traceback", "Fails with a Python traceback.", always(traceback))
	fails("sql_error", "Fails with a database error.", always(sqlError))
	fails("rate_limited", "Fails because its provider has a rate limit.", always(rateLimited))
	fails("leak", "Fails and tells secrets.", leak)
	fails("bad_gateway", "Fails with an HTML page instead of an answer.", always("not reached: the page is sent before"))

	// Server.AddTool leaves it to the tool to check its arguments, as many frameworks do.
	s.AddTool(&mcp.Tool{
		Name:        "argument_error",
		Description: "Orders a quantity, which must be an integer.",
		InputSchema: json.RawMessage(quantitySchema),
	}, order)
	mcp.AddTool(s, &mcp.Tool{Name: "disguised", Description: "Reports an error as if it were a success."},
		func(context.Context, *mcp.CallToolRequest, noInput) (*mcp.CallToolResult, any, error) {
			return text(disguised), nil, nil
		})
	mcp.AddTool(s, &mcp.Tool{Name: "crash", Description: "Crashes."},
		func(context.Context, *mcp.CallToolRequest, noInput) (*mcp.CallToolResult, any, error) {
			var orders []string
			return text(orders[0]), nil, nil // panics: there is none
		})
	mcp.AddTool(s, &mcp.Tool{Name: "hang", Description: "Does not answer until the client leaves."},
		func(ctx context.Context, _ *mcp.CallToolRequest, _ noInput) (*mcp.CallToolResult, any, error) {
			select {
			case <-ctx.Done():
			case <-time.After(hang):
			}
			return nil, nil, errors.New("gave up hanging")
		})
}

func order(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var in quantityInput
	if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
		return nil, err
	}
	if n, ok := in.Quantity.(float64); ok && n == float64(int64(n)) {
		return text(fmt.Sprintf("ordered %d", int64(n))), nil
	}
	res := text(fmt.Sprintf(argumentError, pythonRepr(in.Quantity)))
	res.IsError = true
	return res, nil
}

// leak is a message full of what must not get out. The secrets are new in
// every call, so that none stands in the source.
func leak() string {
	password, token := rand.Text(), "sk_live_"+rand.Text()
	return fmt.Sprintf("could not connect to postgresql://orders:%s@db-3.prod.internal:5432/orders "+
		"(10.20.30.40) for jane.doe@customer.example: server refused API token %s", password, token)
}

func pythonRepr(v any) string {
	if s, ok := v.(string); ok {
		return "'" + s + "'"
	}
	b, err := json.Marshal(v)
	if err != nil {
		return "None"
	}
	return string(b)
}

// badGateway answers a call of the tool bad_gateway with a proxy's HTML page.
func badGateway(next http.Handler) http.Handler {
	const limit = 4 << 20
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			next.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
		if err != nil {
			http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
			return
		}
		var call struct {
			Method string `json:"method"`
			Params struct {
				Name string `json:"name"`
			} `json:"params"`
		}
		// What is no call is the next handler's to refuse.
		if json.Unmarshal(body, &call) == nil && call.Method == "tools/call" && call.Params.Name == "bad_gateway" {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(http.StatusBadGateway)
			io.WriteString(w, badGatewayPage)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}
