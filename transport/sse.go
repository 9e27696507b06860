package transport

import "bytes"

// DefaultMaxEvent is the limit of Splitter.Max in bytes.
const DefaultMaxEvent = 8 << 20

// Splitter cuts a stream of server-sent events into its events (WHATWG HTML section 9.2.6), however the stream is
// chunked. Joined, the Raw of everything that it emits is the stream, byte for byte.
//
// It emits an event with its blank line, as soon as that is seen. What stands between events is emitted for
// itself: a comment line by which no field has come yet, and a blank line that ends nothing. So a keep-alive
// comment is never held back.
//
// After emit returned an error the Splitter is done.
type Splitter struct {
	// Max is how many bytes of one event are held; DefaultMaxEvent when 0. A larger event is emitted in pieces.
	Max int

	buf    []byte // what was not emitted
	line   int    // where in buf the current line starts; 0 when mid
	scan   int    // where to look for the line's end
	last   ending // how the line before ended
	began  bool   // something was emitted: the byte order mark is behind
	fields bool   // the event has lines
	mid    bool   // the beginning of the current line was emitted, and was not empty
	colon  bool   // with mid: it began with a colon
	over   bool   // the beginning of the current event was emitted
}

type ending uint8

const (
	none ending = iota
	lf
	crlf
	cr
)

// Event is one piece of a stream.
type Event struct {
	// Raw is valid until emit returns.
	Raw []byte
	// Tail is true for what the end of the stream cut off: no blank line came. Clients drop it.
	Tail bool
	// Over is true for the first Max bytes of an event that is larger. Cont marks the pieces that follow, End the
	// last of them.
	Over, Cont, End bool

	start bool // the stream begins here
}

// Write takes the next bytes of the stream and emits what they complete. It keeps nothing of p.
func (s *Splitter) Write(p []byte, emit func(Event) error) error {
	owned := len(s.buf) > 0
	if owned {
		s.buf = append(double(s.buf, len(p)), p...)
		p = s.buf
	}
	rest, err := s.split(p, emit)
	if err != nil {
		return err
	}
	switch {
	case len(rest) == 0 && cap(s.buf) > keepBuffer:
		s.buf = nil
	case owned:
		if len(rest) < len(s.buf) { // else nothing was emitted, and moving it each time would be quadratic
			s.buf = s.buf[:copy(s.buf, rest)]
		}
	default:
		s.buf = append(s.buf[:0], rest...)
	}
	return nil
}

// keepBuffer is how large a buffer may be that is kept for the next event, in bytes.
const keepBuffer = 64 << 10

// double returns b with room for n bytes more. append grows large slices by a quarter: an event of megabytes would be
// copied and allocated five times over.
func double(b []byte, n int) []byte {
	if cap(b)-len(b) >= n {
		return b
	}
	return append(make([]byte, 0, max(2*cap(b), len(b)+n)), b...)
}

func (s *Splitter) max() int {
	if s.Max <= 0 {
		return DefaultMaxEvent
	}
	return s.Max
}

// split emits what is complete in b and returns the rest. Offsets are relative to what is left of b.
func (s *Splitter) split(b []byte, emit func(Event) error) ([]byte, error) {
	nextLF, nextCR := -1, -1 // found once and kept, so that the search stays linear
	base := 0                // how much of b was emitted
	for {
		from := base + s.scan
		if nextLF < from {
			nextLF = find(b, from, '\n')
		}
		if nextCR < from {
			nextCR = find(b, from, '\r')
		}
		at := min(nextLF, nextCR)
		if at == len(b) {
			s.scan = len(b) - base
			break
		}
		blank := !s.mid && at == base+s.line
		end, kind := at+1, lf
		if b[at] == '\r' {
			switch {
			case blank && s.last == cr:
				// The stream ends its lines with CR, so this one is whole. Should an LF follow after all, it is a
				// blank line of its own.
				kind = cr
			case end == len(b):
				s.scan = at - base // CR or CRLF, the next byte tells
				return s.spill(b[base:], at-base, emit)
			case b[end] == '\n':
				end, kind = end+1, crlf
			default:
				kind = cr
			}
		}
		comment := !s.fields && !blank && (s.mid && s.colon || !s.mid && b[base+s.line] == ':')
		s.last, s.mid, s.line, s.scan = kind, false, end-base, end-base
		if !blank && !comment {
			s.fields = true
			continue
		}
		if err := s.whole(b[base:end], emit); err != nil {
			return nil, err
		}
		base = end
	}
	return s.spill(b[base:], len(b)-base, emit)
}

func find(b []byte, from int, c byte) int {
	if i := bytes.IndexByte(b[from:], c); i >= 0 {
		return from + i
	}
	return len(b)
}

// whole emits the end of an event, or all of it.
func (s *Splitter) whole(raw []byte, emit func(Event) error) error {
	if !s.over && len(raw) > s.max() {
		if err := s.emit(Event{Raw: raw[:s.max()], Over: true}, emit); err != nil {
			return err
		}
		raw, s.over = raw[s.max():], true
	}
	e := Event{Raw: raw, Cont: s.over, End: s.over}
	s.line, s.scan, s.fields, s.over = 0, 0, false, false
	return s.emit(e, emit)
}

// spill emits what is too much to hold of an unfinished event and returns the rest. Of b, the bytes from keep on
// are undecided.
func (s *Splitter) spill(b []byte, keep int, emit func(Event) error) ([]byte, error) {
	if !s.over {
		if keep <= s.max() {
			return b, nil
		}
		if err := s.emit(Event{Raw: b[:s.max()], Over: true}, emit); err != nil {
			return nil, err
		}
		s.over = true
		b, keep = s.shift(b, s.max()), keep-s.max()
	}
	if keep == 0 {
		return b, nil
	}
	if err := s.emit(Event{Raw: b[:keep], Cont: true}, emit); err != nil {
		return nil, err
	}
	return s.shift(b, keep), nil
}

// shift drops n bytes that were emitted of an unfinished event.
func (s *Splitter) shift(b []byte, n int) []byte {
	if !s.mid && n > s.line {
		s.mid, s.colon = true, b[s.line] == ':'
	}
	s.line, s.scan = max(s.line-n, 0), max(s.scan-n, 0)
	return b[n:]
}

func (s *Splitter) emit(e Event, emit func(Event) error) error {
	e.start, s.began = !s.began, true
	return emit(e)
}

// Close emits what the end of the stream left over.
func (s *Splitter) Close(emit func(Event) error) error {
	raw := s.buf
	s.buf = nil
	if len(raw) == 0 && !s.over {
		return nil
	}
	// A blank line that ends in CR was waiting for an LF.
	tail := !(len(raw) > 0 && raw[len(raw)-1] == '\r' && s.line == len(raw)-1 && !s.mid)
	e := Event{Raw: raw, Tail: tail, Cont: s.over, End: s.over}
	if !s.over && len(raw) > s.max() {
		if err := s.emit(Event{Raw: raw[:s.max()], Over: true}, emit); err != nil {
			return err
		}
		e = Event{Raw: raw[s.max():], Tail: tail, Cont: true, End: true}
	}
	return s.emit(e, emit)
}
