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

// savedHeaders are the fields that an answer had before somebody else wrote to it. Most answers never need them, so they are
// no map. Of fields with the same name the last counts.
type savedHeaders []headerField

// saveHeaders takes down the fields of h, in room as far as it goes. The values are copied: handlers may change them in
// place.
func saveHeaders(room savedHeaders, h http.Header) savedHeaders {
	s := room[:0]
	for k, v := range h {
		s.set(k, v...)
	}
	return s
}

func (s *savedHeaders) set(name string, values ...string) {
	f := headerField{name: name}
	if len(values) == 1 {
		f.only = values[0]
	} else {
		f.all = append([]string{}, values...)
	}
	*s = append(*s, f)
}

// restore makes h what it was.
func (s savedHeaders) restore(h http.Header) {
	clear(h)
	for _, f := range s {
		if f.all != nil {
			h[f.name] = slices.Clone(f.all)
		} else {
			h[f.name] = []string{f.only}
		}
	}
}
