package integration

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience bounds every wait for a process or an answer. It is long because
// the machine may be busy; nothing is asserted about it.
const patience = 90 * time.Second

// output keeps the last of what a process says.
type output struct {
	mu sync.Mutex
	b  []byte
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.b = append(o.b, p...)
	if n := len(o.b) - 32<<10; n > 0 {
		o.b = o.b[n:]
	}
	return len(p), nil
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return string(o.b)
}

// spawn starts a process that ends with the test at the latest, its children
// included, and returns a channel that is closed when it has ended.
func spawn(t *testing.T, env []string, name string, args ...string) (said *output, done <-chan struct{}) {
	t.Helper()
	said = &output{}
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = said, said
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		cmd.Wait()
	}()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%s said:\n%s", filepath.Base(name), tail(said.String(), 4000))
		}
		syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
		select {
		case <-ended:
		case <-time.After(5 * time.Second):
		}
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		<-ended
	})
	return said, ended
}

// serveProcess starts a server that writes the port that it listens on into
// the file named by PORT_FILE, and returns its address.
func serveProcess(t *testing.T, env []string, name string, args ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "port")
	said, done := spawn(t, append(env, "PORT_FILE="+file), name, args...)
	var port string
	await(t, name, said, done, func() bool {
		b, err := os.ReadFile(file)
		port = strings.TrimSpace(string(b))
		return err == nil && port != ""
	})
	addr := net.JoinHostPort("127.0.0.1", port)
	await(t, name, said, done, func() bool { return listens(addr) })
	return "http://" + addr
}

// servePort starts a server that is told its address.
func servePort(t *testing.T, name string, args func(addr string) []string) string {
	t.Helper()
	addr := net.JoinHostPort("127.0.0.1", strconv.Itoa(freePort(t)))
	said, done := spawn(t, nil, name, args(addr)...)
	await(t, name, said, done, func() bool { return listens(addr) })
	return "http://" + addr
}

func listens(addr string) bool {
	c, err := net.DialTimeout("tcp", addr, time.Second)
	if err != nil {
		return false
	}
	c.Close()
	return true
}

// await polls until ready, and fails when the process ends before.
func await(t *testing.T, name string, said *output, done <-chan struct{}, ready func() bool) {
	t.Helper()
	deadline := time.After(patience)
	for !ready() {
		select {
		case <-done:
			t.Fatalf("%s ended before it was ready:\n%s", name, said)
		case <-deadline:
			t.Fatalf("%s was not ready after %s:\n%s", name, patience, said)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// runJSON runs a program to its end and decodes the last line of its output.
func runJSON(t *testing.T, into any, name string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.WaitDelay = 5 * time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			err = ctx.Err()
		}
		t.Fatalf("%s %s: %v\n%s\n%s", filepath.Base(name), strings.Join(args, " "), err, stdout.String(), tail(stderr.String(), 4000))
	}
	lines := bytes.Split(bytes.TrimSpace(stdout.Bytes()), []byte("\n"))
	if err := json.Unmarshal(lines[len(lines)-1], into); err != nil {
		t.Fatalf("%s: %v in %q\n%s", name, err, stdout.String(), tail(stderr.String(), 4000))
	}
}

// build compiles a package of this module or of a dependency once per test
// run; the toolchain's cache makes it cheap.
func build(t *testing.T, pkg string) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), filepath.Base(pkg))
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "build", "-o", bin, pkg)
	cmd.Dir = ".."
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("building %s: %v\n%s", pkg, err, out)
	}
	return bin
}
