package integration

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	_ "github.com/caddyserver/caddy/v2/modules/standard"

	_ "github.com/caddymcp/gateway"
)

// gateway is a Caddy in this process with a site on a loopback port. Only one
// config runs at a time: starting another replaces it.
type gateway struct {
	URL string

	port  int
	admin string // address of the admin endpoint, or off
	log   string
	t     *testing.T
}

// start runs a site before an upstream: block is the inside of mcp_gateway's
// braces.
func start(t *testing.T, block, upstream string) *gateway {
	t.Helper()
	return startSite(t, fmt.Sprintf("mcp_gateway {\n%s\n}\n%s", block, proxyTo(t, upstream)))
}

// proxyTo is the reverse_proxy of the samples.
func proxyTo(t *testing.T, upstream string) string {
	t.Helper()
	u, err := url.Parse(upstream)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("reverse_proxy %s {\nheader_up Host {upstream_hostport}\n}", u.Host)
}

// startSite runs a site with any directives.
func startSite(t *testing.T, site string) *gateway {
	t.Helper()
	return startAt(t, "off", site)
}

// startAt is startSite with the admin endpoint on an address.
func startAt(t *testing.T, admin, site string) *gateway {
	t.Helper()
	return startWith(t, admin, "", site)
}

// startWith is startAt with global options.
func startWith(t *testing.T, admin, options, site string) *gateway {
	t.Helper()
	g := &gateway{port: freePort(t), admin: admin, log: filepath.Join(t.TempDir(), "caddy.log"), t: t}
	g.URL = "http://127.0.0.1:" + strconv.Itoa(g.port)
	g.loadWith(options, site)
	t.Cleanup(func() {
		if err := caddy.Stop(); err != nil {
			t.Errorf("stopping Caddy: %v", err)
		}
		if t.Failed() {
			t.Logf("end of Caddy's log:\n%s", tail(g.logged(), 6000))
		}
	})
	return g
}

// load replaces the running config, as "caddy reload" does.
func (g *gateway) load(site string) {
	g.t.Helper()
	g.loadWith("", site)
}

// loadWith is load with global options.
func (g *gateway) loadWith(options, site string) {
	g.t.Helper()
	config, err := adapt(fmt.Sprintf(`{
	admin %s
	%s
	persist_config off
	auto_https off
	grace_period 1s
	storage file_system %q
	log {
		output file %q
		level DEBUG
	}
}
:%d {
	bind 127.0.0.1
	%s
}
`, g.admin, options, filepath.Dir(g.log), g.log, g.port, site))
	if err != nil {
		g.t.Fatal(err)
	}
	if err := caddy.Load(config, true); err != nil {
		g.t.Fatalf("loading the config: %v", err)
	}
	// Caddy closes the listener that it replaced in the background, and with it
	// connections that nobody has accepted.
	for range 1000 {
		if g.listeners() <= 1 {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	g.t.Fatal("the replaced listener stays open")
}

// listeners counts the sockets that listen on the gateway's port; 0 where the
// system does not tell.
func (g *gateway) listeners() int {
	b, err := os.ReadFile("/proc/net/tcp")
	if err != nil {
		return 0
	}
	const listening = " 0A "
	return strings.Count(string(b), fmt.Sprintf("0100007F:%04X 00000000:0000%s", g.port, listening))
}

// logged returns Caddy's log, all of it from level debug.
func (g *gateway) logged() string {
	b, err := os.ReadFile(g.log)
	if err != nil && !os.IsNotExist(err) {
		g.t.Fatal(err)
	}
	return string(b)
}

func adapt(text string) ([]byte, error) {
	config, warnings, err := caddyconfig.GetAdapter("caddyfile").Adapt([]byte(text), map[string]any{"filename": "Caddyfile"})
	if err != nil {
		return nil, err
	}
	for _, w := range warnings {
		if !strings.Contains(w.Message, "not formatted") {
			return nil, fmt.Errorf("%s:%d: %s", w.File, w.Line, w.Message)
		}
	}
	return config, nil
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func tail(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return "…" + s[len(s)-n:]
}
