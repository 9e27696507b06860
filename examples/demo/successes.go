package main

import (
	"context"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type echoInput struct {
	Text string `json:"text" jsonschema:"what to send back"`
}

type addInput struct {
	A int `json:"a" jsonschema:"first summand"`
	B int `json:"b" jsonschema:"second summand"`
}

type addOutput struct {
	Sum int `json:"sum"`
}

type weatherInput struct {
	City string `json:"city" jsonschema:"name of a city"`
}

type weatherOutput struct {
	Celsius float64 `json:"celsius"`
	Sky     string  `json:"sky"`
}

// addSuccesses adds the tools that work, and weather, which has an output
// schema and works for one city only.
func addSuccesses(s *mcp.Server) {
	mcp.AddTool(s, &mcp.Tool{Name: "echo", Description: "Sends the text back."},
		func(_ context.Context, _ *mcp.CallToolRequest, in echoInput) (*mcp.CallToolResult, any, error) {
			return text(in.Text), nil, nil
		})
	mcp.AddTool(s, &mcp.Tool{Name: "add", Description: "Adds two integers."},
		func(_ context.Context, _ *mcp.CallToolRequest, in addInput) (*mcp.CallToolResult, addOutput, error) {
			return nil, addOutput{Sum: in.A + in.B}, nil
		})
	mcp.AddTool(s, &mcp.Tool{Name: "weather", Description: "The weather in a city. Knows Delft and fails elsewhere."},
		func(_ context.Context, _ *mcp.CallToolRequest, in weatherInput) (*mcp.CallToolResult, weatherOutput, error) {
			if in.City != "Delft" {
				return nil, weatherOutput{}, errors.New("weather provider: HTTP 503 Service Unavailable")
			}
			return nil, weatherOutput{Celsius: 11.5, Sky: "rain"}, nil
		})
}

func text(s string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}
}
