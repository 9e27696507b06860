// Package redistest starts real Redis processes for tests: one server, a master with Sentinels, or a Cluster. All listen
// on loopback ports that the kernel chose, keep their files in the test's own directory and are stopped with the test.
package redistest

import (
	"bytes"
	"context"
	"fmt"
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

	"github.com/redis/go-redis/v9"
)

const install = "apt-get install -y redis-server redis-sentinel redis-tools (Debian, Ubuntu) or brew install redis"

// startTimeout bounds how long a process may take until it answers.
const startTimeout = 15 * time.Second

// Server is one redis-server process.
type Server struct {
	Addr string
	Port int

	t        testing.TB
	binary   string
	args     []string
	dir      string
	password string

	mu    sync.Mutex
	cmd   *exec.Cmd
	out   *bytes.Buffer
	ended chan struct{} // closed when the process has
}

// attempts is how often a process is started whose port somebody else took in between.
const attempts = 5

// Start starts one redis-server without persistence. args are added to its command line.
func Start(t testing.TB, args ...string) *Server {
	t.Helper()
	s := &Server{t: t, binary: find(t, "redis-server"), dir: t.TempDir()}
	t.Cleanup(s.Kill)
	for range attempts {
		s.Port = freePort(t)
		s.Addr = addr(s.Port)
		s.args = append([]string{"--port", strconv.Itoa(s.Port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no",
			"--repl-diskless-sync-delay", "0", "--dir", s.dir}, args...)
		if s.run() {
			return s
		}
	}
	t.Fatalf("%s does not start:\n%s", s.binary, s.out)
	return nil
}

// Run starts the process again, with the same port and empty memory, and waits until it answers.
func (s *Server) Run() {
	s.t.Helper()
	for range attempts {
		if s.run() {
			return
		}
		time.Sleep(200 * time.Millisecond)
	}
	s.t.Fatalf("%s does not start:\n%s", s.binary, s.out)
}

// run starts the process and waits until it answers; false: it has ended.
func (s *Server) run() (answers bool) {
	s.t.Helper()
	cmd, out, ended := exec.Command(s.binary, s.args...), &bytes.Buffer{}, make(chan struct{})
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		s.t.Fatalf("%s: %v", s.binary, err)
	}
	s.mu.Lock()
	s.cmd, s.out, s.ended = cmd, out, ended
	s.mu.Unlock()
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	c := s.Client()
	defer c.Close()
	Until(s.t, s.Addr+" answers", func() bool {
		select {
		case <-ended:
			return true
		default:
		}
		// Another server may have come to the port first.
		info, err := c.Info(context.Background(), "server").Result()
		answers = err == nil && strings.Contains(info, fmt.Sprintf("process_id:%d\r\n", cmd.Process.Pid))
		return answers
	})
	return answers
}

// Kill ends the process with SIGKILL and waits for it. It does nothing when it is not running.
func (s *Server) Kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd == nil {
		return
	}
	_ = s.cmd.Process.Signal(syscall.SIGCONT)
	_ = s.cmd.Process.Kill()
	<-s.ended
	s.cmd = nil
}

// Signal sends a signal, SIGSTOP and SIGCONT for instance.
func (s *Server) Signal(sig syscall.Signal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd != nil {
		_ = s.cmd.Process.Signal(sig)
	}
}

// Client returns a plain client of this server. The caller closes it.
func (s *Server) Client() *redis.Client {
	return redis.NewClient(&redis.Options{Addr: s.Addr, Password: s.password, DialTimeout: time.Second, DialerRetries: 1,
		DisableIdentity: true})
}

// Sentinels is one master, one replica and three Sentinels that watch them as MasterName.
type Sentinels struct {
	MasterName string
	Addresses  []string
	Master     *Server
	Replica    *Server
	// Servers are the Sentinels themselves.
	Servers []*Server

	t testing.TB
}

// StartSentinels starts them and waits until the Sentinels have found each other and the replica.
func StartSentinels(t testing.TB) *Sentinels {
	t.Helper()
	return StartSentinelsWith(t, "")
}

// StartSentinelsWith is StartSentinels with a password that the Sentinels, but not Redis, ask for.
func StartSentinelsWith(t testing.TB, password string) *Sentinels {
	t.Helper()
	s := &Sentinels{t: t, MasterName: "mymaster", Master: Start(t)}
	s.Replica = Start(t, "--replicaof", "127.0.0.1 "+strconv.Itoa(s.Master.Port))
	for range 3 {
		port, dir := freePort(t), t.TempDir()
		file := filepath.Join(dir, "sentinel.conf")
		conf := fmt.Sprintf("port %d\nbind 127.0.0.1\ndir %s\nsentinel monitor %s 127.0.0.1 %d 2\n"+
			"sentinel down-after-milliseconds %[3]s 1000\nsentinel failover-timeout %[3]s 3000\n"+
			"sentinel parallel-syncs %[3]s 1\n", port, dir, s.MasterName, s.Master.Port)
		if password != "" {
			conf += fmt.Sprintf("requirepass %s\nsentinel sentinel-pass %[1]s\n", password)
		}
		if err := os.WriteFile(file, []byte(conf), 0o600); err != nil {
			t.Fatal(err)
		}
		p := &Server{t: t, binary: find(t, "redis-sentinel"), args: []string{file}, Port: port, Addr: addr(port), dir: dir,
			password: password}
		p.Run()
		t.Cleanup(p.Kill)
		s.Addresses, s.Servers = append(s.Addresses, p.Addr), append(s.Servers, p)
	}
	Until(t, "the Sentinels agree", func() bool {
		for _, p := range s.Servers {
			c := p.sentinel()
			m, err := c.Master(context.Background(), s.MasterName).Result()
			q := c.CkQuorum(context.Background(), s.MasterName).Err()
			_ = c.Close()
			if err != nil || q != nil || m["num-slaves"] != "1" || m["num-other-sentinels"] != "2" {
				return false
			}
		}
		return true
	})
	Until(t, "the replica follows", s.Replica.follows)
	return s
}

// follows tells whether a replica has all that its master has: without that, it could not take over.
func (s *Server) follows() bool {
	c := s.Client()
	defer c.Close()
	info, err := c.Info(context.Background(), "replication").Result()
	return err == nil && strings.Contains(info, "master_link_status:up")
}

// sentinel returns a client for a Sentinel. The caller closes it.
func (s *Server) sentinel() *redis.SentinelClient {
	return redis.NewSentinelClient(&redis.Options{Addr: s.Addr, Password: s.password, DisableIdentity: true})
}

// KillMaster ends whoever is master, with SIGKILL, and returns it.
func (s *Sentinels) KillMaster() *Server {
	s.t.Helper()
	c := s.Servers[0].sentinel()
	defer c.Close()
	at, err := c.GetMasterAddrByName(context.Background(), s.MasterName).Result()
	if err != nil {
		s.t.Fatal(err)
	}
	for _, server := range []*Server{s.Master, s.Replica} {
		if at[1] == strconv.Itoa(server.Port) {
			server.Kill()
			return server
		}
	}
	s.t.Fatalf("the master is %v, which is not ours", at)
	return nil
}

// Cluster is three masters and three replicas.
type Cluster struct {
	Addresses []string
	Servers   []*Server
	t         testing.TB
}

// StartCluster starts it, with a node time-out of 2 seconds, and waits until every node sees all slots and the
// replicas, the last three, follow.
func StartCluster(t testing.TB) *Cluster {
	t.Helper()
	c := &Cluster{t: t}
	for range 6 {
		s := Start(t, "--cluster-enabled", "yes", "--cluster-config-file", "nodes.conf", "--cluster-node-timeout", "2000",
			"--cluster-require-full-coverage", "no", "--cluster-port", strconv.Itoa(freePort(t)))
		c.Servers = append(c.Servers, s)
		c.Addresses = append(c.Addresses, s.Addr)
	}
	c.CLI(append(append([]string{"--cluster", "create"}, c.Addresses...), "--cluster-replicas", "1", "--cluster-yes")...)
	Until(t, "the cluster is up", func() bool {
		for _, s := range c.Servers {
			cl := s.Client()
			info, err := cl.ClusterInfo(context.Background()).Result()
			nodes, err2 := cl.ClusterNodes(context.Background()).Result()
			_ = cl.Close()
			if err != nil || err2 != nil || !strings.Contains(info, "cluster_state:ok") ||
				strings.Count(nodes, "slave") != 3 {
				return false
			}
		}
		return true
	})
	for _, s := range c.Servers[3:] {
		Until(t, "the replicas follow", s.follows)
	}
	return c
}

// CLI runs redis-cli and returns its output; it fails the test when the command fails.
func (c *Cluster) CLI(args ...string) string {
	c.t.Helper()
	out, err := exec.Command(find(c.t, "redis-cli"), args...).CombinedOutput()
	if err != nil {
		c.t.Fatalf("redis-cli %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// Until waits until ok, and fails the test when it does not come true.
func Until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	end := time.Now().Add(startTimeout)
	for !ok() {
		if time.Now().After(end) {
			t.Fatalf("waited %s in vain: %s", startTimeout, what)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func find(t testing.TB, binary string) string {
	t.Helper()
	path, err := exec.LookPath(binary)
	if err != nil {
		t.Fatalf("%s is needed for this test. Install it: %s", binary, install)
	}
	return path
}

func freePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func addr(port int) string { return "127.0.0.1:" + strconv.Itoa(port) }
