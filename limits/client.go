package limits

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// ClientOptions configure [NewClient].
type ClientOptions struct {
	// Addresses as host:port. One: a single server. Several: a Cluster. With MasterName: the Sentinels.
	Addresses []string
	// MasterName is the name that the Sentinels watch.
	MasterName string
	// Cluster makes one address the entry to a Cluster.
	Cluster            bool
	Username, Password string
	// SentinelUsername and SentinelPassword are for the Sentinels themselves.
	SentinelUsername, SentinelPassword string
	// DB must be 0 for a Cluster.
	DB int
	// TLS is used as it is; nil means plain TCP.
	TLS *tls.Config
	// Timeout is the one of RedisOptions, DefaultTimeout when 0.
	Timeout time.Duration
	// PoolSize is the number of connections per node, 10 x GOMAXPROCS when 0. Every client keeps a second pool of 10 for
	// pipelines: count both in maxclients.
	PoolSize int
}

// NewClient returns a client with the settings that the guarantees need; it does not connect yet. Its operations are never
// repeated by the client itself: one that timed out may have been executed, and the script is told in the next one.
func NewClient(o ClientOptions) (redis.UniversalClient, error) {
	if len(o.Addresses) == 0 {
		return nil, errors.New("redis needs an address, host:port")
	}
	for _, a := range o.Addresses {
		if !strings.Contains(a, ":") {
			return nil, fmt.Errorf("redis address %q is not host:port", a)
		}
	}
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
	}
	if o.PoolSize <= 0 {
		o.PoolSize = 10 * runtime.GOMAXPROCS(0)
	}
	cluster := o.MasterName == "" && (o.Cluster || len(o.Addresses) > 1)
	if cluster && o.DB != 0 {
		return nil, fmt.Errorf("a redis cluster has database 0 only, not %d", o.DB)
	}
	u := &redis.UniversalOptions{
		Addrs: o.Addresses, MasterName: o.MasterName, DB: o.DB,
		Username: o.Username, Password: o.Password,
		SentinelUsername: o.SentinelUsername, SentinelPassword: o.SentinelPassword,
		TLSConfig: o.TLS,
		// Without this the deadline of a call is ignored and a stopped server holds it for ReadTimeout.
		ContextTimeoutEnabled: true,
		DialTimeout:           2 * o.Timeout,
		ReadTimeout:           o.Timeout,
		WriteTimeout:          o.Timeout,
		MaxRetries:            -1, // a repeated operation may have been executed twice
		DialerRetries:         1,
		PoolSize:              o.PoolSize,
		MaxActiveConns:        o.PoolSize,
		PoolTimeout:           o.Timeout,
		MaxRedirects:          3,
		DisableIdentity:       true, // CLIENT SETINFO is not in the access list of Redis before 7.2
	}
	switch {
	case o.MasterName != "":
		return redis.NewFailoverClient(u.Failover()), nil
	case cluster:
		c := u.Cluster()
		// go-redis asks for the topology again only when it is told MOVED, which a dead node cannot do.
		c.ClusterStateReloadInterval = time.Second
		return redis.NewClusterClient(c), nil
	}
	return redis.NewClient(u.Simple()), nil
}

// SetLogger sends the log of the Redis client library, for the whole process, to log. nil silences it. By default the
// library writes every failed dial to standard error.
func SetLogger(log func(format string, args ...any)) { redis.SetLogger(clientLog(log)) }

type clientLog func(format string, args ...any)

// Printf implements the interface of go-redis.
func (f clientLog) Printf(_ context.Context, format string, args ...any) {
	if f != nil {
		f(format, args...)
	}
}
