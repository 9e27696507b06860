package caddymodule

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
	"go.uber.org/zap"

	"github.com/caddymcp/gateway/limits"
	"github.com/caddymcp/gateway/policy"
)

// maxSwitchText bounds the body of a request that switches something off.
const maxSwitchText = 4096

// adminBreakers answers GET /mcp-gateway/breakers: the breakers that are failing
// or open, at most ?max=.
func adminBreakers(w http.ResponseWriter, r *http.Request) error {
	most, err := adminMax(r)
	if err != nil {
		return err
	}
	answer := struct {
		Breakers []breakerState `json:"breakers"`
	}{[]breakerState{}}
	for _, b := range pooled() {
		for _, s := range b.breakers.State(most) {
			if len(answer.Breakers) < most {
				answer.Breakers = append(answer.Breakers, breakerStateOf(s))
			}
		}
	}
	return adminJSON(w, answer)
}

// adminResetBreakers answers POST /mcp-gateway/breakers/reset: it closes the
// breakers that ?service=, ?tool= and ?key= name, all by default. key is the
// "scope" of the list.
func adminResetBreakers(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	for name := range q {
		if !slices.Contains([]string{"service", "tool", "key"}, name) {
			return badAdmin("unknown parameter %q: service, tool and key are known", name)
		}
	}
	f := limits.BreakerFilter{Service: q.Get("service"), Tool: q.Get("tool"), Scope: q.Get("key")}
	answer := struct {
		Reset  int  `json:"reset"`
		Shared bool `json:"shared"`
	}{Shared: true}
	for _, b := range pooled() {
		n, err := b.breakers.Reset(r.Context(), f, time.Now())
		answer.Reset += n
		if err != nil {
			// This process is reset; the others follow when Redis is back.
			storeLog().Warn("breakers were reset in this process only", zap.Error(err))
			answer.Shared = false
		}
	}
	storeLog().Info("breakers were reset", zap.Int("count", answer.Reset))
	return adminJSON(w, answer)
}

// adminServices answers GET /mcp-gateway/services: the services that run and
// what of them is switched off.
func adminServices(w http.ResponseWriter, _ *http.Request) error {
	answer := struct {
		Services []string      `json:"services"`
		Off      []switchState `json:"off"`
	}{knownServices(), []switchState{}}
	for _, b := range pooled() {
		for _, s := range b.switches.List() {
			answer.Off = append(answer.Off, switchState{s.Service, s.Tool, s.Text, s.Since.UTC().Format(adminTime)})
		}
	}
	return adminJSON(w, answer)
}

// adminSwitch answers POST /mcp-gateway/services/<service>[/tools/<tool>]/disable
// and …/enable. The body of disable is the reason that callers are shown, or
// empty.
func adminSwitch(off bool) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		s := policy.Switch{Service: r.PathValue("service"), Tool: r.PathValue("tool"), Since: time.Now()}
		if off {
			text, err := io.ReadAll(io.LimitReader(r.Body, maxSwitchText))
			if err != nil {
				return badAdmin("reading the text: %v", err)
			}
			s.Text = strings.TrimSpace(string(text))
		}
		if err := s.Validate(); err != nil {
			return badAdmin("%v", err)
		}
		stores := storesOf(s.Service)
		if len(stores) == 0 {
			return caddy.APIError{HTTPStatus: http.StatusNotFound, Err: fmt.Errorf("no such service; these run: %s", strings.Join(knownServices(), ", "))}
		}
		answer := struct {
			Service string `json:"service"`
			Tool    string `json:"tool,omitempty"`
			Off     bool   `json:"off"`
			Changed bool   `json:"changed"`
			Shared  bool   `json:"shared"`
		}{s.Service, s.Tool, off, off, true}
		for _, b := range stores {
			var err error
			if off {
				err = b.switches.Disable(r.Context(), s)
			} else {
				var was bool
				was, err = b.switches.Enable(r.Context(), s.Service, s.Tool)
				answer.Changed = answer.Changed || was
			}
			switch {
			case errors.Is(err, policy.ErrNotShared):
				answer.Shared = false
			case err != nil:
				return caddy.APIError{HTTPStatus: http.StatusInternalServerError, Err: err}
			}
		}
		storeLog().Info("switched", zap.String("service", s.Service), zap.String("tool", word(s.Tool)), zap.Bool("off", off))
		return adminJSON(w, answer)
	}
}

func badAdmin(format string, args ...any) error {
	return caddy.APIError{HTTPStatus: http.StatusBadRequest, Err: fmt.Errorf(format, args...)}
}

// services are the names that the envelopes of a handler may have by its config.
func (h *Handler) services() []string {
	out := []string{h.serviceName()}
	for _, t := range h.Tools {
		if t.service != "" {
			out = append(out, t.service)
		}
	}
	return out
}

func knownServices() []string {
	out := []string{}
	for _, h := range running() {
		out = append(out, h.services()...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// storesOf returns the stores of the handlers that have a service.
func storesOf(service string) []*backend {
	var out []*backend
	for _, h := range running() {
		if slices.Contains(h.services(), service) && !slices.Contains(out, h.stores) {
			out = append(out, h.stores)
		}
	}
	return out
}
