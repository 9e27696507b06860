package policy

import "testing"

func TestParseNetwork(t *testing.T) {
	for text, want := range map[string]string{
		"10.20.0.0/24": "10.20.0.0/24", "10.20.0.7": "10.20.0.7/32", "fd00:1::/32": "fd00:1::/32", "::1": "::1/128",
		"::ffff:10.0.0.1": "10.0.0.1/32",
	} {
		if p, err := ParseNetwork(text); err != nil || p.String() != want {
			t.Errorf("%s: %v, %v, want %s", text, p, err, want)
		}
	}
	for _, text := range []string{"", "10.20.0.1/24", "10.20.0.0/33", "wiki.corp", "10.0", "fe80::1%eth0", "::ffff:10.0.0.0/104", "0x7f000001"} {
		if p, err := ParseNetwork(text); err == nil {
			t.Errorf("%q is read as %v", text, p)
		}
	}
}
