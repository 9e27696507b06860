//go:build bench

package bench

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/caddymcp/gateway/limits/redistest"
)

// proxy is a process between the client and the server, or none.
type proxy struct {
	name  string
	addr  string
	admin string // of Caddy; "" for the others
	pid   int    // 0 for none
	group bool   // the process has workers
	rewrites
}

// rewrites says whether a proxy turns failures into envelopes.
type rewrites bool

// config is a kind of proxy.
type config struct {
	name     string
	rewrites rewrites
	global   string // of the Caddyfile
	site     string // before reverse_proxy
}

const limit = "limit {\nrpm 1000000\nconcurrency 10000\n}\n"

// Places of the configs in the results; plain is what the others are divided by.
const plain = "Caddy"

func configs(dir, keyFile, redis string) []config {
	return []config{
		{plain, false, "", ""},
		{"Caddy, metrics and access log", false, "metrics\n", accessLog(dir, "plain")},
		{"gateway", true, "", "mcp_gateway"},
		{"gateway, memory limits", true, "", "mcp_gateway {\nlimits memory\n" + limit + "}"},
		{"gateway, Redis limits", true, "", "mcp_gateway {\nlimits redis " + redis + "\n" + limit + "}"},
		{"gateway, everything", true, "metrics\n", accessLog(dir, "everything") + "mcp_gateway {\nservice weather\nauth keys " + strconv.Quote(keyFile) +
			"\nlimits memory\n" + limit +
			"tools {\nallow forecast search_*\n}\nbreaker {\nfailures 3\ncooldown 30s\n}\nssrf_guard source\nvalidate arguments results\n}"},
	}
}

func accessLog(dir, name string) string {
	return fmt.Sprintf("log {\noutput file %q\n}\n", filepath.Join(dir, name+".log"))
}

// callers makes keys and the file that admits them.
func callers(t *testing.T, n int) (keys []string, file string) {
	t.Helper()
	var b strings.Builder
	for i := range n {
		key := "bench" + strings.Repeat(strconv.Itoa(i%10), 32) + strconv.Itoa(i)
		sum := sha256.Sum256([]byte(key))
		keys = append(keys, key)
		fmt.Fprintf(&b, "caller-%d:%s\n", i, hex.EncodeToString(sum[:]))
	}
	file = filepath.Join(t.TempDir(), "keys.txt")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return keys, file
}

// caddyBinary is the Caddy with the module, the same for all configs.
func caddyBinary(t *testing.T) string {
	t.Helper()
	bin := os.Getenv("BENCH_CADDY")
	if bin == "" {
		bin = "../caddy"
	}
	bin, err := filepath.Abs(bin)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(bin); err != nil {
		t.Fatalf("%v: build it with \"make caddy\", or name one in BENCH_CADDY", err)
	}
	return bin
}

func startCaddy(t *testing.T, bin string, c config, server string) *proxy {
	t.Helper()
	dir := t.TempDir()
	p := &proxy{name: c.name, addr: freeAddr(t), admin: freeAddr(t), rewrites: c.rewrites}
	_, port, _ := net.SplitHostPort(p.addr)
	text := fmt.Sprintf("{\nadmin %s\npersist_config off\nauto_https off\ngrace_period 1s\nstorage file_system %q\n%slog {\nlevel ERROR\n}\n}\n"+
		":%s {\nbind 127.0.0.1\n%s\nreverse_proxy %s {\nheader_up Host {upstream_hostport}\n}\n}\n", p.admin, dir, c.global, port, c.site, server)
	file := filepath.Join(dir, "Caddyfile")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p.pid = spawn(t, p.addr, []string{"XDG_DATA_HOME=" + dir, "XDG_CONFIG_HOME=" + dir}, bin, "run", "--config", file, "--adapter", "caddyfile")
	return p
}

func startNginx(t *testing.T, server string) *proxy {
	t.Helper()
	bin, err := exec.LookPath("nginx")
	if err != nil {
		bin = "/usr/sbin/nginx" // not in the path of everybody
	}
	if _, err := os.Stat(bin); err != nil {
		t.Fatal("nginx is missing: install it from the system's packages (make bench does)")
	}
	dir := t.TempDir()
	p := &proxy{name: "nginx", addr: freeAddr(t), group: true}
	text := fmt.Sprintf(`daemon off;
worker_processes auto;
worker_rlimit_nofile 16384;
pid %[1]s/pid;
error_log stderr crit;
events { worker_connections 8192; }
http {
	access_log off;
	client_body_temp_path %[1]s/body;
	proxy_temp_path %[1]s/proxy;
	fastcgi_temp_path %[1]s/fastcgi;
	uwsgi_temp_path %[1]s/uwsgi;
	scgi_temp_path %[1]s/scgi;
	keepalive_requests 1000000000;
	upstream server {
		server %[2]s;
		keepalive 512;
		keepalive_requests 1000000000;
	}
	server {
		listen %[3]s;
		location / {
			proxy_pass http://server;
			proxy_http_version 1.1;
			proxy_set_header Connection "";
			proxy_set_header Host %[2]s;
			proxy_buffering off;
		}
	}
}
`, dir, server, p.addr)
	file := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p.pid = spawn(t, p.addr, nil, bin, "-c", file, "-p", dir, "-e", "stderr")
	return p
}

func startRedis(t *testing.T) string { return redistest.Start(t).Addr }

// spawn starts a process, waits until it listens, and ends it with the test.
func spawn(t *testing.T, addr string, env []string, name string, args ...string) int {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), env...)
	out := filepath.Join(t.TempDir(), "output")
	f, err := os.Create(out)
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = f, f
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	err = cmd.Start()
	f.Close()
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		cmd.Wait()
	}()
	t.Cleanup(func() {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
		select {
		case <-ended:
		case <-time.After(5 * time.Second):
			syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			<-ended
		}
		if t.Failed() {
			b, _ := os.ReadFile(out)
			t.Logf("%s said:\n%s", filepath.Base(name), b[max(0, len(b)-3000):])
		}
	})
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		if c, err := net.Dial("tcp", addr); err == nil {
			c.Close()
			return cmd.Process.Pid
		}
		select {
		case <-ended:
			b, _ := os.ReadFile(out)
			t.Fatalf("%s ended before it listened:\n%s", filepath.Base(name), b)
		default:
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s does not listen", filepath.Base(name))
		}
	}
}

func freeAddr(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
