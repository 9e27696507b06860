package caddymodule

import (
	"strconv"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
)

// UnmarshalCaddyfile reads
//
//	memory {
//		headers on | off
//	}
func (m *MemoryLimits) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next() // the name of the module
	if d.NextArg() {
		return d.Errf("unexpected argument '%s': memory takes a block only", d.Val())
	}
	return eachOption(d, func(option string) (err error) {
		switch option {
		case "headers":
			m.Headers, err = onOff(d)
		default:
			err = d.Errf("unrecognized option '%s' of limits memory", option)
		}
		return err
	})
}

// UnmarshalCaddyfile reads
//
//	redis <address...> {
//		username <name>
//		password <password>
//		db <n>
//		tls {
//			ca <file>
//			certificate <file> <key file>
//			server_name <name>
//			insecure_skip_verify
//		}
//		master_name <name>
//		sentinel_username <name>
//		sentinel_password <password>
//		prefix <prefix>
//		secret <secret>
//		timeout <duration>
//		replicas <n>
//		on_failure local | allow | deny
//		lease <duration>
//		on_lease_lost keep | cut
//		headers on | off
//	}
func (l *RedisLimits) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next() // the name of the module
	l.Addresses = d.RemainingArgs()
	if len(l.Addresses) == 0 {
		return d.Err("limits redis needs an address, host:port")
	}
	return eachOption(d, func(option string) (err error) {
		switch option {
		case "username":
			l.Username, err = argument(d)
		case "password":
			l.Password, err = argument(d)
		case "db":
			l.DB, err = number(d, 0)
		case "tls":
			l.TLS, err = unmarshalTLS(d)
		case "master_name":
			l.MasterName, err = argument(d)
		case "sentinel_username":
			l.SentinelUsername, err = argument(d)
		case "sentinel_password":
			l.SentinelPassword, err = argument(d)
		case "prefix":
			l.Prefix, err = argument(d)
		case "secret":
			l.Secret, err = argument(d)
		case "timeout":
			l.Timeout, err = duration(d)
		case "replicas":
			l.Replicas, err = number(d, 1)
		case "on_failure":
			l.OnFailure, err = oneOf(d, "local", "allow", "deny")
		case "lease":
			l.Lease, err = duration(d)
		case "on_lease_lost":
			l.OnLeaseLost, err = oneOf(d, "keep", "cut")
		case "headers":
			l.Headers, err = onOff(d)
		default:
			err = d.Errf("unrecognized option '%s' of limits redis", option)
		}
		return err
	})
}

func unmarshalTLS(d *caddyfile.Dispenser) (*RedisTLS, error) {
	if d.NextArg() {
		return nil, d.Errf("unexpected argument '%s': tls takes a block only", d.Val())
	}
	t := new(RedisTLS)
	return t, eachOption(d, func(option string) (err error) {
		switch option {
		case "ca":
			t.CA, err = argument(d)
		case "certificate":
			if !d.AllArgs(&t.Certificate, &t.Key) {
				err = d.ArgErr()
			}
		case "server_name":
			t.ServerName, err = argument(d)
		case "insecure_skip_verify":
			t.InsecureSkipVerify = true
			if d.NextArg() {
				err = d.ArgErr()
			}
		default:
			err = d.Errf("unrecognized option '%s' of tls", option)
		}
		return err
	})
}

// eachOption calls read with every option of the block that follows, none of
// which may stand there twice.
func eachOption(d *caddyfile.Dispenser, read func(option string) error) error {
	seen := make(map[string]bool)
	for nesting := d.Nesting(); d.NextBlock(nesting); {
		option := d.Val()
		if seen[option] {
			return d.Errf("duplicate option '%s'", option)
		}
		seen[option] = true
		if err := read(option); err != nil {
			return err
		}
	}
	return nil
}

// argument reads one argument.
func argument(d *caddyfile.Dispenser) (string, error) {
	var s string
	if !d.AllArgs(&s) || s == "" {
		return "", d.ArgErr()
	}
	return s, nil
}

func oneOf(d *caddyfile.Dispenser, words ...string) (string, error) {
	s, err := argument(d)
	if err != nil {
		return "", err
	}
	for _, w := range words {
		if s == w {
			return s, nil
		}
	}
	return "", d.Errf("invalid value '%s': must be one of %v", s, words)
}

func onOff(d *caddyfile.Dispenser) (bool, error) {
	s, err := oneOf(d, "on", "off")
	return s == "on", err
}

func number(d *caddyfile.Dispenser, least int) (int, error) {
	s, err := argument(d)
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < least {
		return 0, d.Errf("invalid number '%s': must be a whole number, at least %d", s, least)
	}
	return n, nil
}

func duration(d *caddyfile.Dispenser) (caddy.Duration, error) {
	s, err := argument(d)
	if err != nil {
		return 0, err
	}
	n, err := caddy.ParseDuration(s)
	if err != nil || n <= 0 {
		return 0, d.Errf("invalid duration '%s': must be positive, such as %s", s, 15*time.Second)
	}
	return caddy.Duration(n), nil
}

// Interface guards
var (
	_ caddyfile.Unmarshaler = (*MemoryLimits)(nil)
	_ caddyfile.Unmarshaler = (*RedisLimits)(nil)
)
