package caddymodule

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"

	"github.com/caddyserver/caddy/v2"
)

// RedisTLS says how TLS is spoken with Redis.
type RedisTLS struct {
	// A PEM file with the certificates that sign those of Redis. Default: those
	// of the system.
	CA string `json:"ca,omitempty"`

	// PEM files with the certificate that this client shows, and its key.
	// Default: none.
	Certificate string `json:"certificate,omitempty"`
	Key         string `json:"key,omitempty"`

	// The name that the certificate of Redis must have. Default: the host of
	// the address.
	ServerName string `json:"server_name,omitempty"`

	// Accept any certificate. Only for tests: it protects from nobody.
	InsecureSkipVerify bool `json:"insecure_skip_verify,omitempty"`

	files []byte // a hash of what the files held
}

// config returns nil for nil.
func (t *RedisTLS) config(repl *caddy.Replacer) (*tls.Config, error) {
	if t == nil {
		return nil, nil
	}
	cfg := &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: t.InsecureSkipVerify} //nolint:gosec // asked for
	var err error
	if cfg.ServerName, err = replaced(repl, "server_name", t.ServerName); err != nil {
		return nil, err
	}
	ca, err := replaced(repl, "ca", t.CA)
	if err != nil {
		return nil, err
	}
	if ca != "" {
		pem, err := os.ReadFile(ca)
		if err != nil {
			return nil, fmt.Errorf("ca: %w", err)
		}
		t.note(pem)
		cfg.RootCAs = x509.NewCertPool()
		if !cfg.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("ca: %s holds no certificate", ca)
		}
	}
	if (t.Certificate == "") != (t.Key == "") {
		return nil, errors.New("certificate and key go together")
	}
	if t.Certificate != "" {
		files, err := replacedAll(repl, "certificate", []string{t.Certificate, t.Key})
		if err != nil {
			return nil, err
		}
		pair, err := tls.LoadX509KeyPair(files[0], files[1])
		if err != nil {
			return nil, fmt.Errorf("certificate: %w", err)
		}
		t.note(pair.Certificate...)
		cfg.Certificates = []tls.Certificate{pair}
	}
	return cfg, nil
}

// note takes down what a file held: certificates are renewed in place, and a
// reload has to see it.
func (t *RedisTLS) note(parts ...[]byte) {
	h := sha256.New()
	_, _ = h.Write(t.files) // never fails, crypto/sha256
	for _, p := range parts {
		_, _ = h.Write(p)
	}
	t.files = h.Sum(nil)
}
