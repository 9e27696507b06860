package transport

import "bytes"

var bom = []byte("\xef\xbb\xbf")

// EventFields are what an event says. A field that it does not have is nil; one without a value is empty and not nil. Of fields
// other than data the last line counts.
type EventFields struct {
	// Data is the values of the data lines, joined by line feeds. A single line is a part of Raw. The event that primes a
	// stream has an empty one.
	Data []byte
	// ID and Type are the fields id and event.
	ID, Type []byte
}

// Data is the field of that name.
func (e Event) Data() []byte { return e.Fields().Data }

// Fields reads the event as a client does. Of an event that is Over it is what has come so far; a piece that is Cont has
// none.
func (e Event) Fields() (f EventFields) {
	if e.Cont {
		return f
	}
	raw := e.Raw
	if e.start {
		raw = bytes.TrimPrefix(raw, bom)
	}
	joined := false
	for len(raw) > 0 {
		line, _, rest := cutLine(raw)
		raw = rest
		if v, ok := fieldValue(line, "data"); ok {
			switch {
			case f.Data == nil:
				f.Data = v
			case !joined:
				f.Data, joined = append(make([]byte, 0, len(f.Data)+len(v)+1+len(raw)), f.Data...), true
				fallthrough
			default:
				f.Data = append(append(f.Data, '\n'), v...)
			}
		} else if v, ok := fieldValue(line, "id"); ok {
			f.ID = v
		} else if v, ok := fieldValue(line, "event"); ok {
			f.Type = v
		}
	}
	return f
}

// cutLine parts the first line from its ending and from what follows.
func cutLine(b []byte) (line, end, rest []byte) {
	i := lineEnd(b)
	n := i
	switch {
	case n == len(b):
	case b[n] == '\r' && n+1 < len(b) && b[n+1] == '\n':
		n += 2
	default:
		n++
	}
	return b[:i], b[i:n], b[n:]
}

// lineEnd finds the first CR or LF. It looks at windows that grow, so that a text full of one of them is not
// searched to its end for the other at every line.
func lineEnd(b []byte) int {
	for from, n := 0, 128; from < len(b); from, n = from+n, 2*n {
		window := b[from:min(from+n, len(b))]
		nl := bytes.IndexByte(window, '\n')
		if nl >= 0 {
			window = window[:nl]
		}
		if i := bytes.IndexByte(window, '\r'); i >= 0 {
			return from + i
		}
		if nl >= 0 {
			return from + nl
		}
	}
	return len(b)
}

// fieldValue is what the line says of the field; one space after the colon does not count.
func fieldValue(line []byte, name string) ([]byte, bool) {
	if len(line) < len(name) || string(line[:len(name)]) != name {
		return nil, false
	}
	v := line[len(name):]
	if len(v) == 0 {
		return v, true // a field without a colon is empty
	}
	if v[0] != ':' {
		return nil, false
	}
	if v = v[1:]; len(v) > 0 && v[0] == ' ' {
		v = v[1:]
	}
	return v, true
}

// WithData is the event raw with one data line in place of its data lines. Every other line stays, and so do the
// line endings. An event without a data line gets one before its blank line, and one without a blank line gets
// that too, so that clients take the result. data is JSON: where it has a raw line break, which is white space
// there, it gets a space.
func WithData(raw, data []byte) []byte {
	out := make([]byte, 0, len(raw)+len(data)+16)
	if bytes.HasPrefix(raw, bom) {
		out, raw = append(out, bom...), raw[len(bom):]
	}
	nl := []byte("\n")
	if _, end, _ := cutLine(raw); len(end) > 0 {
		nl = end
	}
	set, seen := false, false
	put := func(end []byte) {
		out = appendLine(append(out, "data: "...), data)
		out, set = append(out, end...), true
	}
	for len(raw) > 0 {
		line, end, rest := cutLine(raw)
		raw = rest
		if len(end) == 0 {
			end = nl
		}
		_, isData := fieldValue(line, "data")
		switch {
		case len(line) == 0 && !seen && len(raw) > 0:
			out = append(out, end...) // a blank line before the event ends nothing
			continue
		case len(line) == 0:
			if !set {
				put(nl)
			}
			return append(appendBlank(out, end), raw...)
		case !isData:
			out = append(append(out, line...), end...)
		case !set:
			put(end)
		}
		seen = true
	}
	if !set {
		put(nl)
	}
	return appendBlank(out, nl)
}

// appendBlank ends an event with a blank line.
func appendBlank(out, end []byte) []byte {
	if len(out) > 0 && out[len(out)-1] == '\r' && end[len(end)-1] == '\n' {
		// CR and LF would be one ending, and CR CR LF an event and a line.
		return append(out, "\n\n"...)
	}
	return append(out, end...)
}

// EventOf is an event of its own around data.
func EventOf(data []byte) []byte {
	out := append(make([]byte, 0, len(data)+24), "event: message\ndata: "...)
	return append(appendLine(out, data), "\n\n"...)
}

func appendLine(out, data []byte) []byte {
	n := len(out)
	out = append(out, data...)
	for i := n; i < len(out); i++ {
		if out[i] == '\n' || out[i] == '\r' {
			out[i] = ' '
		}
	}
	return out
}
