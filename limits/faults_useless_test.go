package limits

import (
	"testing"
	"time"

	"github.com/caddymcp/gateway/limits/redistest"
)

// uselessFor are the faults of a Redis that runs: it is too slow, or lets nobody in.
func uselessFor(policy OnFailure) []fault {
	rpm, conc := 0, 0
	switch policy {
	case Local: // all four are on their own
		rpm, conc = 1200, 40
	case Allow:
		rpm, conc = -1, -1
	}
	as := func(s *workerSpec) { s.OnFailure = policy }
	check := func(t *testing.T, r *faultRun) {
		decides(t, r)
		if policy != Deny {
			someFallback(t, r)
		}
	}
	return []fault{
		{name: "F13 all answers come too late, " + policy.String(), spec: as, rpm: rpm, conc: conc, check: check, during: func(r *faultRun) {
			r.at(1.2)
			r.late(redistest.Slowness)
			r.at(1.7)
			r.late(0)
			r.at(2.6)
		}},
		{name: "F14 the login is refused, " + policy.String(), spec: func(s *workerSpec) {
			as(s)
			s.Username, s.Password = redistest.User, redistest.Password
		}, rpm: rpm, conc: conc, check: check, during: func(r *faultRun) {
			admin := r.server.Client()
			defer admin.Close()
			r.at(1.2)
			redistest.ChangePassword(r.t, admin)
			redistest.Disconnect(r.t, admin)
			r.at(1.7)
			redistest.LetIn(r.t, admin)
			r.at(2.6)
		}},
	}
}

// late delays all answers.
func (r *faultRun) late(d time.Duration) {
	for _, p := range r.proxies {
		p.Delay(d)
	}
}

// decides fails when a call waited for more than any sum of time-outs.
func decides(t *testing.T, r *faultRun) {
	for _, e := range r.ends {
		if e.Slowest > 50*DefaultTimeout {
			t.Errorf("a decision took %s", e.Slowest)
		}
	}
}
