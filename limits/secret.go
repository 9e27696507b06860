package limits

import (
	"bytes"
	"context"
	"fmt"
	"time"
)

const (
	agreeEvery   = time.Second
	recheckEvery = 30 * time.Second
)

// keepSecret looks after the secret until Close. It does nothing else: a Redis that is slow with it must not hold up the
// renewal of leases.
func (l *Redis) keepSecret() {
	for {
		every := recheckEvery
		if !l.agreed.Load() {
			every = agreeEvery
		}
		t := time.NewTimer(every)
		select {
		case <-l.stop:
			t.Stop()
			return
		case <-t.C:
		}
		l.agree()
	}
}

// agree makes the secret in Redis ours, or ours the one in Redis when there is none. Whatever is stored wins, so replicas
// that start together end with one secret, and replicas that see Redis lose it write the same one back.
//
// Whoever can read this Redis can read the secret. It keeps the keys from being linked to credentials by those who see
// keys only (monitoring, slow logs, a dump of key names); only a secret from the configuration does so for the whole
// data set.
func (l *Redis) agree() {
	ctx := newDeadline(agreeTrips * l.o.Timeout)
	start := l.o.Clock()
	stored, err := l.exchange(ctx, l.hasher.state.Load().secret)
	l.o.Observer.redis(l.nodes.single.addr, l.o.Clock()-start, 0, 0, err)
	if err != nil {
		return
	}
	if !bytes.Equal(stored, l.hasher.state.Load().secret) {
		l.hasher.setSecret(stored)
		if l.agreed.Load() {
			l.o.Observer.secretChanged()
		}
	}
	l.agreed.Store(true)
}

func (l *Redis) exchange(ctx context.Context, mine []byte) ([]byte, error) {
	key := l.o.Prefix + "secret"
	if err := l.client.SetNX(ctx, key, mine, time.Duration(0)).Err(); err != nil {
		return nil, err
	}
	stored, err := l.client.Get(ctx, key).Bytes()
	if err != nil {
		return nil, err
	}
	if len(stored) != secretSize {
		return nil, fmt.Errorf("%s holds %d bytes, not a secret of %d", key, len(stored), secretSize)
	}
	return stored, nil
}
