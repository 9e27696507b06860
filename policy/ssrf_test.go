package policy

import (
	"context"
	"encoding/json"
	"net/netip"
	"strings"
	"testing"
)

// refusedURLs are forms of places that may not be reached, as the value of an
// argument called url.
var refusedURLs = []struct {
	form   string
	reason Reason
}{
	// loopback, in every notation of IPv4
	{"http://127.0.0.1/", ReasonLoopback},
	{"http://127.0.0.1:8080/admin", ReasonLoopback},
	{"https://127.0.0.1", ReasonLoopback},
	{"http://127.1/", ReasonLoopback},
	{"http://127.0.1/", ReasonLoopback},
	{"http://127.255.255.254/", ReasonLoopback},
	{"http://2130706433/", ReasonLoopback},
	{"http://017700000001/", ReasonLoopback},
	{"http://0x7f000001/", ReasonLoopback},
	{"http://0X7F000001/", ReasonLoopback},
	{"http://0x7f.0.0.1/", ReasonLoopback},
	{"http://0x7f.0x0.0x0.0x1/", ReasonLoopback},
	{"http://0x7f.1/", ReasonLoopback},
	{"http://0177.0.0.1/", ReasonLoopback},
	{"http://0177.0.0.01/", ReasonLoopback},
	{"http://00000177.0.0.1/", ReasonLoopback},
	{"http://0177.1/", ReasonLoopback},
	{"http://127.0x1/", ReasonLoopback},
	{"http://0x00000000000000007f.0.0.1/", ReasonLoopback},
	{"http://127.000000.00000.00001/", ReasonLoopback},
	{"http://6425673729/", ReasonLoopback},      // 2^32 more
	{"http://383.256.256.257/", ReasonLoopback}, // each part 256 more
	{"http://127.0.0.1./", ReasonLoopback},
	{"http://127.0.0.1../", ReasonLoopback},
	{"http://0/", ReasonLoopback},
	{"http://0.0.0.0/", ReasonLoopback},
	{"http://0.0.0.0:22/", ReasonLoopback},
	{"http://0x0/", ReasonLoopback},
	{"http://00/", ReasonLoopback},
	{"http://0.1/", ReasonLoopback},
	// loopback by name
	{"http://localhost/", ReasonLoopback},
	{"http://localhost:3000", ReasonLoopback},
	{"http://LOCALHOST/", ReasonLoopback},
	{"http://LocalHost./", ReasonLoopback},
	{"http://foo.localhost/", ReasonLoopback},
	{"http://localhost.localdomain/", ReasonLoopback},
	{"http://ip6-localhost/", ReasonLoopback},
	{"http://localhost6/", ReasonLoopback},
	{"http://host.docker.internal/", ReasonLoopback},
	// private
	{"http://10.0.0.1/", ReasonPrivate},
	{"http://10.1/", ReasonPrivate},
	{"http://10.255.255.255/", ReasonPrivate},
	{"http://010.0.0.1/", ReasonPrivate}, // 8.0.0.1 in octal, 10.0.0.1 in decimal
	{"http://012.0.0.1/", ReasonPrivate}, // 10.0.0.1 in octal
	{"http://167772161/", ReasonPrivate},
	{"http://0xa000001/", ReasonPrivate},
	{"http://172.16.0.1/", ReasonPrivate},
	{"http://172.31.255.255/", ReasonPrivate},
	{"http://192.168.0.1/", ReasonPrivate},
	{"http://192.168.1/", ReasonPrivate},
	{"http://192.11010049/", ReasonPrivate},
	{"http://3232235777/", ReasonPrivate},
	{"http://0xc0.0xa8.0x01.0x01/", ReasonPrivate},
	{"http://100.64.0.1/", ReasonPrivate},
	{"http://100.127.255.255/", ReasonPrivate},
	// link-local and metadata
	{"http://169.254.0.1/", ReasonLinkLocal},
	{"http://169.254.169.254/latest/meta-data/", ReasonMetadata},
	{"http://2852039166/", ReasonMetadata},
	{"http://0xA9FEA9FE/", ReasonMetadata},
	{"http://0xA9.0xFE.0xA9.0xFE/", ReasonMetadata},
	{"http://0251.0376.0251.0376/", ReasonMetadata},
	{"http://025177524776/", ReasonMetadata},
	{"http://169.254.43518/", ReasonMetadata},
	{"http://169.16689662/", ReasonMetadata},
	{"http://425.510.425.510/", ReasonMetadata},
	{"http://7147006462/", ReasonMetadata},
	{"http://169.254.170.2/v2/credentials", ReasonMetadata},
	{"http://100.100.100.200/latest/", ReasonMetadata},
	{"http://192.0.0.192/", ReasonMetadata},
	{"http://168.63.129.16/", ReasonMetadata},
	{"http://[fd00:ec2::254]/", ReasonMetadata},
	{"http://metadata.google.internal/computeMetadata/v1/", ReasonMetadata},
	{"http://metadata/", ReasonMetadata},
	{"http://METADATA.GOOGLE.INTERNAL./", ReasonMetadata},
	{"http://instance-data/latest/", ReasonMetadata},
	{"http://metadata.tencentyun.com/", ReasonMetadata},
	// reserved (RFC 5735, RFC 6890)
	{"http://192.0.0.1/", ReasonReserved},
	{"http://192.0.2.5/", ReasonReserved},
	{"http://192.88.99.1/", ReasonReserved},
	{"http://198.18.0.1/", ReasonReserved},
	{"http://198.19.255.255/", ReasonReserved},
	{"http://198.51.100.7/", ReasonReserved},
	{"http://203.0.113.9/", ReasonReserved},
	{"http://224.0.0.1/", ReasonReserved},
	{"http://239.255.255.250/", ReasonReserved},
	{"http://240.0.0.1/", ReasonReserved},
	{"http://255.255.255.255/", ReasonReserved},
	// IPv6
	{"http://[::1]/", ReasonLoopback},
	{"http://[::1]:80/", ReasonLoopback},
	{"http://[0:0:0:0:0:0:0:1]/", ReasonLoopback},
	{"http://[0000:0000:0000:0000:0000:0000:0000:0001]/", ReasonLoopback},
	{"http://[::]/", ReasonLoopback},
	{"http://[::1%25lo0]/", ReasonLoopback},
	{"http://[::1%lo0]/", ReasonLoopback},
	{"http://::1/", ReasonLoopback},
	{"http://[fe80::1]/", ReasonLinkLocal},
	{"http://[fe80::1%25eth0]/", ReasonLinkLocal},
	{"http://[febf::1]/", ReasonLinkLocal},
	{"http://[fec0::1]/", ReasonPrivate},
	{"http://[fc00::1]/", ReasonPrivate},
	{"http://[fd12:3456:789a::1]/", ReasonPrivate},
	{"http://[ff02::1]/", ReasonReserved},
	{"http://[100::1]/", ReasonReserved},
	{"http://[2001:db8::1]/", ReasonReserved},
	{"http://[3fff::1]/", ReasonReserved},
	{"http://[2001:10::1]/", ReasonReserved},
	{"http://[5f00::1]/", ReasonReserved},
	{"http://[4000::1]/", ReasonReserved},
	// IPv4 inside IPv6
	{"http://[::ffff:127.0.0.1]/", ReasonLoopback},
	{"http://[::ffff:7f00:1]/", ReasonLoopback},
	{"http://[0:0:0:0:0:ffff:127.0.0.1]/", ReasonLoopback},
	{"http://[::ffff:0x7f.0.0.1]/", ReasonLoopback},
	{"http://[::ffff:10.0.0.1]/", ReasonPrivate},
	{"http://[::ffff:a9fe:a9fe]/", ReasonMetadata},
	{"http://[::127.0.0.1]/", ReasonLoopback},
	{"http://[::7f00:1]/", ReasonLoopback},
	{"http://[::ffff:0:127.0.0.1]/", ReasonLoopback},
	{"http://[64:ff9b::127.0.0.1]/", ReasonLoopback},
	{"http://[64:ff9b::a9fe:a9fe]/", ReasonMetadata},
	{"http://[64:ff9b::10.0.0.1]/", ReasonPrivate},
	{"http://[64:ff9b:1::8.8.8.8]/", ReasonPrivate},
	{"http://[64:ff9b:1::1]/", ReasonLoopback},
	{"http://[2002:7f00:1::]/", ReasonLoopback},
	{"http://[2002:a00:1::1]/", ReasonPrivate},
	{"http://[2002:a9fe:a9fe::]/", ReasonMetadata},
	{"http://[2001:0:a00:1::1]/", ReasonPrivate},
	{"http://[2001:0:808:808::80ff:fffe]/", ReasonLoopback}, // client 127.0.0.1, inverted
	{"http://[2001:0:808:808::f7f7:f7f7]/", ReasonReserved}, // Teredo at all
	{"http://[2a00:1450::5efe:10.0.0.1]/", ReasonPrivate},   // ISATAP
	{"http://[2a00:1450::200:5efe:127.0.0.1]/", ReasonLoopback},
	// userinfo, backslashes, fragments
	{"http://example.com@127.0.0.1/", ReasonLoopback},
	{"http://example.com:80@127.0.0.1/", ReasonLoopback},
	{"http://user:pass@10.0.0.1/", ReasonPrivate},
	{"http://a@b@c@127.0.0.1/", ReasonLoopback},
	{"http://127.0.0.1@example.com/", ReasonLoopback},
	{"http://a@127.0.0.1@example.com/", ReasonLoopback},
	{`http://example.com\@127.0.0.1/`, ReasonLoopback},
	{`http://127.0.0.1\@example.com/`, ReasonLoopback},
	{`http://127.0.0.1:80\@example.com:80/`, ReasonLoopback},
	{"http://example.com#@127.0.0.1/", ReasonLoopback},
	{"http://example.com?@127.0.0.1/", ReasonLoopback},
	{"http://1.1.1.1 &@127.0.0.1# @8.8.8.8/", ReasonLoopback},
	{"http://1.1.1.1&@127.0.0.1#@8.8.8.8/", ReasonLoopback},
	{"http://" + strings.Repeat("a@", 40) + "example.com/", ReasonUnread},
	{"http://127.0.0.1:11211:80/", ReasonLoopback},
	{`http:\\127.0.0.1\`, ReasonLoopback},
	{`http:/\127.0.0.1/`, ReasonLoopback},
	{"http:/127.0.0.1/", ReasonLoopback},
	{"http:127.0.0.1", ReasonLoopback},
	{"http:////127.0.0.1/", ReasonLoopback},
	{"//127.0.0.1/x", ReasonLoopback},
	{`\\127.0.0.1\share`, ReasonLoopback},
	{"///127.0.0.1/x", ReasonLoopback},
	// encoding, white space, Unicode
	{"http://%31%32%37.0.0.1/", ReasonLoopback},
	{"http://127%2e0%2e0%2e1/", ReasonLoopback},
	{"http://%2531%2532%2537.0.0.1/", ReasonLoopback},
	{"http://127.0.0.1%2f.example.com/", ReasonLoopback},
	{"http://127.0.0.1%23.example.com/", ReasonLoopback},
	{"http://127.0.0.1%00.example.com/", ReasonLoopback},
	{"http://127.0.0.1%09/", ReasonLoopback},
	{"http://loc%61lhost/", ReasonLoopback},
	{" http://127.0.0.1/ ", ReasonLoopback},
	{"\x00\x01http://127.0.0.1/", ReasonLoopback},
	{"\u200bhttp://127.0.0.1/", ReasonLoopback},
	{"ht\ntp://127.0.0.1/", ReasonLoopback},
	{"http://127.\t0.0\n.1/", ReasonLoopback},
	{"http:\n//127.0.0.1/", ReasonLoopback},
	{"http://127。0。0。1/", ReasonLoopback},
	{"http://127．0｡0．1/", ReasonLoopback},
	{"http://１２７.０.０.１/", ReasonLoopback},
	{"http://①②⑦.⓪.⓪.①/", ReasonLoopback},
	{"http://１２７％２ｅ0.0.1/", ReasonLoopback},
	{"http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/", ReasonLoopback},
	{"http://ｌｏｃａｌｈｏｓｔ/", ReasonLoopback},
	{"http://local\u00adhost/", ReasonLoopback},
	{"http://local\u200bhost/", ReasonLoopback},
	{"http://169。254。169。254/", ReasonMetadata},
	{"http://ｍｅｔａｄａｔａ.google.internal/", ReasonMetadata},
	// schemes
	{"HTTP://127.0.0.1/", ReasonLoopback},
	{"ftp://127.0.0.1/", ReasonLoopback},
	{"ws://127.0.0.1/", ReasonLoopback},
	{"wss://10.0.0.1/", ReasonPrivate},
	{"gopher://127.0.0.1:6379/_INFO", ReasonLoopback},
	{"dict://127.0.0.1:11211/stat", ReasonLoopback},
	{"ldap://localhost:389/", ReasonLoopback},
	{"redis://10.0.0.5:6379/0", ReasonPrivate},
	{"postgres://u:p@localhost:5432/db", ReasonLoopback},
	{"git+https://127.0.0.1/repo.git", ReasonLoopback},
	{"tcp://0x7f000001:80", ReasonLoopback},
	{"x-unknown://127.0.0.1/", ReasonLoopback},
	{"x-unknown://localhost/", ReasonLoopback},
	{"view-source:http://127.0.0.1/", ReasonLoopback},
	{"url:http://127.0.0.1/", ReasonLoopback},
	{"jar:http://127.0.0.1!/", ReasonLoopback},
	{"jar:file:///etc/passwd!/", ReasonLocalFile},
	{"file:///etc/passwd", ReasonLocalFile},
	{"FILE:///etc/passwd", ReasonLocalFile},
	{"file://localhost/etc/passwd", ReasonLocalFile},
	{"file:/etc/passwd", ReasonLocalFile},
	{`file:\\host\share`, ReasonLocalFile},
	{"netdoc:///etc/passwd", ReasonLocalFile},
	{"unix:///var/run/docker.sock", ReasonLocalFile},
	{"php://filter/resource=x", ReasonLocalFile},
	// names that only exist inside
	{"http://printer.local/", ReasonLocalName},
	{"http://vault.internal/", ReasonLocalName},
	{"http://db.corp/", ReasonLocalName},
	{"http://nas.home.arpa/", ReasonLocalName},
	{"http://wiki.intranet/", ReasonLocalName},
	{"http://router.lan/", ReasonLocalName},
	{"http://api.default.svc.cluster.local/", ReasonLocalName},
	{"http://kubernetes.default.svc/", ReasonLocalName},
	{"http://x.service.consul/", ReasonLocalName},
	{"http://1.0.0.127.in-addr.arpa/", ReasonLocalName},
	// without a scheme
	{"127.0.0.1", ReasonLoopback},
	{"127.0.0.1:8080", ReasonLoopback},
	{"127.1", ReasonLoopback},
	{"0x7f000001", ReasonLoopback},
	{"2130706433", ReasonLoopback},
	{"0", ReasonLoopback},
	{"localhost", ReasonLoopback},
	{"localhost:3000/path", ReasonLoopback},
	{"::1", ReasonLoopback},
	{"[::1]:80", ReasonLoopback},
	{"fe80::1%eth0", ReasonLinkLocal},
	{"10.0.0.0/8", ReasonPrivate},
	{"root@10.0.0.1", ReasonPrivate},
	{"db.internal:5432", ReasonLocalName},
	{"169.254.169.254/latest", ReasonMetadata},
	{"https://example.com,http://127.0.0.1/", ReasonLoopback},
	{"https://example.com http://127.0.0.1/", ReasonLoopback},
	{"8.8.8.8, 10.0.0.1", ReasonPrivate},
	{"8.8.8.8;10.1", ReasonPrivate},
	{"see 10.0.0.1 please", ReasonPrivate},
	{"see <http://127.0.0.1/> please", ReasonLoopback},
	{"url=http://127.0.0.1/", ReasonLoopback},
}

func check(t testing.TB, g *Guard, args any) (Finding, bool) {
	t.Helper()
	b, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	return g.Check(context.Background(), b)
}

func TestGuardRefuses(t *testing.T) {
	if len(refusedURLs) < 120 {
		t.Fatalf("only %d forms", len(refusedURLs))
	}
	g := &Guard{}
	seen := map[string]bool{}
	for _, c := range refusedURLs {
		if seen[c.form] {
			t.Errorf("%q stands twice in the table", c.form)
		}
		seen[c.form] = true
		f, found := check(t, g, map[string]any{"url": c.form})
		if !found || f.Reason != c.reason || f.Path != "url" {
			t.Errorf("%q: %v %+v, want %s", c.form, found, f, c.reason)
		}
	}
}

// Everything with a scheme is refused in any argument too.
func TestGuardRefusesURLsEverywhere(t *testing.T) {
	g := &Guard{}
	for _, c := range refusedURLs {
		scheme, rest, ok := cutScheme(trimURL(c.form))
		if !ok || !strings.Contains(c.form, "://") || !networkSchemes[scheme] && !fileSchemes[scheme] || strings.ContainsAny(rest, " ,") {
			continue
		}
		if f, found := check(t, g, map[string]any{"q": c.form}); !found || f.Reason != c.reason {
			t.Errorf("%q: %v %+v, want %s", c.form, found, f, c.reason)
		}
	}
	for _, args := range []any{
		map[string]any{"a": []any{1, map[string]any{"b": "http://10.0.0.1/"}}},
		map[string]any{"http://10.0.0.1/": 1},
		map[string]any{"body": `{"callback": "http://10.0.0.1/"}`},
		map[string]any{"body": `["{\"u\": \"http://10.0.0.1/\"}"]`},
		[]any{"http://10.0.0.1/"},
		map[string]any{"ip": 167772161},
		map[string]any{"hosts": []int{7, 3232235777}},
	} {
		if f, found := check(t, g, args); !found || f.Reason != ReasonPrivate {
			t.Errorf("%v: %v %+v", args, found, f)
		}
	}
}

func TestGuardLetsPass(t *testing.T) {
	g := &Guard{}
	for _, s := range []string{
		"https://example.com/", "https://example.com:8443/a?b=c#d", "http://8.8.8.8/", "http://1.1.1.1:53", "http://8.8/",
		"http://134744072/", "http://[2606:4700:4700::1111]/", "http://[64:ff9b::8.8.8.8]/", "http://[2002:808:808::1]/", "http://[::ffff:8.8.8.8]/",
		"http://172.15.0.1/", "http://172.32.0.1/", "http://100.63.0.1/", "http://100.128.0.1/", "http://192.167.0.1/", "http://11.0.0.1/",
		"http://126.0.0.1/", "http://128.0.0.1/", "http://169.253.0.1/", "http://198.20.0.1/", "http://223.255.255.255/",
		"https://user:pass@example.com/", "https://local.example.com/", "https://localhost.example.com/", "https://internal.example.com/",
		"https://example.com/?next=/127.0.0.1", "https://example.com/10.0.0.1", "https://maps.example.com/?ll=48.1,10.5", "https://example.com/a;10.1|b",
		"https://exämple.com/", "https://例え.jp/", "mailto:a@example.com", "data:text/plain,127.0.0.1", "s3://bucket/key", "ui://widget/10", "note://metadata/x",
		"example.com", "example.com:443/x", "sub.example.co.uk", "8.8.8.8", "8.8.8.8/32", "/relative/path", "./x", "", " ", "?q=1", "#top",
		"urn:isbn:0451450523", "https://", "http:", "http://@", "http://:80/", "http://[/", "http://[]/", "http://%zz/", "localhosting.com", "mylocalhost",
	} {
		if f, found := check(t, g, map[string]any{"url": s}); found {
			t.Errorf("url %q: refused (%+v)", s, f)
		}
	}
	// Prose, file names and versions in arguments that hold no target.
	for _, s := range []string{
		"file.txt", "1.2.3", "v1.2.3.4", "10.0.0.1", "127.0.0.1", "localhost", "the server at 10.0.0.1 is down", "db.internal", "2130706433", "0",
		"see http://127.0.0.1/ for more", "file: see the attachment", "http: the protocol", "note: localhost is fine", "a/b/c", "C:\\Users\\x", "x@y.local",
		"12:30:00", "::", "key:value", "{not json", "[1, 2, 3]", `{"version": "10.0.0.1"}`,
	} {
		for _, name := range []string{"text", "query", "version", "file_name", "email_address", "server_version", "hosted", "curly", "id"} {
			if f, found := check(t, g, map[string]any{name: s}); found {
				t.Errorf("%s %q: refused (%+v)", name, s, f)
			}
		}
	}
	// Arguments whose name only hints at a target.
	for _, s := range []string{"production", "1.2.3", "10.2", "5", "main street 12", "metadata", "all metadata tables", "de", "2130706433"} {
		for _, name := range []string{"target", "server", "source", "address"} {
			if f, found := check(t, g, map[string]any{name: s}); found {
				t.Errorf("%s %q: refused (%+v)", name, s, f)
			}
		}
	}
	for _, args := range []string{"", "null", "{}", "[]", "7", `"x"`, `{"url":null}`, `{"url":true}`, `{"url":7}`, `{"url":{"name":"10.0.0.1"}}`,
		`{"webhook":0,"host":10.5,"ip":-1,"endpoint":1e9,"url":134744072,"hosts":[0,7]}`} {
		if f, found := g.Check(context.Background(), []byte(args)); found {
			t.Errorf("%s: refused (%+v)", args, f)
		}
	}
	if _, found := (*Guard)(nil).Check(context.Background(), []byte(`{"url":"http://127.0.0.1"}`)); found {
		t.Error("no guard refuses")
	}
}

func TestGuardArgumentNames(t *testing.T) {
	for name, want := range map[string]certainty{
		"url": surelyHost, "URL": surelyHost, "urls": surelyHost, "image_url": surelyHost, "imageUrl": surelyHost, "imageURL": surelyHost, "imageURLs": surelyHost,
		"webhook-url": surelyHost, "baseurl": surelyHost, "uri": surelyHost, "host": surelyHost, "hosts": surelyHost, "hostname": surelyHost, "host_name": surelyHost,
		"HostName": surelyHost, "ip": surelyHost, "ips": surelyHost, "ip_address": maybeHost, "ipAddress": maybeHost, "ipaddress": surelyHost, "endpoint": surelyHost,
		"apiEndpoint": surelyHost, "callback": surelyHost, "webhook": surelyHost, "href": surelyHost, "url_list": surelyHost, "cidr": surelyHost,
		"server": maybeHost, "servers": maybeHost, "serverName": maybeHost, "domain": maybeHost, "domain_name": maybeHost, "target": maybeHost, "address": maybeHost,
		"addresses": maybeHost, "proxy": maybeHost, "proxies": maybeHost, "link": maybeHost, "destination": maybeHost,
		"": notNamed, "name": notNamed, "text": notNamed, "server_version": notNamed, "server_id": notNamed, "email_address": notNamed, "billingAddress": notNamed,
		"url_count": notNamed, "hostility": notNamed, "shipping": notNamed, "description": notNamed, "list": notNamed, "curlew": notNamed,
		strings.Repeat("url", 100): notNamed,
	} {
		if got := suggests(name); got != want {
			t.Errorf("%q: %d, want %d", name, got, want)
		}
	}
}

func argumentPatterns(t testing.TB, texts ...string) (out []ArgumentPattern) {
	t.Helper()
	for _, s := range texts {
		a, err := ParseArgument(s)
		if err != nil {
			t.Fatal(err)
		}
		if a.String() != s {
			t.Errorf("String() = %q", a.String())
		}
		out = append(out, a)
	}
	return out
}

func TestGuardNamedArguments(t *testing.T) {
	for _, c := range []struct {
		patterns []string
		args     string
		path     string // of the finding; "" for none
	}{
		{[]string{"where"}, `{"where":"10.0.0.1"}`, "where"},
		{[]string{"where"}, `{"url":"http://10.0.0.1"}`, ""},
		{[]string{"where"}, `{"a":{"where":["8.8.8.8","10.1"]}}`, "a.where[1]"},
		{[]string{"where"}, `{"where":{"x":{"y":"10.0.0.1"}}}`, "where.x.y"},
		{[]string{"where"}, `{"where":2130706433}`, "where"},
		{[]string{"*_at"}, `{"look_at":"localhost"}`, "look_at"},
		{[]string{"/a/b"}, `{"a":{"b":"10.0.0.1"}}`, "a.b"},
		{[]string{"/a/b"}, `{"b":"10.0.0.1","x":{"a":{"b":"10.0.0.1"}}}`, ""},
		{[]string{"/items/*/at"}, `{"items":[{"at":"8.8.8.8"},{"at":"10.0.0.1"}]}`, "items[1].at"},
		{[]string{"/items/0/at"}, `{"items":[{"at":"10.0.0.1"}]}`, "items[0].at"},
		{[]string{"/items/0/at"}, `{"items":[{"at":"8.8.8.8"},{"at":"10.0.0.1"}]}`, ""},
		{[]string{"/a~1b/c~0d"}, `{"a/b":{"c~d":"10.0.0.1"}}`, "a/b.c~d"},
		{[]string{"x", "y"}, `{"y":"10.0.0.1"}`, "y"},
		{[]string{"/*"}, `{"q":"10.0.0.1"}`, "q"},
	} {
		g := &Guard{Arguments: argumentPatterns(t, c.patterns...)}
		f, found := g.Check(context.Background(), []byte(c.args))
		if found != (c.path != "") || f.Path != c.path {
			t.Errorf("%v on %s: %v %+v, want %q", c.patterns, c.args, found, f, c.path)
		}
	}
	for text, want := range map[string]string{
		"": "empty", "/": "empty", "/a//b": "empty tool pattern", "a[": "not closed", strings.Repeat("/x", 17): "at most 16",
	} {
		if _, err := ParseArgument(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", text, err, want)
		}
	}
}

func TestGuardAllow(t *testing.T) {
	g := &Guard{Allow: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("fd00:1::/32"), netip.MustParsePrefix("127.0.0.1/32")}}
	for s, refused := range map[string]bool{
		"http://10.1.2.3/": false, "http://[::ffff:10.1.2.3]/": false, "http://[64:ff9b::10.1.2.3]/": false, "http://[fd00:1::5]/": false, "http://localhost/": false,
		"http://127.0.0.1/": false, "http://0x0a010203/": false,
		"http://10.2.0.1/": true, "http://[::ffff:10.2.0.1]/": true, "http://[fd00:2::5]/": true, "http://127.0.0.2/": true, "http://db.internal/": true,
		"http://169.254.169.254/": true, "http://10.1.2.3@10.2.0.1/": true,
	} {
		if f, found := check(t, g, map[string]any{"url": s}); found != refused {
			t.Errorf("%s: refused %v (%+v), want %v", s, found, f, refused)
		}
	}
}

func TestGuardBounds(t *testing.T) {
	g := &Guard{}
	deep := strings.Repeat(`{"a":`, 100) + `"http://10.0.0.1"` + strings.Repeat("}", 100)
	if f, found := g.Check(context.Background(), []byte(deep)); !found || f.Reason != ReasonTooDeep {
		t.Errorf("deep: %v %+v", found, f)
	}
	if f, found := g.Check(context.Background(), []byte(`{"a":`)); !found || f.Reason != ReasonUnread {
		t.Errorf("broken: %v %+v", found, f)
	}
	long := strings.Repeat("x", 1000)
	if f, found := check(t, g, map[string]any{long: map[string]any{"url": "http://10.0.0.1"}}); !found || len(f.Path) > 256 {
		t.Errorf("%v, path of %d bytes", found, len(f.Path))
	}
	// The target behind much else is still seen.
	words := strings.Repeat("8.8.8.8 ", 20_000)
	if _, found := check(t, g, map[string]any{"hosts": words + "10.0.0.1"}); !found {
		t.Error("the last of many was not seen")
	}
}

func FuzzGuard(f *testing.F) {
	for _, c := range refusedURLs {
		f.Add(c.form)
	}
	g := &Guard{}
	f.Fuzz(func(t *testing.T, s string) {
		b, err := json.Marshal(map[string]string{"url": s, "x": s, "target": s})
		if err != nil {
			t.Fatal(err)
		}
		g.Check(context.Background(), b)
	})
}

func BenchmarkGuard(b *testing.B) {
	g := &Guard{}
	args, _ := json.Marshal(map[string]any{"url": "https://example.com/a/b?c=d", "query": "what is the weather in Berlin", "limit": 10, "tags": []string{"a", "b"}})
	b.ReportAllocs()
	for b.Loop() {
		if _, found := g.Check(context.Background(), args); found {
			b.Fatal("refused")
		}
	}
}

func BenchmarkGuardHostile(b *testing.B) {
	g := &Guard{}
	for name, unit := range map[string]string{"unicode": "é.。 ", "at": "http://a@b ", "comma": "a,", "numbers": "0x1.1.1.8 "} {
		args, _ := json.Marshal(map[string]any{"url": strings.Repeat(unit, (256<<10)/len(unit))})
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				g.Check(context.Background(), args)
			}
		})
	}
}
