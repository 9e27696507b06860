package sanitize

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// format is a realistic error text with one secret in it.
type format struct{ name, raw, secret string }

// ordinary are the texts that programs write.
func ordinary(f *fakes) []format {
	block, body := f.pem("RSA")
	var out []format
	add := func(name, head, secret, tail string) { out = append(out, format{name, head + secret + tail, secret}) }
	add("aws id", "The AWS Access Key Id AKIA", f.upper(16), " you provided does not exist in our records")
	add("aws secret bare", "SignatureDoesNotMatch for ", f.tok(40), " at us-east-1")
	add("aws secret env", "AWS_SECRET_ACCESS_KEY=", f.tok(40), " is wrong")
	add("aws session", "x-amz-security-token: ", f.b64(60), "")
	add("github classic", "remote: Invalid token ghp_", f.tok(36), ".")
	add("github fine", "Bad credentials for github_pat_", f.tok(22)+"_"+f.tok(59), "")
	add("github app", "git clone failed: ghs_", f.tok(36), " expired")
	add("gitlab", "PRIVATE-TOKEN: glpat-", f.tok(20), "")
	add("slack bot", "slack: invalid_auth (xoxb-", f.digits(12)+"-"+f.tok(24), ")")
	add("slack hook", "POST https://hooks.slack.com/services/T0"+f.upper(8)+"/B0"+f.upper(8)+"/", f.tok(24), " returned 404")
	add("stripe", "Invalid API Key provided: sk_live_", f.tok(24), "")
	add("stripe test", "No such customer; key sk_test_", f.tok(24), " is in test mode")
	add("stripe hook", "webhook whsec_", f.tok(32), " did not match")
	add("openai", "Incorrect API key provided: sk-", f.tok(48), ". You can find your API key at the account page.")
	add("openai project", "Incorrect API key provided: sk-proj-", f.tok(48), ".")
	add("anthropic", "x-api-key sk-ant-api03-", f.tok(40), " is invalid")
	add("google key", "API key not valid: AIza", f.tok(35), "")
	add("google oauth", "Request had invalid credential ya29.", f.tok(60), "")
	add("google secret", "invalid_client GOCSPX-", f.tok(28), "")
	add("jwt", "jwt malformed: ", f.jwt(), "")
	add("npm", "npm ERR! 401 with npm_", f.tok(36), "")
	add("pypi", "403 from index using pypi-", f.tok(60), "")
	add("hugging face", "Repository not found for hf_", f.tok(34), "")
	add("sendgrid", "sendgrid: SG.", f.tok(22)+"."+f.tok(43), " lacks scope")
	add("twilio token", "Twilio auth_token ", f.hex(32), " rejected")
	add("telegram", "https://api.telegram.org/bot", f.digits(9)+":"+f.tok(35), "/getMe failed")
	add("telegram bare", "telegram token ", f.digits(9)+":AA"+f.tok(33), " unauthorized")
	add("digital ocean", "dop_v1_", f.hex(64), " unauthorized")
	add("vault", "permission denied for hvs.", f.tok(24), "")
	add("notion", "API token ntn_", f.tok(40), " is invalid")
	add("linear", "lin_api_", f.tok(40), " rejected")
	add("groq", "Invalid key gsk_", f.tok(48), "")
	add("supabase", "sbp_", f.hex(40), " is not valid")
	add("grafana", "glsa_", f.tok(32)+"_"+f.hex(8), " revoked")
	add("docker", "denied: dckr_pat_", f.tok(27), "")
	add("shopify", "shpat_", f.hex(32), " has no access")
	add("atlassian", "ATATT3x", f.tok(60), " expired")
	add("postgres url", "could not connect to postgresql://app:", f.pass(), "@db-1:5432/main")
	add("mysql dsn", "Error 1045: root:", f.pass(), "@tcp(10.0.0.5:3306)/app denied")
	add("mongo srv", "MongoServerSelectionError: mongodb+srv://svc:", f.pass(), "@c0.abcde.mongodb.net/app")
	add("redis url", "connect redis://:", f.pass(), "@cache-2:6379/1 refused")
	add("amqp", "ACCESS_REFUSED amqp://guest:", f.pass(), "@mq:5672/")
	add("basic url", "clone https://bob:", f.pass(), "@git.example.com/x.git failed")
	add("jdbc", "No suitable driver for jdbc:postgresql://db:5432/x?user=a&password=", f.pass(), "")
	add("sqlserver", "jdbc:sqlserver://db:1433;user=sa;password=", f.pass(), ";encrypt=true")
	add("ado", "Login failed: Server=db;Database=x;User Id=sa;Password=", f.pass(), ";Encrypt=True")
	add("oracle", "ORA-01017: logon denied for scott/", f.pass(), "@orcl")
	add("libpq", "connection failed: host=db user=app password=", f.pass(), " dbname=x")
	add("odbc", "DRIVER={ODBC};SERVER=db;UID=sa;PWD=", f.pass(), ";")
	add("bearer", "Authorization: Bearer ", f.tok(40), "")
	add("bearer loose", "401 for Bearer ", f.tok(40), " at /v1")
	add("basic", "Authorization: Basic ", b64of("bob:"+f.pass()), "")
	add("curl", "curl -H \"Authorization: Bearer ", f.tok(32), "\" failed with 22")
	add("cookie", "Cookie: sid=", f.tok(20), "; theme=dark")
	add("set-cookie", "Set-Cookie: session=", f.tok(26), "; Path=/; HttpOnly")
	add("connect sid", "connect.sid=s%3A", f.tok(32), " is not signed")
	add("query", "GET /v1/items?access_token=", f.tok(20), "&page=2 failed")
	add("query sig", "blob?sv=2022&sig=", percentEncoded(f.b64(32)), "&se=2026 forbidden")
	add("json", "{\"user\":\"bob\",\"password\":\"", f.pass(), "\"}")
	add("json escaped", "{\\\"password\\\":\\\"", f.pass(), "\\\"}")
	add("json api key", "{\"api_key\": \"", f.tok(16), "\", \"n\": 1}")
	add("python dict", "{'token': '", f.tok(12), "', 'n': 1}")
	add("yaml", "config:\n  db_password: ", f.pass(), "\n  port: 5432")
	add("ini", "secret = ", f.tok(12), "\n")
	add("ruby hash", "{:password=>\"", f.pass(), "\"}")
	add("xml", "<password>", f.pass(), "</password>")
	add("xml attr", "<user name=\"a\" password=\"", f.pass(), "\"/>")
	add("cli", "command failed: deploy --password ", f.pass(), " --env prod")
	add("cli eq", "command failed: deploy --token=", f.tok(12), " --env prod")
	add("mysql -p", "mysql -u root -p", f.pass(), " -h db failed")
	add("netrc", "machine x login bob password ", f.pass(), "")
	out = append(out, format{"pem", "cannot parse " + block, body})
	return out
}

// further are formats that were thought of after the masker was written.
func further(f *fakes) []format {
	_, body := f.pem("EC")
	var out []format
	add := func(name, head, secret, tail string) { out = append(out, format{name, head + secret + tail, secret}) }
	add("prose is", "the password is ", f.tok(10), ", please check")
	add("prose was", "Login failed, secret was ", f.tok(14), ".")
	add("passphrase", "passphrase: ", f.words(), "")
	add("password words", "password: ", f.words(), "")
	add("seed", "seed_phrase=", f.words(), "")
	add("otp", "otp: ", f.digits(6), " does not match")
	add("pin", "\"pin\": \"", f.digits(4), "\"")
	add("pem truncated", "bad key -----BEGIN EC PRIVATE KEY-----\n", body, "")
	add("pem escaped", "\"private_key\": \"-----BEGIN PRIVATE KEY-----\\n", body, "\\n-----END PRIVATE KEY-----\\n\"")
	add("hex secret", "signature mismatch, computed ", f.hex(64), "")
	add("base64 secret", "decrypt failed for ", f.b64(32), "")
	add("arrow", "token -> ", f.tok(16), "")
	add("colon eq", "apiKey := \"", f.tok(16), "\"")
	add("env line", "export DB_PASS=", f.pass(), "")
	add("header list", "[('x-api-key', '", f.tok(20), "')]")
	add("go struct", "Config{Host:db Password:", f.pass(), " Port:5432}")
	add("java map", "{user=bob, password=", f.pass(), ", port=1}")
	add("url fragment", "https://app.example.com/cb#access_token=", f.tok(30), "&x=1")
	add("azure key", "AccountKey=", f.b64(64), ";EndpointSuffix=core.windows.net")
	add("sas", "?sv=2020-08-04&ss=b&sig=", f.tok(43), "%3D")
	add("digest", "Authorization: Digest username=\"a\", response=\"", f.hex(32), "\"")
	add("proxy", "Proxy-Authorization: Basic ", b64of("u:"+f.pass()), "")
	add("smtp", "smtp://mailer:", f.pass(), "@mail.example.com:587")
	add("ftp", "ftp://u:", f.pass(), "@h/x")
	add("ssh pass", "sshpass -p ", f.pass(), " ssh root@h")
	add("redis-cli", "redis-cli -a ", f.pass(), " ping")
	add("wif", "key ", f.from("23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz", 50)+"7", " is invalid")
	add("form", "user=bob&client_secret=", f.tok(18), "&grant_type=x")
	add("toml", "auth_token = '", f.tok(18), "'")
	add("Russian", "пароль: ", f.from(lowers, 6)+f.digits(3), " неверен")
	add("Chinese", "密码：", f.from(lowers, 6)+f.digits(3), "")
	add("Chinese without a sign", "密码为", f.from(lowers, 6)+f.digits(3), "，请检查")
	add("Japanese", "パスワード: ", f.from(lowers, 6)+f.digits(3), "")
	add("Korean", "비밀번호: ", f.from(lowers, 6)+f.digits(3), "")
	add("Spanish", "contraseña: ", f.from(lowers, 6)+f.digits(3), "")
	add("French", "mot de passe : ", f.from(lowers, 6)+f.digits(3), "")
	add("plist", "<key>password</key><string>", f.from(lowers, 6)+f.digits(3), "</string>")
	add("name and value", "- name: DB_PASSWORD\n  value: ", f.from(lowers, 6)+f.digits(3), "")
	add("name and value in JSON", "{\"name\":\"password\",\"value\":\"", f.pass(), "\"}")
	add("identified by", "CREATE USER bob IDENTIFIED BY '", f.pass(), "'")
	add("redis auth", "AUTH ", f.tok(18), " failed")
	add("verification code", "your verification code is ", f.digits(6), "")
	add("reset link", "https://x.example/reset/", f.tok(18), "")
	add("angle brackets", "token <", f.tok(18), "> invalid")
	add("leet", "passw0rd=", f.from(lowers, 6)+f.digits(3), "")
	add("plain smtp", "AUTH PLAIN ", b64of("\x00bob\x00"+f.tok(9)), " rejected")
	add("presigned", "https://b.example/k?X-Amz-Signature=", f.hex(64), "&x=1")
	add("symbols", "Password=a&b#", f.tok(10), ";Encrypt=1")
	return out
}

func percentEncoded(s string) string {
	return strings.NewReplacer("+", "%2B", "/", "%2F", "=", "%3D").Replace(s)
}

func TestFormats(t *testing.T) {
	if n, m := len(ordinary(newFakes(1))), len(further(newFakes(1))); n < 72 || m < 30 {
		t.Fatalf("%d and %d formats, want 72 and 30", n, m)
	}
	for seed := int64(1); seed <= 20; seed++ {
		f := newFakes(seed)
		for _, c := range append(ordinary(f), further(f)...) {
			clean := Clean(c.raw)
			out, hits := Mask(clean)
			if p := crossed(out, c.secret); p != "" {
				t.Errorf("%s, seed %d: %q left in %q of %q", c.name, seed, p, out, c.raw)
			}
			if len(hits) == 0 {
				t.Errorf("%s, seed %d: no rule hit", c.name, seed)
			}
			stable(t, out)
			if p := crossed(MaskLog(c.raw, 10, nil), c.secret); p != "" {
				t.Errorf("%s, seed %d: %q left in the log %q", c.name, seed, p, MaskLog(c.raw, 10, nil))
			}
			if Guard(clean, nil) {
				t.Errorf("%s, seed %d: Guard passes %q", c.name, seed, clean)
			}
			if v, ok := Value(c.secret); ok && len(c.secret) >= 10 && !strings.Contains(c.secret, " ") {
				t.Errorf("%s, seed %d: Value accepts %q", c.name, seed, v)
			}
		}
		if t.Failed() {
			return
		}
	}
}

func stable(t *testing.T, out string) {
	t.Helper()
	if again, h := Mask(out); again != out || h != nil {
		t.Errorf("Mask(%q) = %q, %v: not stable", out, again, h)
	}
	if !utf8.ValidString(out) {
		t.Errorf("%q is not valid UTF-8", out)
	}
}
