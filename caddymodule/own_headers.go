package caddymodule

import (
	"net/http"
	"slices"
)

// headerField is one field of an answer.
type headerField struct {
	name string
	only string   // the value, when it has one
	all  []string // the values, when it has more or none
}

// ownHeaders are the fields that an answer had before the next handler ran: those of Caddy and of the handlers before.
// Most answers never need them, so they are no map. Of fields with the same name the last counts.
type ownHeaders []headerField

// keepOwn takes down the fields that the answer has. The values are copied: handlers may change them in place.
func (x *exchange) keepOwn() {
	x.own = x.few[:0]
	for k, v := range x.w.Header() {
		x.own.set(k, v...)
	}
}

func (o *ownHeaders) set(name string, values ...string) {
	f := headerField{name: name}
	if len(values) == 1 {
		f.only = values[0]
	} else {
		f.all = append([]string{}, values...)
	}
	*o = append(*o, f)
}

// restore makes h what it was.
func (o ownHeaders) restore(h http.Header) {
	clear(h)
	for _, f := range o {
		if f.all != nil {
			h[f.name] = slices.Clone(f.all)
		} else {
			h[f.name] = []string{f.only}
		}
	}
}
