package policy

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/caddymcp/gateway/limits/redistest"
	"github.com/redis/go-redis/v9"
)

var (
	_ Switches = (*MemorySwitches)(nil)
	_ Switches = (*RedisSwitches)(nil)
)

func switchReplica(t *testing.T, srv *redistest.Server, onChange func(Switch, bool)) *RedisSwitches {
	t.Helper()
	c := redis.NewClient(&redis.Options{Addr: srv.Addr, MaxRetries: -1, ContextTimeoutEnabled: true, DialerRetries: 1, DialTimeout: time.Second})
	t.Cleanup(func() { _ = c.Close() })
	return NewRedisSwitches(SwitchRedisOptions{Client: c, Timeout: 5 * time.Second, OnChange: onChange})
}

func wantOff(t *testing.T, s Switches, service, tool, text string, want bool) {
	t.Helper()
	safe, off := s.Off(service, tool)
	if off != want || safe.String() != text {
		t.Errorf("%s/%s: off %v with %q, want %v with %q", service, tool, off, safe, want, text)
	}
}

func TestSwitches(t *testing.T) {
	for name, s := range map[string]Switches{
		"memory": &MemorySwitches{},
		"redis":  switchReplica(t, redistest.Start(t), nil),
	} {
		t.Run(name, func(t *testing.T) {
			ctx := context.Background()
			wantOff(t, s, "files", "read", "", false)
			for _, sw := range []Switch{
				{Service: "files", Tool: "read", Text: "Reading is off until Monday.", Since: keyDay},
				{Service: "mail", Since: keyDay},
			} {
				if err := s.Disable(ctx, sw); err != nil {
					t.Fatal(err)
				}
			}
			wantOff(t, s, "files", "read", "Reading is off until Monday.", true)
			wantOff(t, s, "files", "write", "", false)
			wantOff(t, s, "mail", "anything", "", true)
			wantOff(t, s, "mail", "", "", true)
			if l := s.List(); len(l) != 2 || l[0].Tool != "read" || l[1].Service != "mail" || !l[0].Since.Equal(keyDay) {
				t.Errorf("list %+v", l)
			}
			if was, err := s.Enable(ctx, "files", "read"); !was || err != nil {
				t.Errorf("enable: %v, %v", was, err)
			}
			if was, err := s.Enable(ctx, "files", "read"); was || err != nil {
				t.Errorf("enable again: %v, %v", was, err)
			}
			wantOff(t, s, "files", "read", "", false)
			wantOff(t, s, "mail", "x", "", true)

			for _, bad := range []struct {
				s    Switch
				want string
			}{
				{Switch{}, "service is missing"},
				{Switch{Service: strings.Repeat("x", 129)}, "at most 128"},
				{Switch{Service: "a", Tool: "\xff"}, "UTF-8"},
				{Switch{Service: "a", Text: "two\nlines"}, "line"},
				{Switch{Service: "a", Text: strings.Repeat("long ", 100)}, "characters"},
				{Switch{Service: "a", Text: "see https://example.com/x"}, "text"},
			} {
				if err := s.Disable(ctx, bad.s); err == nil || !strings.Contains(err.Error(), bad.want) {
					t.Errorf("%+v: error %v, want one with %q", bad.s, err, bad.want)
				}
			}
			wantOff(t, s, "a", "", "", false)
			for i := range MaxSwitches - 1 {
				if err := s.Disable(ctx, Switch{Service: "many", Tool: fmt.Sprint("t", i), Since: keyDay}); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.Disable(ctx, Switch{Service: "many", Tool: "more"}); err == nil {
				t.Error("no bound")
			}
			if err := s.Disable(ctx, Switch{Service: "many", Tool: "t1", Text: "Other text."}); err != nil {
				t.Errorf("changing a text at the bound: %v", err)
			}
			if n := testing.AllocsPerRun(100, func() { s.Off("many", "t5") }); n != 0 {
				t.Errorf("%v allocations", n)
			}
		})
	}
}

func refreshSwitches(t *testing.T, rs ...*RedisSwitches) {
	t.Helper()
	for _, r := range rs {
		if err := r.Refresh(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSwitchReplicasAgree(t *testing.T) {
	srv := redistest.Start(t)
	ctx := context.Background()
	var changes []string
	one := switchReplica(t, srv, nil)
	two := switchReplica(t, srv, func(s Switch, off bool) { changes = append(changes, fmt.Sprint(s.Service, s.Tool, off)) })
	refreshSwitches(t, one, two)
	if err := one.Disable(ctx, Switch{Service: "files", Text: "Maintenance.", Since: keyDay}); err != nil {
		t.Fatal(err)
	}
	refreshSwitches(t, two, two)
	wantOff(t, two, "files", "x", "Maintenance.", true)
	if err := one.Disable(ctx, Switch{Service: "files", Text: "Longer maintenance.", Since: keyDay}); err != nil {
		t.Fatal(err)
	}
	refreshSwitches(t, two)
	wantOff(t, two, "files", "x", "Longer maintenance.", true)
	// A restart remembers.
	three := switchReplica(t, srv, nil)
	refreshSwitches(t, three)
	wantOff(t, three, "files", "x", "Longer maintenance.", true)
	if _, err := three.Enable(ctx, "files", ""); err != nil {
		t.Fatal(err)
	}
	refreshSwitches(t, one, two)
	wantOff(t, one, "files", "x", "", false)
	wantOff(t, two, "files", "x", "", false)
	if got := strings.Join(changes, " "); got != "filestrue filesfalse" {
		t.Errorf("changes %q", got)
	}
}

func TestSwitchRedisAwayAndBack(t *testing.T) {
	srv := redistest.Start(t)
	ctx := context.Background()
	one, two := switchReplica(t, srv, nil), switchReplica(t, srv, nil)
	for _, s := range []string{"a", "b"} {
		if err := one.Disable(ctx, Switch{Service: s, Since: keyDay}); err != nil {
			t.Fatal(err)
		}
	}
	refreshSwitches(t, one, two)
	srv.Kill()
	if err := one.Disable(ctx, Switch{Service: "c", Since: keyDay}); !errors.Is(err, ErrNotShared) {
		t.Errorf("error %v", err)
	}
	if was, err := one.Enable(ctx, "b", ""); !was || !errors.Is(err, ErrNotShared) {
		t.Errorf("%v, error %v", was, err)
	}
	if err := one.Refresh(ctx); err == nil {
		t.Error("a refresh without redis succeeds")
	}
	wantOff(t, one, "a", "", "", true)
	wantOff(t, one, "b", "", "", false)
	wantOff(t, one, "c", "", "", true)
	wantOff(t, two, "b", "", "", true)

	srv.Run() // empty: it lost everything
	refreshSwitches(t, one, two)
	for _, r := range []*RedisSwitches{one, two} {
		wantOff(t, r, "a", "", "", true)
		wantOff(t, r, "b", "", "", false)
		wantOff(t, r, "c", "", "", true)
	}
}

func TestSwitchRun(t *testing.T) {
	srv := redistest.Start(t)
	ctx, cancel := context.WithCancel(context.Background())
	one, two := switchReplica(t, srv, nil), switchReplica(t, srv, nil)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	var wg sync.WaitGroup
	wg.Go(func() { two.Run(ctx, tick.C) })
	defer wg.Wait()
	defer cancel()
	if err := one.Disable(ctx, Switch{Service: "a", Tool: "t", Since: keyDay}); err != nil {
		t.Fatal(err)
	}
	redistest.Until(t, "off on the other replica", func() bool { _, off := two.Off("a", "t"); return off })
	closed := make(chan time.Time)
	close(closed)
	one.Run(ctx, closed) // returns
}

// What others wrote into the hash is read with care.
func TestSwitchForeignFields(t *testing.T) {
	srv := redistest.Start(t)
	c := srv.Client()
	defer func() { _ = c.Close() }()
	ctx := context.Background()
	r := switchReplica(t, srv, nil)
	secret := "see https://" + "user:pw@example.com for the reason"
	if err := c.HSet(ctx, r.key,
		"epoch", "1", "nonsense", "{}", `["a"`, "{}", `["",""]`, `{}`, `["a","b"]`, "no json",
		`["ok","t"]`, `{"text":"`+secret+`","since":"2026-06-01T12:00:00Z"}`).Err(); err != nil {
		t.Fatal(err)
	}
	refreshSwitches(t, r)
	if l := r.List(); len(l) != 1 {
		t.Errorf("list %+v", l)
	}
	wantOff(t, r, "ok", "t", "", true) // off, with the fixed text
}

func TestSwitchRaces(t *testing.T) {
	srv := redistest.Start(t)
	ctx := context.Background()
	one, two := switchReplica(t, srv, nil), switchReplica(t, srv, nil)
	var wg sync.WaitGroup
	for i, r := range []*RedisSwitches{one, two, one, two} {
		wg.Go(func() {
			for n := range 30 {
				tool := string(rune('a' + (n+i)%3))
				if n%2 == 0 {
					if err := r.Disable(ctx, Switch{Service: "s", Tool: tool, Since: keyDay}); err != nil {
						t.Error(err)
					}
				} else if _, err := r.Enable(ctx, "s", tool); err != nil {
					t.Error(err)
				}
				r.Off("s", tool)
				r.List()
				_ = r.Refresh(ctx)
			}
		})
	}
	wg.Wait()
	refreshSwitches(t, one, two)
	if a, b := fmt.Sprint(one.List()), fmt.Sprint(two.List()); a != b {
		t.Errorf("replicas differ: %s and %s", a, b)
	}
}

// The commands that docs/policy.md lists are enough.
func TestSwitchACL(t *testing.T) {
	srv := redistest.Start(t)
	admin := srv.Client()
	defer func() { _ = admin.Close() }()
	ctx := context.Background()
	rule := []any{"acl", "setuser", "gw", "on", "nopass", "resetkeys", "~mg:*", "resetchannels", "nocommands"}
	for _, c := range strings.Fields("hello ping client|setname hset hsetnx hdel hgetall multi exec") {
		rule = append(rule, "+"+c)
	}
	if err := admin.Do(ctx, rule...).Err(); err != nil {
		t.Fatal(err)
	}
	c := redis.NewClient(&redis.Options{Addr: srv.Addr, Username: "gw", Password: "any", MaxRetries: -1, DisableIdentity: true})
	defer func() { _ = c.Close() }()
	r := NewRedisSwitches(SwitchRedisOptions{Client: c, Timeout: 5 * time.Second})
	if err := r.Disable(ctx, Switch{Service: "a", Since: keyDay}); err != nil {
		t.Error(err)
	}
	refreshSwitches(t, r)
	if was, err := r.Enable(ctx, "a", ""); !was || err != nil {
		t.Errorf("%v, %v", was, err)
	}
}
