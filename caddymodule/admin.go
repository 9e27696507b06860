package caddymodule

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"

	"github.com/caddyserver/caddy/v2"

	"github.com/caddymcp/gateway/limits"
)

func init() { caddy.RegisterModule(&adminAPI{}) }

// adminAPI adds the routes of the gateway to Caddy's admin endpoint. It is built
// before the handlers are, so every route looks for them when it is called.
// The local endpoint has no authentication: nothing shows a credential, and
// what changes something needs POST.
type adminAPI struct{}

// CaddyModule returns the Caddy module information.
func (*adminAPI) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "admin.api.mcp_gateway",
		New: func() caddy.Module { return new(adminAPI) },
	}
}

// adminRoute is one line of the table of routes.
type adminRoute struct {
	method, path string
	handle       func(w http.ResponseWriter, r *http.Request) error
}

// adminRoutes are all routes of the gateway.
var adminRoutes = []adminRoute{
	{http.MethodGet, "/mcp-gateway/state", adminState},
	{http.MethodGet, "/mcp-gateway/limits", adminLimits},
	{http.MethodGet, "/mcp-gateway/breakers", adminBreakers},
	{http.MethodPost, "/mcp-gateway/breakers/reset", adminResetBreakers},
	{http.MethodGet, "/mcp-gateway/services", adminServices},
	{http.MethodPost, "/mcp-gateway/services/{service}/disable", adminSwitch(true)},
	{http.MethodPost, "/mcp-gateway/services/{service}/enable", adminSwitch(false)},
	{http.MethodPost, "/mcp-gateway/services/{service}/tools/{tool}/disable", adminSwitch(true)},
	{http.MethodPost, "/mcp-gateway/services/{service}/tools/{tool}/enable", adminSwitch(false)},
}

// Routes implements caddy.AdminRouter.
func (*adminAPI) Routes() []caddy.AdminRoute {
	var out []caddy.AdminRoute
	for _, r := range adminRoutes {
		out = append(out, caddy.AdminRoute{Pattern: r.path, Handler: r})
	}
	return out
}

// ServeHTTP implements caddy.AdminHandler.
func (a adminRoute) ServeHTTP(w http.ResponseWriter, r *http.Request) error {
	if r.Method != a.method {
		w.Header().Set("Allow", a.method)
		return caddy.APIError{HTTPStatus: http.StatusMethodNotAllowed, Err: fmt.Errorf("method not allowed: use %s", a.method)}
	}
	return a.handle(w, r)
}

// adminJSON writes an answer.
func adminJSON(w http.ResponseWriter, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return caddy.APIError{HTTPStatus: http.StatusInternalServerError, Err: err}
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(append(b, '\n')) // an error means that the client has left
	return nil
}

// The bounds of lists in answers.
const (
	adminDefaultMax = 100
	adminMostMax    = 1000
)

// adminMax reads ?max=.
func adminMax(r *http.Request) (int, error) {
	s := r.URL.Query().Get("max")
	if s == "" {
		return adminDefaultMax, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > adminMostMax {
		return 0, caddy.APIError{HTTPStatus: http.StatusBadRequest, Err: fmt.Errorf("max must be a number from 1 to %d", adminMostMax)}
	}
	return n, nil
}

// handlers are the handlers that run, for the admin routes.
var handlers struct {
	sync.Mutex
	all []*Handler
}

func (h *Handler) enroll() {
	handlers.Lock()
	defer handlers.Unlock()
	handlers.all = append(handlers.all, h)
}

func (h *Handler) unenroll() {
	handlers.Lock()
	defer handlers.Unlock()
	handlers.all = slices.DeleteFunc(handlers.all, func(o *Handler) bool { return o == h })
}

// running returns the handlers that run.
func running() []*Handler {
	handlers.Lock()
	defer handlers.Unlock()
	return slices.Clone(handlers.all)
}

// pooled returns the stores that are open, in the order of their keys.
func pooled() []*backend {
	type entry struct {
		key string
		b   *backend
	}
	var all []entry
	backends.Range(func(key, value any) bool {
		all = append(all, entry{key.(string), value.(*backend)})
		return true
	})
	slices.SortFunc(all, func(a, b entry) int {
		if a.key < b.key {
			return -1
		}
		return 1
	})
	out := make([]*backend, len(all))
	for i := range all {
		out[i] = all[i].b
	}
	return out
}

type handlerState struct {
	Service string `json:"service"`
	Limits  string `json:"limits"`
	Streams int    `json:"listening_streams"`
}

type storeState struct {
	Limits   string         `json:"limits"`
	Keys     int            `json:"keys"`
	Held     int            `json:"held"`
	Breakers []breakerState `json:"breakers"`
	Off      []switchState  `json:"off"`
}

type breakerState struct {
	Service  string `json:"service"`
	Tool     string `json:"tool,omitempty"`
	Scope    string `json:"scope,omitempty"`
	Phase    string `json:"phase"`
	Failures int    `json:"failures"`
	Manual   bool   `json:"manual,omitempty"`
	Until    string `json:"until,omitempty"`
}

type switchState struct {
	Service string `json:"service"`
	Tool    string `json:"tool,omitempty"`
	Text    string `json:"text,omitempty"`
	Since   string `json:"since,omitempty"`
}

const adminTime = "2006-01-02T15:04:05.000Z07:00"

func breakerStateOf(s limits.BreakerState) breakerState {
	b := breakerState{
		Service: s.Key.Service, Tool: s.Key.Tool, Scope: s.Key.Scope,
		Phase: string(s.Phase), Failures: s.Failures, Manual: s.Manual,
	}
	if !s.Until.IsZero() {
		b.Until = s.Until.UTC().Format(adminTime)
	}
	return b
}

// adminState answers GET /mcp-gateway/state: what runs, what is open, what is
// off. At most ?max= breakers and switches of each store.
func adminState(w http.ResponseWriter, r *http.Request) error {
	most, err := adminMax(r)
	if err != nil {
		return err
	}
	answer := struct {
		Handlers []handlerState `json:"handlers"`
		Stores   []storeState   `json:"stores"`
	}{[]handlerState{}, []storeState{}}
	for _, h := range running() {
		answer.Handlers = append(answer.Handlers, handlerState{h.serviceName(), h.stores.name, h.listeners.count()})
	}
	for _, b := range pooled() {
		stats := b.limiter.Stats()
		s := storeState{b.name, stats.Keys, stats.Held, []breakerState{}, []switchState{}}
		for _, state := range b.breakers.State(most) {
			s.Breakers = append(s.Breakers, breakerStateOf(state))
		}
		for _, off := range b.switches.List() {
			if len(s.Off) == most {
				break
			}
			s.Off = append(s.Off, switchState{off.Service, off.Tool, off.Text, off.Since.UTC().Format(adminTime)})
		}
		answer.Stores = append(answer.Stores, s)
	}
	return adminJSON(w, answer)
}

// Interface guards
var (
	_ caddy.AdminRouter  = (*adminAPI)(nil)
	_ caddy.AdminHandler = adminRoute{}
)
