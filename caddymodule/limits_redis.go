package caddymodule

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/redis/go-redis/v9"
	"go.uber.org/zap"

	"github.com/caddymcp/gateway/limits"
	"github.com/caddymcp/gateway/policy"
)

func init() {
	caddy.RegisterModule(&RedisLimits{})
	limits.SetLogger(redisLog)
}

const (
	defaultRedisPrefix = "mg:"
	minSecret          = 16
)

// RedisLimits counts calls in Redis, so that all replicas together hold to the
// limits. Requests per minute are exact on the clock of Redis; a replica that
// dies gives its slots back after at most one lease. Breakers and switches are
// kept there too.
//
// No credential reaches Redis: callers are counted under a keyed hash.
// Placeholders such as {env.REDIS_PASSWORD} are resolved when the config is
// loaded.
type RedisLimits struct {
	// Addresses, `host` or `host:port`. One is a single server, several are the
	// nodes of a Redis Cluster; with master_name they are Sentinels.
	// The default port is 6379, for Sentinels 26379.
	Addresses []string `json:"addresses"`

	// The ACL user. Default: none.
	Username string `json:"username,omitempty"`

	// The password. Default: none.
	Password string `json:"password,omitempty"`

	// The number of the database. Default: 0, the only one of a Cluster.
	DB int `json:"db,omitempty"`

	// Speak TLS. Default: plain TCP.
	TLS *RedisTLS `json:"tls,omitempty"`

	// The name under which Sentinels watch the master.
	MasterName string `json:"master_name,omitempty"`

	// The ACL user at the Sentinels themselves, who know nothing of those of
	// Redis. Default: none. Needs master_name and sentinel_password.
	SentinelUsername string `json:"sentinel_username,omitempty"`

	// The password that the Sentinels themselves ask for. Default: none; that
	// of Redis is not sent to them. Needs master_name.
	SentinelPassword string `json:"sentinel_password,omitempty"`

	// What all keys begin with. Gateways that share limits share the prefix.
	// Default: `mg:`.
	Prefix string `json:"prefix,omitempty"`

	// The secret that keys the hash of callers, at least 16 characters, the
	// same for all replicas. Default: the replicas agree on a random one, which
	// they keep in Redis; whoever can read all of that Redis can then test
	// guesses of credentials.
	Secret string `json:"secret,omitempty"`

	// How long one answer of Redis is waited for. A decision waits for one, or,
	// when a connection has to be made first, for up to three. Default: 100ms.
	Timeout caddy.Duration `json:"timeout,omitempty"`

	// How many replicas share the limits: each has its part of them while
	// Redis is away. Default: 1.
	Replicas int `json:"replicas,omitempty"`

	// What happens to calls while Redis is away: `local` goes on with this
	// replica's share of the limits, `allow` admits every call, `deny` refuses
	// every limited call with `service_unavailable`, also for the first 2 s
	// after Redis lost what it knew of a caller. Default: `local`.
	OnFailure string `json:"on_failure,omitempty"`

	// How long the slots of a replica that died are kept. They are renewed
	// after a third of it. Default: 15s; at least 1s.
	Lease caddy.Duration `json:"lease,omitempty"`

	// What happens to a call whose slot could not be renewed in time, so that
	// others may take it: `keep` lets it go on, `cut` ends it with
	// `service_unavailable`. Default: `keep`.
	OnLeaseLost string `json:"on_lease_lost,omitempty"`

	// Whether answers of limited calls carry `RateLimit-Policy` and
	// `RateLimit` (IETF draft-ietf-httpapi-ratelimit-headers-11).
	Headers bool `json:"headers,omitempty"`

	client limits.ClientOptions // resolved
	opts   limits.RedisOptions  // resolved
	prefix string
	key    string
}

// CaddyModule returns the Caddy module information.
func (*RedisLimits) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "http.mcp_gateway.limits.redis",
		New: func() caddy.Module { return new(RedisLimits) },
	}
}

// Provision resolves the placeholders.
func (l *RedisLimits) Provision(caddy.Context) error {
	repl := caddy.NewReplacer()
	addresses, err := replacedAll(repl, "address", l.Addresses)
	if err != nil {
		return err
	}
	if len(addresses) == 0 {
		return errors.New("an address is needed, host:port")
	}
	port := "6379"
	if l.MasterName != "" {
		port = "26379"
	}
	for _, a := range addresses {
		a, err := withPort(a, port)
		if err != nil {
			return err
		}
		l.client.Addresses = append(l.client.Addresses, a)
	}
	var secret string
	for _, f := range []struct {
		option   string
		from, to *string
	}{
		{"username", &l.Username, &l.client.Username}, {"password", &l.Password, &l.client.Password},
		{"master_name", &l.MasterName, &l.client.MasterName},
		{"sentinel_username", &l.SentinelUsername, &l.client.SentinelUsername},
		{"sentinel_password", &l.SentinelPassword, &l.client.SentinelPassword},
		{"prefix", &l.Prefix, &l.prefix}, {"secret", &l.Secret, &secret},
	} {
		if *f.to, err = replaced(repl, f.option, *f.from); err != nil {
			// The text of the error may hold what stands around a placeholder.
			return fmt.Errorf("%s: a placeholder is unknown or empty", f.option)
		}
	}
	if secret != "" && len(secret) < minSecret {
		return fmt.Errorf("secret: has %d characters, must have at least %d", len(secret), minSecret)
	}
	if l.prefix == "" {
		l.prefix = defaultRedisPrefix
	}
	if strings.ContainsAny(l.prefix, "{} \r\n") || len(l.prefix) > 64 {
		return fmt.Errorf("prefix %q must have at most 64 characters, none of them a brace or a space", l.prefix)
	}
	if l.client.TLS, err = l.TLS.config(repl); err != nil {
		return fmt.Errorf("tls: %w", err)
	}
	l.client.DB, l.client.Timeout = l.DB, time.Duration(l.Timeout)
	l.opts = limits.RedisOptions{
		// The version of the stored values belongs to the name of the key.
		Prefix: l.prefix + "v1:", Secret: []byte(secret), Timeout: time.Duration(l.Timeout),
		Lease: time.Duration(l.Lease), Replicas: l.Replicas,
	}
	if l.OnFailure != "" {
		if l.opts.OnFailure, err = limits.ParseOnFailure(l.OnFailure); err != nil {
			return err
		}
	}
	if l.key, err = l.poolKey(); err != nil {
		return err
	}
	return l.validate()
}

func (l *RedisLimits) validate() error {
	switch {
	case l.MasterName == "" && l.SentinelUsername != "":
		return errors.New("sentinel_username is for Sentinels, which need master_name")
	case l.MasterName == "" && l.SentinelPassword != "":
		return errors.New("sentinel_password is for Sentinels, which need master_name")
	case l.SentinelUsername != "" && l.SentinelPassword == "":
		return errors.New("sentinel_username needs sentinel_password")
	case l.DB < 0 || l.DB > 1<<16:
		return fmt.Errorf("db is %d, must be from 0 to %d", l.DB, 1<<16)
	case l.Timeout < 0 || l.Timeout > caddy.Duration(10*time.Second):
		return fmt.Errorf("timeout is %s, must be above 0 and at most 10s", time.Duration(l.Timeout))
	case l.Replicas < 0:
		return fmt.Errorf("replicas is negative: %d", l.Replicas)
	case l.Lease != 0 && (l.Lease < caddy.Duration(time.Second) || l.Lease > caddy.Duration(10*time.Minute)):
		return fmt.Errorf("lease is %s, must be from 1s to 10m", time.Duration(l.Lease))
	case l.OnLeaseLost != "" && l.OnLeaseLost != "keep" && l.OnLeaseLost != "cut":
		return fmt.Errorf("on_lease_lost is %q, must be keep or cut", l.OnLeaseLost)
	}
	return nil
}

// withPort checks an address and completes it.
func withPort(address, port string) (string, error) {
	if strings.Contains(address, "://") {
		return "", fmt.Errorf("address %q must be host:port, not a URL", address)
	}
	if _, _, err := net.SplitHostPort(address); err == nil {
		return address, nil
	}
	host := strings.TrimSuffix(strings.TrimPrefix(address, "["), "]")
	if host == "" || strings.ContainsAny(host, " /[]") || strings.Contains(host, ":") && net.ParseIP(host) == nil {
		return "", fmt.Errorf("address %q is not host:port", address)
	}
	return net.JoinHostPort(host, port), nil
}

// poolKey is a hash of everything that changes the stores.
func (l *RedisLimits) poolKey() (string, error) {
	c := l.client
	var certificates []byte
	if c.TLS != nil {
		c.TLS, certificates = nil, l.TLS.files
	}
	b, err := json.Marshal([]any{c, l.TLS, certificates, l.prefix, l.opts.Secret, l.opts.Lease, l.opts.Replicas, l.opts.OnFailure})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(b)
	return "redis:" + hex.EncodeToString(sum[:]), nil
}

// PoolKey implements LimitsModule.
func (l *RedisLimits) PoolKey() string { return l.key }

// SendHeaders implements LimitsModule.
func (l *RedisLimits) SendHeaders() bool { return l.Headers }

// CutOnLostLease implements LimitsModule.
func (l *RedisLimits) CutOnLostLease() bool { return l.OnLeaseLost == "cut" }

// Open implements LimitsModule. Redis need not be there.
func (l *RedisLimits) Open() (*Stores, error) {
	client, err := limits.NewClient(l.client)
	if err != nil {
		return nil, err
	}
	o := l.opts
	o.Observer = limitsObserver()
	limiter, err := limits.NewRedis(client, o)
	if err != nil {
		return nil, errors.Join(err, client.Close())
	}
	s := &redisStores{
		client: client, limiter: limiter,
		breakers: limits.NewBreakerRedis(limits.BreakerRedisOptions{
			Client: client, Prefix: l.prefix, Timeout: time.Duration(l.Timeout), OnChange: breakerChanged,
			OnRedis: func(err error) { storeLog().Debug("breakers and redis", zap.Bool("away", err != nil), zap.Error(err)) },
		}),
		switches: policy.NewRedisSwitches(policy.SwitchRedisOptions{
			Client: client, Prefix: l.prefix, OnChange: switchChanged,
		}),
	}
	s.run()
	return &Stores{Limiter: limiter, Breakers: s.breakers, Switches: s.switches, Close: s.close}, nil
}

// redisStores are the stores of one Redis, with what keeps them in step.
type redisStores struct {
	client   redis.UniversalClient
	limiter  *limits.Redis
	breakers *limits.BreakerRedis
	switches *policy.RedisSwitches
	stop     context.CancelFunc
	wg       sync.WaitGroup
}

func (s *redisStores) run() {
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.wg.Go(func() {
		tick := time.NewTicker(limits.BreakerPoll)
		defer tick.Stop()
		s.breakers.Run(ctx, tick.C, time.Now)
	})
	s.wg.Go(func() {
		_ = s.switches.Refresh(ctx) // the first tick tries again
		tick := time.NewTicker(policy.SwitchPoll)
		defer tick.Stop()
		s.switches.Run(ctx, tick.C)
	})
}

// close gives back the slots that were released, and ends the connections.
func (s *redisStores) close() error {
	s.stop()
	s.wg.Wait()
	return errors.Join(s.limiter.Close(), s.client.Close())
}

// Interface guards
var (
	_ LimitsModule      = (*RedisLimits)(nil)
	_ caddy.Provisioner = (*RedisLimits)(nil)
)
