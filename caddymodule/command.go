package caddymodule

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/headers"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy"
	"github.com/spf13/cobra"
	"go.uber.org/zap"
)

func init() {
	caddycmd.RegisterCommand(caddycmd.Command{
		Name:  "mcp-gateway",
		Usage: "--to <url> [--from <addr>] [--service <name>] [--stateless] [--insecure] [--access-log] [--debug]",
		Short: "A gateway in front of an MCP server, without a Caddyfile",
		Long: `
Starts the MCP gateway with its defaults in front of the MCP server at --to.

The server is reached at the scheme, host and port of --to; https is used when
the URL says so. A path in --to is only shown: clients use the same path at the
gateway. The Host header of requests is set to the server's address.

--from is the address to listen on: a port (":8080", the default) or an address
with a port serves plain HTTP; a host name without the http:// scheme serves
HTTPS with a certificate, as in "caddy reverse-proxy".

The admin endpoint is off. For limits, policy and everything else write a
Caddyfile with the mcp_gateway directive.
`,
		CobraFunc: func(cmd *cobra.Command) {
			cmd.Flags().StringP("from", "f", ":8080", "Address to listen on")
			cmd.Flags().StringP("to", "t", "", "URL of the MCP server")
			cmd.Flags().String("service", "", "Name of the service in envelopes")
			cmd.Flags().Bool("stateless", false, "Refuse GET and DELETE")
			cmd.Flags().Bool("insecure", false, "Do not verify the server's TLS certificate")
			cmd.Flags().Bool("access-log", false, "Enable the access log")
			cmd.Flags().BoolP("debug", "v", false, "Enable debug logs")
			cmd.RunE = caddycmd.WrapCommandFuncForCobra(runGateway)
		},
	})
}

func runGateway(fs caddycmd.Flags) (int, error) {
	caddy.TrapSignals()
	o := commandOptions{
		from: fs.String("from"), to: fs.String("to"), service: fs.String("service"), stateless: fs.Bool("stateless"),
		insecure: fs.Bool("insecure"), accessLog: fs.Bool("access-log"), debug: fs.Bool("debug"),
	}
	cfg, err := o.config()
	if err != nil {
		return caddy.ExitCodeFailedStartup, err
	}
	if err := caddy.Run(cfg); err != nil {
		return caddy.ExitCodeFailedStartup, err
	}
	caddy.Log().Info("MCP gateway is running", zap.String("from", o.from), zap.String("to", o.to))
	select {}
}

type commandOptions struct {
	from, to, service                     string
	stateless, insecure, accessLog, debug bool
}

// config builds the configuration of the command.
func (o commandOptions) config() (*caddy.Config, error) {
	proxy, err := o.proxy()
	if err != nil {
		return nil, err
	}
	from, err := parseFrom(o.from)
	if err != nil {
		return nil, err
	}
	route := caddyhttp.Route{HandlersRaw: []json.RawMessage{
		caddyconfig.JSONModuleObject(&Handler{Service: o.service, Stateless: o.stateless}, "handler", "mcp_gateway", nil),
		caddyconfig.JSONModuleObject(proxy, "handler", "reverse_proxy", nil),
	}}
	server := &caddyhttp.Server{Listen: []string{from.listen}, Routes: caddyhttp.RouteList{route}}
	if from.https {
		server.Routes[0].MatcherSetsRaw = []caddy.ModuleMap{{"host": caddyconfig.JSON(caddyhttp.MatchHost{from.host}, nil)}}
	} else {
		server.AutoHTTPS = &caddyhttp.AutoHTTPSConfig{Disabled: true}
	}
	if o.accessLog {
		server.Logs = new(caddyhttp.ServerLogConfig)
	}
	persist := false
	cfg := &caddy.Config{
		Admin: &caddy.AdminConfig{Disabled: true, Config: &caddy.ConfigSettings{Persist: &persist}},
		AppsRaw: caddy.ModuleMap{"http": caddyconfig.JSON(caddyhttp.App{
			GracePeriod: caddy.Duration(10 * time.Second),
			Servers:     map[string]*caddyhttp.Server{"mcp_gateway": server},
		}, nil)},
	}
	if o.debug {
		cfg.Logging = &caddy.Logging{Logs: map[string]*caddy.CustomLog{
			"default": {BaseLog: caddy.BaseLog{Level: zap.DebugLevel.CapitalString()}},
		}}
	}
	return cfg, nil
}

// proxy builds the reverse proxy to the server.
func (o commandOptions) proxy() (*reverseproxy.Handler, error) {
	if o.to == "" {
		return nil, errors.New("--to is required: the URL of the MCP server")
	}
	to := o.to
	if !strings.Contains(to, "://") {
		to = "http://" + to
	}
	u, err := url.Parse(to)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("--to %q is not an http or https URL", o.to)
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	transport := reverseproxy.HTTPTransport{}
	if u.Scheme == "https" {
		transport.TLS = &reverseproxy.TLSConfig{InsecureSkipVerify: o.insecure}
	}
	return &reverseproxy.Handler{
		TransportRaw: caddyconfig.JSONModuleObject(transport, "protocol", "http", nil),
		Upstreams:    reverseproxy.UpstreamPool{{Dial: net.JoinHostPort(u.Hostname(), port)}},
		Headers: &headers.Handler{Request: &headers.HeaderOps{
			Set: http.Header{"Host": []string{"{http.reverse_proxy.upstream.hostport}"}},
		}},
	}, nil
}

// fromAddress is where the gateway listens.
type fromAddress struct {
	listen, host string
	https        bool
}

func parseFrom(from string) (fromAddress, error) {
	scheme, rest, ok := strings.Cut(from, "://")
	if !ok {
		scheme, rest = "", from
	}
	if scheme != "" && scheme != "http" && scheme != "https" || strings.ContainsAny(rest, "/ ") || rest == "" {
		return fromAddress{}, fmt.Errorf("--from %q is not an address: want [http://|https://][host][:port], without a path", from)
	}
	host, port, err := net.SplitHostPort(rest)
	if err != nil {
		host, port = rest, ""
	}
	named := host != "" && net.ParseIP(host) == nil && host != "localhost"
	https := scheme == "https" || scheme == "" && named && port != "80"
	if https && !named && host != "localhost" {
		return fromAddress{}, fmt.Errorf("--from %q: HTTPS needs a host name", from)
	}
	if port == "" {
		port = map[bool]string{true: "443", false: "80"}[https]
	}
	f := fromAddress{host: host, https: https, listen: ":" + port}
	if host != "" && !named && !https {
		f.listen = net.JoinHostPort(host, port)
	}
	return f, nil
}
