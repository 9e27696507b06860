package integration

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/redis/go-redis/v9"

	"github.com/caddymcp/gateway/limits/redistest"
)

// What can be known to be wrong is refused when the config is loaded.
func TestLimitConfigRefused(t *testing.T) {
	t.Setenv("EMPTY_OF_TEST", "")
	t.Setenv("WORD_OF_TEST", "many")
	eleven := ""
	for i := range 9 {
		eleven += fmt.Sprintf("limit l%d {\nrpm 1\n}\n", i)
	}
	for _, c := range []struct{ block, says string }{
		{"limit {\nrpm {env.EMPTY_OF_TEST}\n}", "rpm"},
		{"limit {\nrpm {env.WORD_OF_TEST}\n}", "rpm"},
		{"limit {\nconcurrency {env.WORD_OF_TEST}\n}", "concurrency"},
		{"limit {\nrpm 1\n}\nlimit default {\nrpm 2\n}", `"default" is taken`},
		{"limit max_streams {\nrpm 1\n}", "max_streams"},
		{"limit \"a b\" {\nrpm 1\n}", "a b"},
		{"limit {\nrpm 3\ncost x 4\n}", "no such call could ever pass"},
		{"limit {\nrpm 1\nkey {env.EMPTY_OF_TEST}\n}", "key"},
		{"caller {env.EMPTY_OF_TEST}\nlimit {\nrpm 1\n}", "caller"},
		{eleven, "at most 8"},
		{"limits redis {env.EMPTY_OF_TEST}", "address"},
		{"limits redis redis://127.0.0.1:6379", "not a URL"},
		{"limits redis 127.0.0.1:6379 {\npassword {env.EMPTY_OF_TEST}\n}", "password: a placeholder is unknown or empty"},
		{"limits redis 127.0.0.1:6379 {\nsecret short\n}", "at least 16"},
		{"limits redis 127.0.0.1:6379 {\nprefix a{b}\n}", "prefix"},
		{"limits redis 127.0.0.1:6379 {\nlease 100ms\n}", "lease"},
		{"limits redis 127.0.0.1:6379 {\ntimeout 1m\n}", "timeout"},
		{"limits redis 127.0.0.1:6379 127.0.0.1:6380 {\ndb 1\n}", "database 0"},
		{"limits redis 127.0.0.1:6379 {\ntls {\nca /nowhere/ca.pem\n}\n}", "ca:"},
	} {
		t.Run(c.block, func(t *testing.T) {
			config, err := adapt(fmt.Sprintf("{\nadmin off\npersist_config off\nauto_https off\n}\n:%d {\nmcp_gateway {\n%s\n}\n}\n", freePort(t), c.block))
			if err != nil {
				t.Fatal(err)
			}
			err = caddy.Load(config, true)
			t.Cleanup(func() { caddy.Stop() })
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v, want %q in it", err, c.says)
			}
		})
	}
}

// Redis is reached over TLS with a certificate of one's own, and not without.
func TestLimitRedisTLS(t *testing.T) {
	dir := t.TempDir()
	cert, key := selfSigned(t, dir)
	port := strconv.Itoa(freePort(t))
	redistest.Start(t, "--tls-port", port, "--tls-cert-file", cert, "--tls-key-file", key, "--tls-auth-clients", "no")
	s := newToolServer(t)
	for trusted, block := range map[bool]string{true: "tls {\nca " + cert + "\n}", false: "tls"} {
		g := start(t, fmt.Sprintf("limits redis 127.0.0.1:%s {\n%s\non_failure deny\ntimeout 5s\n}\nlimit {\nrpm 1\n}", port, block), s.URL)
		if got := g.post(t, call("1", "x")).passed(); got != trusted {
			t.Errorf("%s: passed %v, want %v", block, got, trusted)
		}
	}
}

func selfSigned(t *testing.T, dir string) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for file, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

// Database, prefix and secret from the config are used, and the ACL user with
// the rights that the manual names suffices for limits, breakers and switches.
func TestLimitRedisOptions(t *testing.T) {
	server := redistest.Start(t)
	c := redis.NewClient(&redis.Options{Addr: server.Addr, DB: 3})
	t.Cleanup(func() { c.Close() })
	ctx := context.Background()
	password := strings.Repeat("pass", 4)
	rule := []any{"ACL", "SETUSER", "gateway", "on", ">" + password, "resetkeys", "~tenants:*", "resetchannels", "nocommands", "+select"}
	for _, command := range strings.Fields("hello ping client|setname evalsha eval get set setnx time " +
		"hget hset hsetnx hdel hlen hgetall zadd zcard zrange zrangebyscore zrem persist pexpire multi exec del") {
		rule = append(rule, "+"+command)
	}
	if err := c.Do(ctx, rule...).Err(); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SECRET_OF_TEST", strings.Repeat("secret", 4))
	s := newToolServer(t)
	g := start(t, "limits redis "+server.Addr+" {\nusername gateway\npassword "+password+
		"\ndb 3\nprefix tenants:\nsecret {env.SECRET_OF_TEST}\non_failure deny\ntimeout 5s\n}\nlimit {\nrpm 2\n}\nbreaker {\nfailures 1\n}", s.URL)
	g.passes(t, call("1", "x"))
	g.passes(t, call("1", "x"))
	g.post(t, call("1", "x")).refused(t, "1", rateLimited, &numbers{1, 2, 0, 2})
	keys, err := c.Keys(ctx, "*").Result()
	if err != nil || len(keys) == 0 {
		t.Fatalf("keys in database 3: %v, %v", keys, err)
	}
	for _, k := range keys {
		if !strings.HasPrefix(k, "tenants:") || strings.HasSuffix(k, "secret") {
			t.Errorf("key %q: want the prefix, and no secret when the config has one", k)
		}
	}
	log, err := c.Do(ctx, "ACL", "LOG").Slice()
	if err != nil || len(log) != 0 {
		t.Errorf("Redis refused something: %v, %v", log, err)
	}
}
