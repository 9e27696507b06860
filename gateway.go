// Package gateway is a Caddy module: an MCP (Model Context Protocol) gateway.
//
// One directive, mcp_gateway, in front of any MCP server. It checks the
// transport rules of the protocol and turns every failure, whoever made it,
// into one envelope that an agent can act on and that leaks nothing; successes
// pass through byte for byte. Build it into Caddy with
//
//	xcaddy build --with github.com/caddymcp/gateway
//
// The handler and its options are documented at [caddymodule.Handler]; this
// package only pulls in the rest, so that the module path is all that has to be
// named.
package gateway

import (
	_ "github.com/caddymcp/gateway/caddyfile"   // the directive
	_ "github.com/caddymcp/gateway/caddymodule" // the handler and its guests
)
