package limits

import "time"

// unavailableWait is RetryAfter when nothing could be decided.
const unavailableWait = time.Second

// view is what one snapshot shows of one tier: units in the window and slots held.
type view struct{ rpm, conc int }

func (t *Tier) overRPM(v view) bool { return t.RPM > 0 && t.Cost > 0 && v.rpm+t.Cost > t.RPM }

func (t *Tier) overConcurrency(v view) bool {
	return t.Concurrency > 0 && t.Slots > 0 && v.conc+t.Slots > t.Concurrency
}

// judge returns the bound that refuses a call and the tier it belongs to. RPM goes first: its wait is exact.
func judge(tiers []Tier, views []view) (Bound, int) {
	for i := range tiers {
		if !tiers[i].Shadow && tiers[i].overRPM(views[i]) {
			return RPM, i
		}
	}
	for i := range tiers {
		if !tiers[i].Shadow && tiers[i].overConcurrency(views[i]) {
			return Concurrency, i
		}
	}
	return None, 0
}

// refusal fills a Decision from the views before the call.
func refusal(tiers []Tier, views []view, bound Bound, at int) Decision {
	t := &tiers[at]
	d := Decision{
		Bound: bound, Tier: t.Name,
		Current: Count{views[at].rpm, views[at].conc + t.Slots},
		Limits:  Count{t.RPM, t.Concurrency},
	}
	for i := range tiers {
		if tiers[i].Shadow && (tiers[i].overRPM(views[i]) || tiers[i].overConcurrency(views[i])) {
			d.Shadow = append(d.Shadow, tiers[i].Name)
		}
	}
	return d
}

// admission fills a Decision from the views after the call.
func admission(tiers []Tier, views []view) Decision {
	d := Decision{Allowed: true}
	tightest := 2.0
	for i := range tiers {
		t, v := &tiers[i], views[i]
		over := t.RPM > 0 && t.Cost > 0 && v.rpm > t.RPM || t.Concurrency > 0 && t.Slots > 0 && v.conc > t.Concurrency
		if t.Shadow {
			if over {
				d.Shadow = append(d.Shadow, t.Name)
			}
			continue
		}
		room := 1.5
		if t.RPM > 0 {
			room = min(room, 1-float64(v.rpm)/float64(t.RPM))
		}
		if t.Concurrency > 0 {
			room = min(room, 1-float64(v.conc)/float64(t.Concurrency))
		}
		if room < tightest && room <= 1 {
			tightest = room
			d.Tier, d.Current, d.Limits = t.Name, Count{v.rpm, v.conc}, Count{t.RPM, t.Concurrency}
		}
	}
	return d
}
