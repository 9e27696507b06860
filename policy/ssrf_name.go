package policy

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"
)

// certainty is how sure it is that an argument names a place on the network.
type certainty uint8

const (
	notNamed  certainty = iota // only what has a scheme counts
	maybeHost                  // addresses, and names with a dot
	surelyHost
)

// Words that end the name of an argument which holds a target.
var (
	sureWords  = wordSet("url uri href host hostname fqdn endpoint ip ipv4 ipv6 ipaddr ipaddress webhook callback cidr nameserver")
	maybeWords = wordSet("address addr server target domain origin proxy upstream site website redirect destination dest peer gateway broker feed link remote node registry mirror source src")
	// "host_name", "server_list": the word before decides.
	fillWords = wordSet("name list value string str")
	// Addresses and links of another kind.
	otherWords = wordSet("email mail postal street billing shipping mac wallet contract memory issue parent sym hard")
	sureEnds   = []string{"url", "uri", "hostname", "endpoint", "webhook", "ipaddress", "ipaddr"}
)

func wordSet(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}

// suggests reports whether the name of an argument says that it holds a URL, a
// host or an address: by its last word, in snake_case, kebab-case or camelCase.
func suggests(name string) certainty {
	if len(name) > 128 {
		return notNamed
	}
	var buf [8]string
	words := nameWords(buf[:0], name)
	for _, w := range words {
		if otherWords[w] {
			return notNamed
		}
	}
	for len(words) > 1 && fillWords[singular(words[len(words)-1])] {
		words = words[:len(words)-1]
	}
	if len(words) == 0 {
		return notNamed
	}
	last := words[len(words)-1]
	for _, w := range [...]string{last, singular(last)} {
		if sureWords[w] {
			return surelyHost
		}
		for _, end := range sureEnds {
			if strings.HasSuffix(w, end) {
				return surelyHost
			}
		}
	}
	if maybeWords[last] || maybeWords[singular(last)] {
		return maybeHost
	}
	return notNamed
}

// singular is rough: "addresses" and "proxies" need their own rules.
func singular(w string) string {
	switch {
	case strings.HasSuffix(w, "sses"):
		return w[:len(w)-2]
	case strings.HasSuffix(w, "xies"):
		return w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss"):
		return w[:len(w)-1]
	}
	return w
}

// nameWords appends the words of a name, in lower case. Names in lower case
// cost no allocation.
func nameWords(words []string, name string) []string {
	start := -1
	flush := func(end int) {
		if start >= 0 {
			words = append(words, strings.ToLower(name[start:end]))
		}
		start = -1
	}
	before := rune(0)
	for i, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			flush(i)
			before = r
			continue
		}
		if unicode.IsUpper(r) && start >= 0 {
			after, _ := utf8.DecodeRuneInString(name[i+utf8.RuneLen(r):])
			if !unicode.IsUpper(before) || unicode.IsLower(after) && after != 's' {
				flush(i) // webhookUrl; URLList, but not URLs
			}
		}
		if start < 0 {
			start = i
		}
		before = r
	}
	flush(len(name))
	return words
}

// Names that never leave a machine or a network: RFC 6761, RFC 6762 with its
// appendix G, RFC 8375, RFC 9476's neighbour .internal, and what clouds and
// clusters use.
var localSuffixes = []string{
	"localhost", "localdomain", "local", "internal", "intranet", "private", "corp", "home", "lan",
	"home.arpa", "in-addr.arpa", "ip6.arpa", "test", "invalid", "consul",
}

var localNames = map[string]Reason{
	"localhost4": ReasonLoopback, "localhost6": ReasonLoopback, "ip6-localhost": ReasonLoopback, "ip6-loopback": ReasonLoopback,
	"loopback": ReasonLoopback, "broadcasthost": ReasonReserved, "host.docker.internal": ReasonLoopback,
	"metadata": ReasonMetadata, "metadata.google.internal": ReasonMetadata, "metadata.goog": ReasonMetadata,
	"metadata.azure.internal": ReasonMetadata, "metadata.azure.com": ReasonMetadata, "metadata.tencentyun.com": ReasonMetadata,
	"instance-data": ReasonMetadata, "instance-data.ec2.internal": ReasonMetadata, "metadata.packet.net": ReasonMetadata,
	"kubernetes": ReasonLocalName, "kubernetes.default": ReasonLocalName, "kubernetes.default.svc": ReasonLocalName,
}

// localName returns why a normalised name may not be reached, or "".
func localName(host string) Reason {
	if r, ok := localNames[host]; ok {
		return r
	}
	if host == "localhost" || strings.HasSuffix(host, ".localhost") || strings.HasSuffix(host, ".localdomain") {
		return ReasonLoopback
	}
	for _, s := range localSuffixes {
		if strings.HasSuffix(host, "."+s) {
			return ReasonLocalName
		}
	}
	return ""
}

var lookup = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.StrictDomainName(false))

// normalHost brings a host into the form that resolvers see: full-width and
// circled forms, other dots, ignorable characters and case are mapped (UTS 46),
// dots at the end go.
func normalHost(host string) string {
	if plain(host) {
		return strings.ToLower(strings.TrimRight(host, "."))
	}
	if ascii, err := lookup.ToASCII(host); err == nil {
		host = ascii
	} else {
		host = strings.Map(func(r rune) rune {
			switch {
			case r == '。' || r == '．' || r == '｡':
				return '.'
			case unicode.Is(unicode.Cf, r) || unicode.IsControl(r):
				return -1
			}
			return r
		}, norm.NFKC.String(host))
	}
	return strings.ToLower(strings.TrimRight(host, "."))
}

func plain(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// resolvable reports whether a name is worth asking for.
func resolvable(host string) bool {
	if host == "" || len(host) > 253 {
		return false
	}
	letter := false
	for i := range len(host) {
		c := host[i]
		switch {
		case 'a' <= c && c <= 'z' || c == '_':
			letter = true
		case '0' <= c && c <= '9', c == '-':
		case c == '.':
			if i == 0 || host[i-1] == '.' {
				return false
			}
		default:
			return false
		}
	}
	return letter
}
