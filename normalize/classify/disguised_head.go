package classify

import "strings"

// limitHit reports whether a short line is the report of a limit: "MCP server rate
// limit exceeded".
func limitHit(low string) bool {
	if len(low) > 100 {
		return false
	}
	line := strings.TrimRight(low, " .!")
	for _, w := range [...]string{"rate limit exceeded", "rate limit reached", "usage limit exceeded", "request limit exceeded", "quota exceeded", "too many requests"} {
		if at := strings.Index(line, w); at >= 0 && at <= 40 && (at+len(w) == len(line) || strings.IndexByte(".:;,(", line[at+len(w)]) >= 0) && !strings.ContainsAny(line[:at], ".:;,()?\"'") {
			return true
		}
	}
	return false
}

// after returns what follows the heading of a report: "Azure DevOps API Error: ".
func after(t string) string {
	head, rest, ok := strings.Cut(t, " Error: ")
	if !ok || len(head) > 40 || head == "" || head[0] < 'A' || head[0] > 'Z' || strings.ContainsAny(head, ".:;,()?\n\"'") {
		return ""
	}
	return strings.TrimSpace(rest)
}

// headed reports whether a text begins with a kind of error as its heading:
// "Compilation Error" on a line of its own, or before a colon and words.
func headed(low string) bool {
	kind := low[:wordEnd(low, 0)]
	if rest, ok := strings.CutPrefix(low, "timeout: "); ok {
		for _, w := range [...]string{"took", "timed out", "exceeded", "did not", "didn't", "no response", "no answer", "not respond", "expired"} {
			if strings.Contains(rest, w) {
				return strings.IndexByte(rest, '\n') < 0
			}
		}
		return false
	}
	rest, ok := strings.CutPrefix(low[len(kind):], " error")
	if !ok || kind == "" || !strings.HasPrefix(rest, "\n") && !strings.HasPrefix(rest, ": ") {
		return false
	}
	switch kind {
	case "no", "standard", "squared", "absolute", "mean", "relative", "percentage", "rounding", "margin", "measurement", "sampling", "last", "type", "first", "latest", "previous", "average", "total", "max", "training", "test", "approximation":
		return false
	}
	rest = strings.TrimLeft(rest, ": \n")
	return rest != "" && (rest[0] < '0' || rest[0] > '9')
}

// waitsFor reports whether a line says how long to wait because a limit was hit.
func waitsFor(low string) bool {
	if len(low) > 240 || proseWait(low) == 0 {
		return false
	}
	for _, w := range [...]string{"rate limit hit", "rate limit detected", "rate limit exceeded", "rate limit reached", "rate limited", "flood", "too many requests", "throttled"} {
		if at := strings.Index(low, w); at >= 0 && at <= 40 {
			return true
		}
	}
	return false
}

// lacksCredentials reports whether a short line begins with credentials that are
// not there: "GCP credentials are not available. Please configure ...".
func lacksCredentials(low string) bool {
	if len(low) > 160 {
		return false
	}
	for _, w := range [...]string{"credentials", "api key", "access token", "api token"} {
		at := strings.Index(low, w)
		if at < 0 || at > 20 || strings.ContainsAny(low[:at], ".:;,()?\"'") {
			continue
		}
		for _, s := range [...]string{" are not available", " are not configured", " are not set", " are missing", " not found", " not configured", " not set", " is not configured", " is not set", " is missing", " have expired", " has expired", " are invalid", " is invalid"} {
			if strings.HasPrefix(low[at+len(w):], s) {
				return true
			}
		}
	}
	return false
}

// told reports whether words, and not a number, follow a heading.
func told(rest string) bool {
	rest = strings.TrimLeft(rest, " '\"`")
	return rest != "" && (rest[0] < '0' || rest[0] > '9')
}
