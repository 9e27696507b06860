package policy

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxUsers bounds the parts before the host of a URL: one with more "@" is not
// meant to be read, and is refused.
const maxUsers = 16

// target is one reading of a string as a place on the network. Parsers read
// the same string in different ways, so that one string has several.
type target struct {
	host string
	// sure is how much may be read into the host: of a doubtful one only plain
	// addresses and local names count, and it is not resolved.
	sure certainty
	// numbers: short and whole-number forms of IPv4 count.
	numbers bool
	// refuse, when set, is why the string is refused whatever its host is.
	refuse Reason
}

// Schemes whose host is found by name on the network. Of other schemes ("s3:",
// "ui:", …) only plain addresses and local names count.
var networkSchemes = wordSet("http https ws wss ftp ftps sftp ssh scp git svn gopher dict ldap ldaps tftp telnet smb cifs nfs rtsp rtmp sip sips tcp udp tls ssl " +
	"imap imaps pop3 pop3s smtp smtps redis rediss mysql postgres postgresql mongodb amqp amqps mqtt mqtts nats kafka memcached clickhouse elasticsearch grpc grpcs rsync irc xmpp feed")

// Schemes that need no "//", or take any number of slashes (WHATWG URL).
var specialSchemes = wordSet("http https ws wss ftp")

// Schemes that read the server's own machine.
var fileSchemes = wordSet("file local_file local-file localfile netdoc unix php phar expect")

// Schemes that name nothing on the network.
var opaqueSchemes = wordSet("data mailto urn tel javascript about cid mid tag did")

// targets calls f with every reading of s until f returns false.
func targets(s string, named certainty, f func(target) bool) {
	s = trimURL(s)
	if s == "" {
		return
	}
	if !urlTargets(s, named, 0, f) || named == notNamed {
		return
	}
	if scheme, _, ok := cutScheme(s); ok && opaqueSchemes[scheme] {
		return
	}
	if !strings.ContainsFunc(s, separates) {
		tokenTargets(s, named, false, f)
		return
	}
	// A list, or words. Behind a URL only further URLs count: a comma may
	// stand in its path.
	words, afterURL := isWords(s), false
	for token := range strings.FieldsFuncSeq(s, separates) {
		isURL := strings.Contains(token, "://")
		if token = strings.Trim(token, `"'<>()[]{}`+"`"); token == "" || afterURL && !isURL {
			continue
		}
		if !tokenTargets(token, named, words, f) {
			return
		}
		afterURL = afterURL || isURL
	}
}

func separates(r rune) bool { return unicode.IsSpace(r) || r == ',' || r == ';' || r == '|' }

// isWords reports whether blanks alone separate anything in s, as in prose; in
// a list each blank stands at a comma or the like, or at the end of a line.
func isWords(s string) bool {
	blank, delimited := false, true
	for _, r := range s {
		switch {
		case r == '\n' || r == '\r' || separates(r) && !unicode.IsSpace(r):
			delimited = true
		case unicode.IsSpace(r):
			blank = true
		default:
			if blank && !delimited {
				return true
			}
			blank, delimited = false, false
		}
	}
	return false
}

// tokenTargets reads one word of an argument that names a target. With prose
// it stands among words.
func tokenTargets(s string, named certainty, prose bool, f func(target) bool) bool {
	if i := strings.Index(s, "://"); i > 0 {
		start := i
		for start > 0 && schemeByte(s[start-1]) {
			start--
		}
		return urlTargets(s[start:], named, 0, f)
	}
	if scheme, rest, ok := cutScheme(s); ok && (specialSchemes[scheme] || fileSchemes[scheme] && strings.HasPrefix(rest, "/")) {
		return urlTargets(s, named, 0, f)
	}
	slashes := len(s) - len(strings.TrimLeft(s, `/\`))
	if slashes == 1 {
		return true // a path on the server that is meant anyway
	}
	if prose {
		// "server 10.0.0.1 is down": plain addresses and local names only.
		return authority(s[slashes:], target{}, f)
	}
	return authority(s[slashes:], target{sure: named, numbers: true}, f)
}

// urlTargets reads s as a URL with a scheme, if it is one. Wrapped URLs
// ("view-source:http://…", "jar:file:…") are unwrapped.
func urlTargets(s string, named certainty, depth int, f func(target) bool) bool {
	scheme, rest, ok := cutScheme(s)
	if !ok {
		return true
	}
	clean := dropTabs(rest)
	switch {
	case fileSchemes[scheme]:
		if strings.HasPrefix(clean, "/") || strings.HasPrefix(clean, `\`) {
			return f(target{refuse: ReasonLocalFile})
		}
	case specialSchemes[scheme]:
		return authority(strings.TrimLeft(clean, `/\`), target{sure: surelyHost, numbers: true}, f)
	case strings.HasPrefix(clean, "//") || strings.HasPrefix(clean, `\\`):
		t := target{}
		base := scheme[strings.LastIndexByte(scheme, '+')+1:] // git+https
		if networkSchemes[scheme] || networkSchemes[base] || networkSchemes[strings.SplitN(scheme, "+", 2)[0]] {
			t = target{sure: surelyHost, numbers: true}
		}
		return authority(strings.TrimLeft(clean, `/\`), t, f)
	case depth < 3:
		if scheme == "jar" {
			clean, _, _ = strings.Cut(clean, "!")
		}
		return urlTargets(clean, named, depth+1, f)
	}
	return true
}

// cutScheme splits "scheme:rest".
func cutScheme(s string) (scheme, rest string, ok bool) {
	for i := range min(len(s), 40) {
		switch c := s[i]; {
		case c == ':':
			if i == 0 {
				return "", "", false
			}
			return strings.ToLower(strings.Map(dropTab, s[:i])), s[i+1:], true
		case i > 0 && schemeByte(c), isLetter(c), i > 0 && (c == '\t' || c == '\n' || c == '\r'):
		default:
			return "", "", false
		}
	}
	return "", "", false
}

func schemeByte(c byte) bool {
	return isLetter(c) || '0' <= c && c <= '9' || c == '+' || c == '-' || c == '.' || c == '_'
}

func isLetter(c byte) bool { c |= 0x20; return 'a' <= c && c <= 'z' }

// trimURL drops what URL parsers drop at both ends (WHATWG URL, basic parser).
func trimURL(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f || unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) })
}

func dropTab(r rune) rune {
	if r == '\t' || r == '\n' || r == '\r' {
		return -1
	}
	return r
}

func dropTabs(s string) string {
	// Only the start can hold a host.
	if len(s) > 4096 {
		s = s[:4096]
	}
	return strings.Map(dropTab, s)
}

// authority reads the hosts of "user@host:port/path". Where parsers are known
// to disagree (backslashes, several @, # or ? before @), every reading counts.
func authority(s string, t target, f func(target) bool) bool {
	// Up to "/", "?", "#" and "\" (WHATWG), or with "\" in it (RFC 3986).
	readings := [2]string{cutAny(s, `/?#\`), cutAny(s, `/?#`)}
	for i, a := range readings {
		if i > 0 && a == readings[0] {
			break
		}
		if strings.Count(a, "@") > maxUsers {
			return f(target{refuse: ReasonUnread})
		}
		if !emitHosts(a[strings.LastIndexByte(a, '@')+1:], t, f) {
			return false
		}
		// "http://good#@bad", "http://good?@bad".
		if rest := s[len(a):]; len(rest) > 1 && (rest[0] == '#' || rest[0] == '?') {
			if bad, ok := strings.CutPrefix(strings.TrimLeft(rest[1:], " "), "@"); ok && !emitHosts(cutAny(bad, `/?#\`), t, f) {
				return false
			}
		}
		// What stands before the last @ is a user name for all current
		// parsers: only an address or a local name there is a trick.
		for part, rest, more := strings.Cut(a, "@"); more; part, rest, more = strings.Cut(rest, "@") {
			if !emitHosts(part, target{}, f) {
				return false
			}
		}
	}
	return true
}

func cutAny(s, chars string) string {
	if i := strings.IndexAny(s, chars); i >= 0 {
		return s[:i]
	}
	return s
}

// emitHosts calls f with every reading of "host:port".
func emitHosts(hostport string, t target, f func(target) bool) bool {
	if len(hostport) <= 253 && plainHost(hostport) {
		t.host = hostport
		return hostport == "" || f(t)
	}
	for _, h := range hosts(hostport) {
		u := t
		if strings.ContainsFunc(h, unicode.IsSpace) {
			// Not a host for any parser; its first word may be meant.
			words := strings.Fields(h)
			if len(words) == 0 {
				continue
			}
			u, h = target{}, words[0]
		}
		if u.host = h; h != "" && !f(u) {
			return false
		}
	}
	return true
}

// plainHost reports whether s has one reading only: letters, digits, dots and
// hyphens.
func plainHost(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isLetter(c) && (c < '0' || c > '9') && c != '.' && c != '-' {
			return false
		}
	}
	return true
}

// hosts returns the readings of "host:port": as it stands, percent-decoded
// once and twice, and cut where a decoded delimiter stands.
func hosts(hostport string) []string {
	if len(hostport) > 1024 {
		hostport = hostport[:1024]
	}
	out := make([]string, 0, 4)
	for range 3 {
		out = append(out, cutPort(hostport)...)
		if i := strings.IndexAny(hostport, "/?#@\\\x00"); i > 0 {
			out = append(out, cutPort(hostport[:i])...)
		}
		next, err := url.PathUnescape(hostport)
		if err != nil || next == hostport || !utf8.ValidString(next) {
			break
		}
		hostport = next
	}
	return out
}

// cutPort drops the port and brackets.
func cutPort(s string) []string {
	if strings.HasPrefix(s, "[") {
		inner, _, _ := strings.Cut(s[1:], "]")
		return []string{inner}
	}
	first, _, found := strings.Cut(s, ":")
	if !found {
		return []string{s}
	}
	last := s[:strings.LastIndexByte(s, ':')]
	if last == first {
		return []string{first}
	}
	return []string{s, last, first} // IPv6 without brackets, or two ports
}
