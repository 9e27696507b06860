package redistest

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// User and Password are the login of a gateway at a server that asks for one, after LetIn.
const User = "gateway"

// Password is no secret of anybody.
var Password = strings.Repeat("right", 4)

// Slowness is how late the replies of a slow Redis come.
const Slowness = 200 * time.Millisecond

// Outage is a way for a Redis that runs to be of no use.
type Outage struct {
	Name       string
	Start      bool // it is there before the gateway
	Begin, End func(t *testing.T, p *Proxy, admin *redis.Client)
	Says       string // what the operator is told; "": whatever
}

// Outages are that it is slow, and that it lets nobody in who could log in with User and Password.
var Outages = []Outage{
	{Name: "slow",
		Begin: func(_ *testing.T, p *Proxy, _ *redis.Client) { p.Delay(Slowness) },
		End:   func(_ *testing.T, p *Proxy, _ *redis.Client) { p.Delay(0) }},
	{Name: "wrong password from the start", Start: true, Says: "WRONGPASS",
		Begin: func(t *testing.T, _ *Proxy, admin *redis.Client) { ChangePassword(t, admin) },
		End:   func(t *testing.T, _ *Proxy, admin *redis.Client) { LetIn(t, admin) }},
	{Name: "password changed", Says: "WRONGPASS",
		Begin: func(t *testing.T, _ *Proxy, admin *redis.Client) {
			ChangePassword(t, admin)
			Disconnect(t, admin)
		},
		End: func(t *testing.T, _ *Proxy, admin *redis.Client) { LetIn(t, admin) }},
	{Name: "user removed", Says: "WRONGPASS",
		Begin: func(t *testing.T, _ *Proxy, admin *redis.Client) { // ends its connections too
			do(t, admin, "ACL", "DELUSER", User)
		},
		End: func(t *testing.T, _ *Proxy, admin *redis.Client) { LetIn(t, admin) }},
}

// LetIn makes User one that may do everything with Password.
func LetIn(t testing.TB, admin *redis.Client) {
	t.Helper()
	SetUser(t, admin, "reset", "on", ">"+Password, "~*", "&*", "+@all")
}

// ChangePassword gives User another password than Password. Connections that are open outlive it.
func ChangePassword(t testing.TB, admin *redis.Client) {
	t.Helper()
	SetUser(t, admin, "resetpass", ">other"+Password)
}

// Disconnect ends the connections of User.
func Disconnect(t testing.TB, admin *redis.Client) {
	t.Helper()
	do(t, admin, "CLIENT", "KILL", "USER", User)
}

// SetUser changes User by rules of ACL SETUSER.
func SetUser(t testing.TB, admin *redis.Client, rules ...any) {
	t.Helper()
	do(t, admin, append([]any{"ACL", "SETUSER", User}, rules...)...)
}

func do(t testing.TB, admin *redis.Client, args ...any) {
	t.Helper()
	if err := admin.Do(context.Background(), args...).Err(); err != nil {
		t.Error(err)
	}
}
