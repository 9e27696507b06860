//go:build conformance

package integration

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// xcaddy builds Caddy the way a user does, and checks that the module is in.
func xcaddy(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "caddy")
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
	defer cancel()
	if out, err := exec.CommandContext(ctx, "../xcaddy.sh", bin).CombinedOutput(); err != nil {
		t.Fatalf("xcaddy.sh: %v\n%s", err, tail(string(out), 3000))
	}
	out, err := exec.CommandContext(ctx, bin, "list-modules").CombinedOutput()
	if err != nil || !regexp.MustCompile(`(?m)^http\.handlers\.mcp_gateway$`).Match(out) {
		t.Fatalf("the module is not in: %v\n%s", err, tail(string(out), 1000))
	}
	return bin
}

// process is a Caddy that runs on its own.
type process struct {
	url string
	pid int
}

// serveCaddy runs the built Caddy before a server, with mcp_gateway or what
// else directive is.
func serveCaddy(t *testing.T, bin, directive, upstream string) process {
	t.Helper()
	u, err := url.Parse(upstream)
	if err != nil {
		t.Fatal(err)
	}
	dir, port := t.TempDir(), freePort(t)
	file, pidFile := filepath.Join(dir, "Caddyfile"), filepath.Join(dir, "pid")
	text := fmt.Sprintf("{\nadmin off\npersist_config off\nauto_https off\ngrace_period 1s\nstorage file_system %q\nlog {\nlevel WARN\n}\n}\n"+
		":%d {\nbind 127.0.0.1\n%s\nreverse_proxy %s {\nheader_up Host {upstream_hostport}\n}\n}\n", dir, port, directive, u.Host)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	said, done := spawn(t, []string{"XDG_DATA_HOME=" + dir, "XDG_CONFIG_HOME=" + dir}, bin, "run", "--config", file, "--pidfile", pidFile)
	addr := "127.0.0.1:" + strconv.Itoa(port)
	await(t, "caddy", said, done, func() bool { return listens(addr) })
	var pid int
	await(t, "caddy", said, done, func() bool {
		b, _ := os.ReadFile(pidFile)
		pid, err = strconv.Atoi(strings.TrimSpace(string(b)))
		return err == nil
	})
	return process{"http://" + addr, pid}
}
