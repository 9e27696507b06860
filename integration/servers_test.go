package integration

import (
	"strconv"
	"testing"
)

const everythingServer = "github.com/modelcontextprotocol/go-sdk/conformance/everything-server"

// The servers below are programs as their authors publish them. Each function
// starts one and returns the URL of its MCP endpoint's host.

func demoServer(t *testing.T, args ...string) string {
	bin := build(t, "./examples/demo")
	return servePort(t, bin, func(addr string) []string { return append([]string{"-addr", addr}, args...) })
}

// goEverything is the go-sdk's conformance server. Its endpoint is "/".
func goEverything(t *testing.T, stateless bool) string {
	bin := build(t, everythingServer)
	return servePort(t, bin, func(addr string) []string {
		return []string{"-http", addr, "-stateless=" + strconv.FormatBool(stateless)}
	})
}

// npmEverything is the reference server of the TypeScript SDK.
func npmEverything(t *testing.T) string {
	return serveProcess(t, nil, cached(t, "bin", "node"), "-r", preload,
		cached(t, "node", "node_modules", "@modelcontextprotocol", "server-everything", "dist", "index.js"), "streamableHttp")
}

// preload keeps a Node server on a loopback address and a free port.
const preload = "./clients/loopback.cjs"

// npmStdio puts a server that speaks stdio behind supergateway.
func npmStdio(t *testing.T, command string) string {
	return serveProcess(t, nil, cached(t, "bin", "node"), "-r", preload,
		cached(t, "node", "node_modules", "supergateway", "dist", "index.js"),
		"--outputTransport", "streamableHttp", "--stateful", "--stdio", command)
}

// stdioCommand is the shell command of an npm package's server.
func stdioCommand(t *testing.T, pkg, args string) string {
	return cached(t, "bin", "node") + " " +
		cached(t, "node", "node_modules", "@modelcontextprotocol", pkg, "dist", "index.js") + " " + args
}

// pythonServer runs a program of servers/ with a generation of the Python SDK.
func pythonServer(t *testing.T, generation, program string) string {
	return serveProcess(t, []string{"PYTHONPATH=servers", "NO_COLOR=1"},
		cached(t, "python-"+generation, "bin", "python"), "servers/"+program+".py")
}
