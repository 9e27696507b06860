package sanitize

import "strings"

// hostSuffixes end the names of hosts that only their owner should know, besides
// the domains of inner networks in innerHost.
var hostSuffixes = []string{
	".home.arpa", ".amazonaws.com", ".windows.net", ".mongodb.net", ".azure.com", ".rds.aliyuncs.com", ".neon.tech", ".supabase.co",
	".cloud.es.io", ".psdb.cloud", ".cockroachlabs.cloud", ".aivencloud.com", ".upstash.io", ".redislabs.com",
	".redns.redis-cloud.com", ".snowflakecomputing.com", ".run.app",
}

// servicePorts are ports that give away a service of the inner network.
func servicePort(p string) bool {
	switch p {
	case "5432", "6432", "6379", "3306", "27017", "9200", "9300", "8080", "8443", "8000", "3000", "5000", "5672", "15672", "9092", "2181", "11211", "2379", "1433", "1521", "8086", "8500", "8200", "9042", "50051", "26257", "4222", "8888", "9000", "9090", "7474", "7687", "5601", "6333", "19530", "9876", "2375", "2376", "10250", "6443", "8529", "1883", "389", "636", "5055", "3128":
		return true
	}
	return false
}

// innerHost reports a name under one of hostSuffixes.
func innerHost(name string) bool {
	var arr [16]byte
	last := name[strings.LastIndexByte(name, '.')+1:]
	if len(last) > 12 {
		return false
	}
	switch string(fold(arr[:0], last)) {
	case "internal", "corp", "lan", "local", "localdomain", "svc", "intranet", "private", "consul", "cluster", "home", "ec2", "test", "invalid":
		return true
	case "com", "net", "co", "tech", "io", "app", "cloud", "arpa":
		for _, suf := range hostSuffixes {
			if len(name) > len(suf) && strings.EqualFold(name[len(name)-len(suf):], suf) {
				return true
			}
		}
	}
	return strings.Contains(name, ".svc.")
}

// measure reports words behind which a number is a number, not a port.
func measure(w string) bool {
	switch strings.ToLower(w) {
	case "port", "line", "column", "col", "value", "limit", "max", "min", "maximum", "minimum", "status", "code", "size", "timeout", "length", "count",
		"position", "offset", "number", "error", "row", "rows", "index", "bytes", "ms", "total", "pid", "errno", "duration", "elapsed", "tokens", "items", "age", "id", "ttl", "width", "height", "limits", "received", "got", "expected":
		return true
	}
	return false
}

// hostToken recognises names of hosts in the chunk s[i:j].
func (m *masker) hostToken(i, j int) int {
	s := m.s
	e := i
	for e < j && (isAlnum(s[e]) || s[e] == '-' || s[e] == '.' || s[e] == '_') {
		e++
	}
	name := strings.TrimRight(s[i:e], ".")
	e = i + len(name)
	if len(name) < 3 {
		return i
	}
	port := ""
	end := e
	if e+1 < j && s[e] == ':' && isDigit(s[e+1]) {
		k := e + 1
		for k < j && isDigit(s[k]) {
			k++
		}
		if k-e-1 <= 5 && (k == j || !isAlnum(s[k])) {
			port, end = s[e+1:k], k
		}
	}
	if strings.EqualFold(name, "localhost") || strings.EqualFold(name, "host.docker.internal") {
		return m.put(i, end, mHost, rHost)
	}
	if strings.IndexByte(name, '.') > 0 && isAlpha(name[len(name)-1]) {
		if innerHost(name) {
			return m.put(i, end, mHost, rHost)
		}
		if port != "" {
			return m.put(i, end, mHost, rHost)
		}
	}
	if strings.HasPrefix(name, "ip-") && strings.Count(name, "-") >= 4 || podName(name) {
		return m.put(i, end, mHost, rHost)
	}
	if port != "" && len(port) >= 3 && isAlpha(name[0]) && (servicePort(port) && !measure(name) || len(port) >= 4 && strings.IndexByte(name, '-') > 0) {
		return m.put(i, end, mHost, rHost)
	}
	return i
}

// podName recognises name-<hash>-<5> and name-<hash of 8 to 10>.
func podName(w string) bool {
	k := strings.LastIndexByte(w, '-')
	if k <= 0 || len(w)-k-1 != 5 || !lowerAlnum(w[k+1:]) {
		return false
	}
	h := strings.LastIndexByte(w[:k], '-')
	if h <= 0 {
		return false
	}
	hash := w[h+1 : k]
	return len(hash) >= 4 && len(hash) <= 10 && lowerAlnum(hash) && (hasDigit(hash) || hasDigit(w[k+1:])) && isLower(w[0]) && !(allDigits(hash) || allDigits(w[k+1:]))
}

func lowerAlnum(w string) bool {
	for i := 0; i < len(w); i++ {
		if !isLower(w[i]) && !isDigit(w[i]) {
			return false
		}
	}
	return w != ""
}
