package attacktest

import (
	"encoding/base64"
	"fmt"
	"html"
	"net/url"
	"strings"
)

// dumps are what programs write when they fail: files of configuration, requests,
// traces of many languages and clients of services, with what was in them.
func dumps(f *Fakes) []text {
	var list []text
	// %s stands for the secret, which is in no piece to cross; nor are the others.
	add := func(secret, format string, cross ...string) {
		list = append(list, text{item: 36, name: "output of a program: " + strings.SplitN(format, "\n", 2)[0], raw: strings.ReplaceAll(format, "%s", secret), secrets: []string{secret}, cross: cross})
	}
	add(f.Token(40), "Connection refused\n[database]\nhost = db-prod-3\nuser = billing_rw\npass = %s\n", "billing_rw", "db-prod-3")
	add(f.Password(), "failed to start: invalid value\n  postgres:\n    username: svc_ledger\n    password: %s\n    sslmode: require", "svc_ledger")
	add(f.Password(), "Unable to connect: timeout\nDB_HOST=10.8.4.2\nDB_PASS=%s\nHOME=/home/ingest\nPATH=/usr/bin", "10.8.4.2", "/home/ingest")
	add(f.Token(43), "request failed with status 401: curl -sS -X POST 'https://hooks.acme-int.net/v2/run' -H 'X-Api-Key: %s' -d '{}'", "acme-int")
	add(f.Token(20), "fatal: unable to access 'https://ci-robot:%s@git.acme-int.net/core/ledger.git/': The requested URL returned error: 403", "ci-robot", "acme-int")
	add(f.Token(64), "Error from server: Unauthorized\napiVersion: v1\nclusters:\n- cluster:\n    server: https://10.96.0.1:6443\nusers:\n- name: kube-ops\n  user:\n    token: %s\n", "10.96.0.1", "kube-ops")
	add(f.base64(30), "+------------------+------------------------------------------+\n| AccessKeyId      | "+"AK"+"IA"+f.upper(16)+" |\n| SecretAccessKey  | %s |\n+------------------+------------------------------------------+\nAccess denied")
	add(f.Password(), "** (DBConnection.ConnectionError) tcp connect (pg-3.acme-int.net:5432): non-existing domain - :nxdomain\n    (db_connection 2.6.0) lib/db_connection/connection.ex:104: DBConnection.Connection.connect/2\n    opts: [username: \"ledger_rw\", password: \"%s\", database: \"ledger\"]", "ledger_rw", "acme-int", "connection.ex")
	add(f.Token(24), "Exception in thread \"main\" scala.MatchError: Credentials(svc_orders,%s) (of class com.acme.Credentials)\n\tat com.acme.Auth$.check(Auth.scala:41)\n\tat com.acme.Main.main(Main.scala:12)", "svc_orders", "Auth.scala", "com.acme")
	add(f.Token(22), "mcp-hs: HttpExceptionRequest Request {\n  host = \"vault.acme-int.net\"\n  port = 8200\n  requestHeaders = [(\"X-Vault-Token\",\"%s\")]\n}\n (ConnectionFailure Network.Socket.connect: <socket: 12>: does not exist (Connection refused))", "acme-int")
	add(f.Password(), "Fatal error: exception Failure(\"login failed for ops_admin with passwd %s\")\nRaised at Stdlib.failwith in file \"stdlib.ml\", line 29, characters 17-33\nCalled from Db.connect in file \"lib/db.ml\", line 18", "ops_admin", "lib/db.ml")
	add(f.Password(), "DBI connect('dbname=ledger;host=10.4.4.9','ops_admin',...) failed: FATAL: password authentication failed for user \"ops_admin\" at /opt/mcp/lib/Store.pm line 88.\n\tStore::open('Store', '%s') called at /opt/mcp/bin/tool.pl line 14", "ops_admin", "10.4.4.9", "/opt/mcp", "Store.pm")
	add(f.Token(32), "Error in curl::curl_fetch_memory(url, handle = handle) :\n  Could not resolve host: api.acme-int.net\nCalls: run -> GET -> request_perform\nheaders: list(Authorization = \"token %s\")", "acme-int")
	add(f.Password(), "lua entry thread aborted: runtime error: /usr/local/share/lua/tool.lua:77: bad password: %s\nstack traceback:\n\t[C]: in function 'error'\n\t/usr/local/share/lua/tool.lua:77: in function 'login'", "tool.lua")
	add(f.Token(36), "Unhandled exception:\nDioException [bad response]: 401\n#0      ApiClient.post (package:acme_ledger/api.dart:112:7)\n<asynchronous suspension>\nheaders: {authorization: %s}", "api.dart", "acme_ledger")
	add(f.Token(30), "ERROR: HTTP.ExceptionRequest.StatusError(403, \"GET\", \"/v1/x?sig=%s\", HTTP.Messages.Response)\nStacktrace:\n [1] error(s::String)\n   @ Base ./error.jl:35\n [2] fetch_ledger(id::Int64)\n   @ Main /srv/jl/ledger.jl:20", "/srv/jl", "ledger.jl")
	add(f.Password(), "=CRASH REPORT==== 20-Nov-2026::08:11:02 ===\n  crasher:\n    initial call: ledger_srv:init/1\n    exception exit: {badmatch,{error,{auth_failed,<<\"svc_ledger\">>,<<\"%s\">>}}}\n      in function  ledger_srv:connect/1 (src/ledger_srv.erl, line 44)", "svc_ledger", "ledger_srv.erl")
	add(f.Token(26), "thread 4123 panic: unauthorized\n/home/build/mcp/src/main.zig:55:13: 0x10e7a3 in connect (mcp)\n            return error.Unauthorized; // key=%s\n            ^", "/home/build", "main.zig", "0x10e7a3")
	add(f.Token(28), "TypeError: client.chat is not a function\n  11 | const client = new Client({\n> 12 |   key: \"%s\",\n     |   ^\n  13 | });")
	add(f.Token(44), `[{"Id":"`+f.hex(64)+`","Config":{"Env":["TZ=UTC","BILLING_KEY=%s"],"Hostname":"web-7f9c"}}] No such container`, "web-7f9c")
	add(f.Password(), "[client]\nuser='root'\npassword=\"%s\"\nERROR 1045 (28000): Access denied for user 'root'@'172.18.0.3' (using password: YES)", "172.18.0.3")
	add(f.Token(40), "toml: line 3: expected value\n[registry]\ntoken = \"%s\"\n")
	add(f.Token(32), "kubectl: error: You must be logged in to the server (Unauthorized) --token=%s --server=https://k8s-prod.acme-int.net:6443", "acme-int")
	add(f.hex(64), "Transaction failed: nonce too low for 0x"+f.hex(40)+" signed with private key 0x%s")
	add(f.base64(64), "AuthenticationFailed: DefaultEndpointsProtocol=https;AccountName=acmeprod;AccountKey=%s;EndpointSuffix=core.windows.net", "acmeprod")
	add(f.Token(40), "Cookie: _session_id=%s; csrftoken="+f.Token(40)+"; 419 Page Expired")
	add(f.Password(), "ldap: bind failed for uid=annlee,ou=staff,dc=acme,dc=int using %s: invalidCredentials (49)", "annlee", "dc=acme")
	add(base64.StdEncoding.EncodeToString([]byte("\x00ops_admin\x00"+f.Password())), "smtp: 535 5.7.8 Authentication failed: AUTH PLAIN %s")
	add(f.Password(), "sqlcmd -S tcp:sql1.acme-int.net,1433 -U sa -P %s : Login timeout expired", "acme-int")
	add(f.Password(), "mysqldump: Got error: 1045 when running `mysqldump -h 10.7.7.7 -uroot -p%s ledger`", "10.7.7.7")
	add(f.Password(), "Invalid value for field 'secret': '%s' is too short (minimum 24 characters)")
	add(strings.ToLower(f.Token(16)), "value '%s' for parameter api_key does not match pattern ^[a-f0-9]{32}$")
	for _, v := range []struct{ prefix, format string }{
		{"xo" + "xe.xo" + "xp-1-", "slack refresh failed: token_expired for %s"}, {"gh" + "s_", "Bad credentials: %s"}, {"sk-" + "ant-" + "api03-", "authentication_error: invalid x-api-key %s"},
		{"pa" + "t", "AUTHENTICATION_REQUIRED for %s"}, {"r8" + "_", "replicate: unauthenticated, token %s unknown"}, {"fo" + "1_", "unauthorized: FlyV1 %s"}, {"da" + "pi", "databricks: 403 Invalid access token %s"},
		{"fi" + "gd_", "Figma API 403 with %s: Invalid token"}, {"pscale_" + "tkn_", "planetscale: %s is not authorized"}, {"ey" + "J", "session %s expired"},
	} {
		add(v.prefix+f.Token(40), v.format)
	}
	// Encoded.
	secret := f.Token(32)
	list = append(list, text{item: 10, name: "percent-encoded form", raw: url.QueryEscape("error=access denied for key&client_secret=" + secret + "&user=ops_admin"), secrets: []string{secret}})
	secret = f.Token(24)
	escaped := strings.ReplaceAll(html.EscapeString(fmt.Sprintf("Login failed for \"ops_admin\" with password \"%s\"", secret)), "a", "&#97;")
	list = append(list, text{item: 12, name: "entities in a login", raw: escaped, secrets: []string{secret}})
	head := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"RS256","kid":"k1"}`))
	body := base64.RawURLEncoding.EncodeToString([]byte(`{"sub":"` + f.Token(10) + `","email":"ann.lee@acme-int.net"}`))
	list = append(list, text{item: 11, name: "parts of a token", raw: "invalid token: header " + head + " payload " + body + " is expired", cross: []string{head, body}})
	return list
}
