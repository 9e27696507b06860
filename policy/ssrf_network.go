package policy

import (
	"fmt"
	"net/netip"
	"strings"
)

// ParseNetwork reads a network in CIDR notation, or one address. The bits that
// do not belong to the network must be zero.
func ParseNetwork(text string) (netip.Prefix, error) {
	if !strings.Contains(text, "/") {
		a, err := netip.ParseAddr(text)
		if err != nil || a.Zone() != "" {
			return netip.Prefix{}, fmt.Errorf("%q is neither an address nor a network such as 10.20.0.0/24", text)
		}
		a = a.Unmap()
		return netip.PrefixFrom(a, a.BitLen()), nil
	}
	p, err := netip.ParsePrefix(text)
	if err != nil || p.Addr().Is4In6() {
		return netip.Prefix{}, fmt.Errorf("%q is neither an address nor a network such as 10.20.0.0/24", text)
	}
	if p != p.Masked() {
		return netip.Prefix{}, fmt.Errorf("%q has bits set outside its mask: %s is meant, or an address", text, p.Masked())
	}
	return p, nil
}
