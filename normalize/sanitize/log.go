package sanitize

import (
	"strconv"
	"strings"
)

// MaskLog prepares the text of a failure for the operator's debug log: secrets,
// credentials in URLs, sensitive query values and the operator's literals are
// masked; paths, hosts, ids and line breaks stay, control characters do not. Of
// each trace the last traceLines lines are kept; a negative number keeps all. The
// result has at most 64 KiB.
func MaskLog(raw string, traceLines int, lit *Literals) string {
	s := Clean(raw)
	if traceLines >= 0 {
		s = lastOfTraces(s, traceLines)
	}
	s, _ = lit.Mask(s)
	var hits [nRules]int
	s = maskStable(s, logging, &hits)
	s, _ = lit.Mask(s)
	if len(s) > headBytes+tailBytes {
		s = cutBytes(s, headBytes+tailBytes)
	}
	return s
}

func cutBytes(s string, n int) string {
	for n > 0 && s[n]&0xc0 == 0x80 {
		n--
	}
	return s[:n]
}

// lastOfTraces keeps the last n lines of each run of frames.
func lastOfTraces(s string, n int) string {
	if strings.IndexByte(s, '\n') < 0 {
		return s
	}
	var (
		b    strings.Builder
		m    traceMachine
		ring = make([]string, 0, min(n, 256))
		size = min(n, 256)
		gone int
	)
	flush := func() {
		if gone > 0 {
			b.WriteString("... " + strconv.Itoa(gone) + " lines left out\n")
		}
		for _, l := range ring {
			b.WriteString(l)
			b.WriteByte('\n')
		}
		ring, gone = ring[:0], 0
	}
	rest := s
	more := true
	for more {
		var line string
		line, rest, more = strings.Cut(rest, "\n")
		kind, _ := m.next(line)
		if kind == kindFrame || kind == kindNoise {
			switch {
			case size == 0:
				gone++
			case len(ring) == size:
				copy(ring, ring[1:])
				ring[size-1] = line
				gone++
			default:
				ring = append(ring, line)
			}
			continue
		}
		flush()
		b.WriteString(line)
		b.WriteByte('\n')
	}
	flush()
	return strings.TrimSuffix(b.String(), "\n")
}
