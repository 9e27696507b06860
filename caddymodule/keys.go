package caddymodule

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
	"go.uber.org/zap"

	"github.com/caddymcp/gateway/policy"
	"github.com/caddymcp/gateway/transport"
)

// keyPoll is how often the file of the keys is looked at.
const keyPoll = 2 * time.Second

// keyText is the one text of every key that is not valid, for whatever reason.
const keyText = "Authentication failed. Send Authorization: Bearer <key> with a valid key."

// KeysAuth admits the callers whose key stands in a file. A line of the file is
// `name:sha256-hex[:attribute=value[,attribute=value…]]` with the attributes rpm,
// concurrency, tools, tenant and expires; `caddy mcp-key new <name>` makes one.
// The file is read again when it changes; a bad one keeps the old keys.
//
// A valid key sets `{http.auth.user.id}` to its name, and
// `{http.auth.user.<attribute>}`. The key is the gateway's and not the server's:
// it does not go on to the server.
type KeysAuth struct {
	// The file of the keys.
	File string `json:"file"`

	// The realm in WWW-Authenticate. Default: the service's name.
	Realm string `json:"realm,omitempty"`

	// The URL of the protected resource metadata (RFC 9728) in
	// WWW-Authenticate. Default: that of the document that the gateway serves
	// when authorization_servers is set, else none.
	ResourceMetadata string `json:"resource_metadata,omitempty"`

	// Issuers of tokens that the protected resource metadata names.
	AuthorizationServers []string `json:"authorization_servers,omitempty"`

	path  string
	keys  policy.KeyFile
	stamp fileStamp
}

// fileStamp tells one state of a file from another.
type fileStamp struct {
	modified time.Time
	size     int64
	missing  bool
}

func (k *KeysAuth) provision(ctx caddy.Context, repl *caddy.Replacer) (err error) {
	if k.path, err = replaced(repl, "file", k.File); err != nil {
		return err
	}
	if k.path == "" {
		return errors.New("the file is missing")
	}
	k.stamp = stampOf(k.path)
	if err := k.load(); err != nil {
		return err
	}
	go k.watch(ctx, ctx.Logger())
	return nil
}

func stampOf(path string) fileStamp {
	fi, err := os.Stat(path)
	if err != nil {
		return fileStamp{missing: true}
	}
	return fileStamp{modified: fi.ModTime(), size: fi.Size()}
}

func (k *KeysAuth) load() error {
	f, err := os.Open(k.path)
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, policy.MaxKeyFile+1))
	if err != nil {
		return err
	}
	if err := k.keys.Reload(data); err != nil {
		return fmt.Errorf("%s: %w", k.path, err)
	}
	return nil
}

// watch reads the file again when it changes, until the config ends. It looks
// instead of being told: mounted secrets and editors replace files in ways that
// notifications miss.
func (k *KeysAuth) watch(ctx caddy.Context, log *zap.Logger) {
	tick := time.NewTicker(keyPoll)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			k.refresh(log)
		}
	}
}

// refresh reads the file if it has changed. One change gives one line.
func (k *KeysAuth) refresh(log *zap.Logger) {
	now := stampOf(k.path)
	if now == k.stamp {
		return
	}
	k.stamp = now
	if err := k.load(); err != nil {
		log.Warn("the file of the keys cannot be used, the old keys stay", zap.Int("keys", k.keys.Len()), zap.Error(err))
		return
	}
	log.Info("the file of the keys was read again", zap.Int("keys", k.keys.Len()))
}

// authenticate finds the key that the request presents. Whatever is wrong with
// a key, the answer is the same. refusal is what the transport found.
func (x *exchange) authenticate(head *transport.Head, refusal *transport.Refusal) *transport.Refusal {
	h := x.h
	if refusal != nil {
		if refusal.Reason == transport.ReasonAuth {
			return h.challenge(x.r, refusal)
		}
		return refusal
	}
	if h.Auth == nil || h.Auth.Keys == nil || x.kind == transport.Preflight || head.Document() {
		return nil
	}
	_, token, _ := strings.Cut(strings.TrimSpace(x.r.Header.Get("Authorization")), " ")
	key, ok := h.Auth.Keys.keys.Lookup(strings.TrimLeft(token, " "), x.start)
	if !ok {
		return h.challenge(x.r, &transport.Refusal{Status: http.StatusUnauthorized, Reason: transport.ReasonAuth})
	}
	x.key = &key
	x.repl.Set("http.auth.user.id", key.Name)
	for i, name := range policy.KeyAttributes {
		value, _ := key.Attribute(name)
		x.repl.Set(keyPlaceholders[i], value)
	}
	return nil
}

// keyPlaceholders are the names under which the attributes of a key are known.
var keyPlaceholders = func() (names []string) {
	for _, name := range policy.KeyAttributes {
		names = append(names, "http.auth.user."+name)
	}
	return names
}()

// challenge completes the refusal of a credential.
func (h *Handler) challenge(r *http.Request, f *transport.Refusal) *transport.Refusal {
	bearer := *h.rules.Bearer
	if bearer.ResourceMetadata == "" && len(h.authServers) > 0 {
		bearer.ResourceMetadata = metadataURL(r)
	}
	out := *f
	if h.Auth.Keys != nil && f.Status == http.StatusUnauthorized {
		out.Code, out.Text = http.StatusUnauthorized, keyText
		out.Header = http.Header{"Www-Authenticate": {bearer.Challenge("")}}
		return &out
	}
	code := ""
	if strings.Contains(f.Header.Get("Www-Authenticate"), `error="invalid_request"`) {
		code = "invalid_request"
	}
	out.Header = http.Header{"Www-Authenticate": {bearer.Challenge(code)}}
	return &out
}
