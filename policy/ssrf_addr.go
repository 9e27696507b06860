package policy

import (
	"net/netip"
	"strings"
)

// Reason says why the guard refused an argument. It is a bounded label.
type Reason string

// The reasons of the guard.
const (
	ReasonLoopback  Reason = "loopback"       // the server's own machine
	ReasonPrivate   Reason = "private"        // RFC 1918, RFC 6598, RFC 4193
	ReasonLinkLocal Reason = "link_local"     // RFC 3927, RFC 4291
	ReasonMetadata  Reason = "metadata"       // the metadata service of a cloud
	ReasonReserved  Reason = "reserved"       // any other range that is not global
	ReasonLocalName Reason = "local_name"     // a name that only exists inside
	ReasonLocalFile Reason = "local_file"     // file: and the like
	ReasonTooMany   Reason = "too_many_names" // more names than are resolved
	ReasonTooDeep   Reason = "too_deep"       // nested deeper than is looked at
	ReasonUnread    Reason = "unreadable"     // arguments that are no JSON
)

type block struct {
	prefix netip.Prefix
	reason Reason
}

func blocks(reason Reason, prefixes ...string) []block {
	out := make([]block, len(prefixes))
	for i, p := range prefixes {
		out[i] = block{netip.MustParsePrefix(p), reason}
	}
	return out
}

// metadata services first: some lie in ranges that are global.
// AWS, GCP, Azure, OpenStack; AWS and GCP over IPv6; Alibaba; Oracle; Azure's
// wire server.
var metadataAddrs = blocks(ReasonMetadata,
	"169.254.169.254/32", "169.254.170.2/32", "169.254.170.23/32", "fd00:ec2::254/128", "fd00:ec2::23/128", "fd20:ce::254/128",
	"100.100.100.200/32", "192.0.0.192/32", "168.63.129.16/32")

// RFC 5735, RFC 6890 and the IANA registry of special purpose addresses.
var reserved4 = append(append(append(
	blocks(ReasonLoopback, "127.0.0.0/8", "0.0.0.0/8"),
	blocks(ReasonPrivate, "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10")...),
	blocks(ReasonLinkLocal, "169.254.0.0/16")...),
	blocks(ReasonReserved, "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4")...)

var reserved6 = append(append(append(
	blocks(ReasonLoopback, "::1/128", "::/128"),
	blocks(ReasonPrivate, "fc00::/7", "fec0::/10", "64:ff9b:1::/48")...),
	blocks(ReasonLinkLocal, "fe80::/10")...),
	blocks(ReasonReserved, "2001::/23", "2001:db8::/32", "3fff::/20")...)

var (
	global6  = netip.MustParsePrefix("2000::/3")
	nat64    = netip.MustParsePrefix("64:ff9b::/96")
	sixTo4   = netip.MustParsePrefix("2002::/16")
	teredo   = netip.MustParsePrefix("2001::/32")
	compat   = netip.MustParsePrefix("::/96")
	siit     = netip.MustParsePrefix("::ffff:0:0:0/96")
	privateN = netip.MustParsePrefix("64:ff9b:1::/48")
)

// reservedAddr returns why a may not be reached, or "" when it is global. An
// address that carries an IPv4 address (mapped, compatible, translated, NAT64,
// 6to4, Teredo, ISATAP) is judged by that one too.
func reservedAddr(a netip.Addr) Reason {
	a = a.WithZone("").Unmap()
	for _, m := range metadataAddrs {
		if m.prefix.Contains(a) {
			return m.reason
		}
	}
	if a.Is4() {
		return find(reserved4, a)
	}
	for _, v4 := range embedded(a) {
		if r := reservedAddr(v4); r != "" {
			return r
		}
	}
	if nat64.Contains(a) {
		return ""
	}
	if r := find(reserved6, a); r != "" {
		return r
	}
	if !global6.Contains(a) {
		return ReasonReserved
	}
	return ""
}

func find(bs []block, a netip.Addr) Reason {
	for _, b := range bs {
		if b.prefix.Contains(a) {
			return b.reason
		}
	}
	return ""
}

// embedded returns the IPv4 addresses that an IPv6 address stands for.
func embedded(a netip.Addr) (out []netip.Addr) {
	b := a.As16()
	take := func(i int) { out = append(out, netip.AddrFrom4([4]byte(b[i:i+4]))) }
	switch {
	case nat64.Contains(a), siit.Contains(a):
		take(12)
	case compat.Contains(a) && !a.IsUnspecified() && a != netip.IPv6Loopback():
		take(12)
	case privateN.Contains(a):
		take(12)
	case sixTo4.Contains(a):
		take(2)
	case teredo.Contains(a):
		take(4) // server; the client's address is inverted (RFC 4380)
		out = append(out, netip.AddrFrom4([4]byte{^b[12], ^b[13], ^b[14], ^b[15]}))
	}
	// ISATAP (RFC 5214): interface identifier 0000:5efe or 0200:5efe.
	if (b[8] == 0 || b[8] == 2) && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe {
		take(12)
	}
	return out
}

// number is an IPv4 address as inet_aton and lenient URL parsers read it.
type number struct {
	addrs []netip.Addr // as octal and as decimal where a part begins with 0
	parts int
	value uint32 // of the first reading
	plain bool   // no hexadecimal and no octal part
}

// parseNumber reads one to four parts in decimal, octal or hexadecimal. What is
// too large wraps round, as it does in parsers that do not check.
func parseNumber(host string) (number, bool) {
	parts := strings.Split(host, ".")
	if len(parts) > 4 {
		return number{}, false
	}
	n := number{parts: len(parts), plain: true}
	for _, octal := range [2]bool{true, false} {
		var v uint32
		for i, p := range parts {
			x, plain, ok := parsePart(p, octal)
			if !ok {
				if octal {
					return number{}, false
				}
				return n, true
			}
			n.plain = n.plain && plain
			if i == len(parts)-1 {
				shift := 8 * (4 - i)
				v |= x & uint32(1<<shift-1)
			} else {
				v |= (x & 0xff) << (24 - 8*i)
			}
		}
		if octal {
			n.value = v
		}
		n.addrs = append(n.addrs, netip.AddrFrom4([4]byte{byte(v >> 24), byte(v >> 16), byte(v >> 8), byte(v)}))
	}
	return n, true
}

func parsePart(p string, octal bool) (v uint32, plain, ok bool) {
	base, digits := uint32(10), p
	switch {
	case len(p) >= 2 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X'):
		base, digits = 16, p[2:] // "0x" alone is 0
		if digits == "" {
			return 0, false, true
		}
	case octal && len(p) > 1 && p[0] == '0' && !strings.ContainsAny(p, "89"):
		base = 8
	}
	if digits == "" || len(digits) > 64 {
		return 0, false, false
	}
	for i := range len(digits) {
		c := digits[i] | 0x20
		d := uint32(99)
		switch {
		case '0' <= digits[i] && digits[i] <= '9':
			d = uint32(digits[i] - '0')
		case 'a' <= c && c <= 'f':
			d = uint32(c-'a') + 10
		}
		if d >= base {
			return 0, false, false
		}
		v = v*base + d
	}
	return v, base == 10 && (len(p) == 1 || p[0] != '0'), true
}

// parseLiteral reads an IP address in the notation of RFC 4291 or RFC 5952, or
// with a lenient IPv4 part at its end.
func parseLiteral(host string) (netip.Addr, bool) {
	if host == "" || !strings.Contains(host, ":") && (host[0] < '0' || host[0] > '9') {
		return netip.Addr{}, false
	}
	if i := strings.IndexByte(host, '%'); i >= 0 && strings.Contains(host, ":") {
		host = host[:i] // zone
	}
	if a, err := netip.ParseAddr(host); err == nil {
		return a, true
	}
	i := strings.LastIndexByte(host, ':')
	if i < 0 || !strings.Contains(host[i:], ".") {
		return netip.Addr{}, false
	}
	n, ok := parseNumber(host[i+1:])
	if !ok {
		return netip.Addr{}, false
	}
	a, err := netip.ParseAddr(host[:i+1] + n.addrs[0].String())
	return a, err == nil
}
