package transport

import (
	"mime"
	"net/http"
	"strconv"
	"strings"
)

// contentFault says what is wrong with the description of a POST body, or nothing. The gateway reads the body as
// plain UTF-8; a charset or an encoding that makes the server read the same bytes differently would let a call
// past policy, so both are refused.
func contentFault(h http.Header) string {
	const want = "Content-Type must be application/json."
	for _, e := range h["Content-Encoding"] {
		if e = trimOWS(e); e != "" && !strings.EqualFold(e, "identity") {
			return "Content-Encoding is not supported on requests."
		}
	}
	lines := h["Content-Type"]
	if len(lines) != 1 {
		return want
	}
	if lines[0] == "application/json" {
		return ""
	}
	media, params, err := mime.ParseMediaType(lines[0])
	if err != nil || media != "application/json" {
		return want
	}
	if c, ok := params["charset"]; ok && !strings.EqualFold(c, "utf-8") && !strings.EqualFold(c, "us-ascii") {
		return "Content-Type must be application/json in UTF-8."
	}
	return ""
}

func isCanonical(accept []string) bool { return len(accept) == 1 && accept[0] == CanonicalAccept }

// admits reports whether an Accept header takes major/minor: the most specific range that matches decides, and a
// weight of 0 excludes (RFC 9110 section 12.5.1). No header takes nothing.
func admits(accept []string, major, minor string) bool {
	best, ok := -1, false
	for _, line := range accept {
		for item := range strings.SplitSeq(line, ",") {
			media, params, _ := strings.Cut(item, ";")
			maj, mnr, slash := strings.Cut(trimOWS(media), "/")
			if !slash {
				continue
			}
			rank := -1
			switch {
			case strings.EqualFold(maj, major) && strings.EqualFold(mnr, minor):
				rank = 2
			case strings.EqualFold(maj, major) && mnr == "*":
				rank = 1
			case maj == "*" && mnr == "*":
				rank = 0
			}
			if rank > best {
				best, ok = rank, weighs(params)
			} else if rank >= 0 && rank == best {
				ok = ok || weighs(params)
			}
		}
	}
	return ok
}

// weighs reports whether the parameters leave a weight above 0.
func weighs(params string) bool {
	for p := range strings.SplitSeq(params, ";") {
		name, value, _ := strings.Cut(trimOWS(p), "=")
		if !strings.EqualFold(trimOWS(name), "q") {
			continue
		}
		q, err := strconv.ParseFloat(trimOWS(value), 64)
		return err == nil && q > 0
	}
	return true
}

// names reports whether an Accept header names the media type itself, not a wildcard.
func names(accept []string, media string) bool {
	for _, line := range accept {
		for item := range strings.SplitSeq(line, ",") {
			name, _, _ := strings.Cut(item, ";")
			if strings.EqualFold(trimOWS(name), media) {
				return true
			}
		}
	}
	return false
}
