package limits

import "context"

// acquireSeveral asks one group after the other and gives back what the first ones granted when a later one refuses.
// Refusals that are known here come first: they cost no round trip and take nothing from anybody.
func (l *Redis) acquireSeveral(ctx context.Context, tiers []Tier) (Decision, error) {
	parts, order := split(tiers)
	for i := range parts {
		if w := l.knownRefusal(parts[i]); w != nil {
			defer w.recycle()
			return l.decision(parts[i], w), nil
		}
	}
	h := newHandle(l.o.Clock(), false)
	var views [MaxTiers]view
	for i := range parts {
		w, err := l.acquireGroup(ctx, parts[i])
		if err != nil {
			l.refund(h)
			return Decision{}, err
		}
		if w.bound != None {
			l.refund(h)
			defer w.recycle()
			return l.decision(parts[i], w), nil
		}
		for j := range parts[i] {
			views[order[i][j]] = w.views[j]
		}
		h.fallback = h.fallback || w.fallback
		h.take(w)
		w.recycle()
	}
	d := admission(tiers, views[:len(tiers)])
	d.Fallback = h.fallback
	d.Lease = Lease{h: h, gen: h.gen, owner: l}
	return d, nil
}

// split groups tiers by tag, in order of first appearance; order tells where each came from.
func split(tiers []Tier) (parts [][]Tier, order [][]int) {
	for i := range tiers {
		at := -1
		for j := range parts {
			if parts[j][0].Subject.Tag == tiers[i].Subject.Tag {
				at = j
			}
		}
		if at < 0 {
			parts, order = append(parts, nil), append(order, nil)
			at = len(parts) - 1
		}
		parts[at], order[at] = append(parts[at], tiers[i]), append(order[at], i)
	}
	return parts, order
}
