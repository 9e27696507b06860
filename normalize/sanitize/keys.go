package sanitize

import "strings"

// keyParts make a name sensitive wherever they stand in it, compared in lower
// case without separators.
var keyParts = []string{
	"password", "passwd", "passphrase", "passcode", "secret", "token", "apikey", "accesskey", "authkey", "appkey",
	"accountkey", "sharedkey", "privatekey", "encryptionkey", "signingkey", "masterkey", "licensekey", "subscriptionkey",
	"credential", "signature", "authorization", "cookie", "connectsid", "csrf", "xsrf", "mnemonic", "connectionstring",
	"sessionid", "sessionkey", "phpsessid", "jsessionid", "clientassertion", "codeverifier", "refreshtoken",
	"passwort", "kennwort", "wachtwoord", "motdepasse", "senha", "webhookurl",
}

// keyWords make a name sensitive when they are one of its words.
var keyWords = map[string]bool{
	"pwd": true, "pass": true, "pw": true, "passwd": true, "sig": true, "sas": true, "dsn": true, "jwt": true, "otp": true,
	"totp": true, "auth": true, "session": true, "sid": true, "bearer": true, "pin": true, "cvv": true, "cvc": true,
	"ssn": true, "seed": true, "hmac": true, "salt": true, "nonce": true, "psk": true, "apikey": true, "creds": true, "cred": true,
	"userpass": true, "passe": true, "dbpass": true,
}

// keyWordStart are the first letters of keyWords.
var keyWordStart = func() (t [256]bool) {
	for w := range keyWords {
		t[w[0]] = true
	}
	return t
}()

// keyInnocent are names that hold a sensitive word and no secret.
var keyInnocent = []string{
	"maxtokens", "mintokens", "tokentype", "tokencount", "tokenlimit", "tokens", "tokenusage", "tokenizer", "tokenize",
	"completiontokens", "prompttokens", "totaltokens", "passwordlength", "passwordpolicy", "secretname", "tokenexpired",
	"tokenexpirederror", "secretid", "authtype", "authmethod", "authmode", "tokenname", "passwordfield", "signaturemethod",
	"authenticationerror", "authorizationerror", "unexpectedtoken",
}

// lineKeys take everything up to the end of the line as their value.
func lineKey(flat string) bool {
	switch flat {
	case "authorization", "proxyauthorization", "cookie", "setcookie", "cookie2", "passphrase", "mnemonic", "seedphrase",
		"recoveryphrase", "xapikey", "xauthtoken", "xamzsecuritytoken":
		return true
	}
	return false
}

// flatten writes name in lower case without separators into buf.
func flatten(buf []byte, name string) []byte {
	for i := 0; i < len(name) && len(buf) < 64; i++ {
		if c := name[i]; isAlnum(c) || c >= 0x80 {
			buf = append(buf, lower(c))
		}
	}
	return buf
}

// keyMasks are the sets of letters of keyParts and keyWords: a name that holds
// none of the sets is not sensitive. Most names are told apart by it.
var keyMasks = func() (list []uint32) {
	seen := make(map[uint32]bool)
	add := func(w string) {
		if m := letters(w); !seen[m] {
			seen[m] = true
			list = append(list, m)
		}
	}
	for _, p := range keyParts {
		add(p)
	}
	for w := range keyWords {
		add(w)
	}
	add("key")
	return list
}()

// letters returns the set of letters of w; digits and other bytes set all bits,
// since they may stand for letters.
func letters(w string) (m uint32) {
	for i := 0; i < len(w); i++ {
		switch c := w[i]; {
		case isAlpha(c):
			m |= 1 << (lower(c) - 'a')
		case isDigit(c) || c >= 0x80:
			return 1<<32 - 1
		}
	}
	return m
}

func maybeKey(name string) bool {
	m := letters(name)
	for _, k := range keyMasks {
		if m&k == k {
			return true
		}
	}
	return false
}

// sensitiveKey reports whether the value of a field called name is a secret.
func sensitiveKey(name string) bool {
	if !maybeKey(name) {
		return false
	}
	if len(name) < 2 || len(name) > 64 {
		// A longer name is looked at by its end, where the noun stands.
		if len(name) < 2 {
			return false
		}
		name = name[len(name)-64:]
	}
	var arr [64]byte
	flat := flatten(arr[:0], name)
	if len(flat) < 2 {
		return false
	}
	if (sensitiveFlat(flat) && !innocent(flat)) || keyWord(name) {
		return true
	}
	if !hasDigit(name) {
		return false
	}
	for i, c := range flat { // passw0rd, s3cret
		switch c {
		case '0':
			flat[i] = 'o'
		case '1':
			flat[i] = 'i'
		case '3':
			flat[i] = 'e'
		case '4':
			flat[i] = 'a'
		case '5':
			flat[i] = 's'
		}
	}
	return sensitiveFlat(flat) && !innocent(flat)
}

// partsByLetter are keyParts by their first letter.
var partsByLetter = func() (t [256][]string) {
	for _, p := range keyParts {
		t[p[0]] = append(t[p[0]], p)
	}
	return t
}()

func sensitiveFlat(flat []byte) bool {
	for i := 0; i+4 < len(flat); i++ {
		for _, p := range partsByLetter[flat[i]] {
			if len(flat)-i >= len(p) && string(flat[i:i+len(p)]) == p {
				return true
			}
		}
	}
	return false
}

func innocent(flat []byte) bool {
	s := string(flat)
	for _, p := range keyInnocent {
		if s == p {
			return true
		}
	}
	return strings.HasSuffix(s, "tokens") || strings.HasSuffix(s, "error") || strings.HasSuffix(s, "exception") || strings.HasSuffix(s, "tokentype")
}

// keyWord splits name at separators and at capital letters and looks for a word
// of keyWords, or "key" as the last of several words.
func keyWord(name string) bool {
	end := len(name)
	words := 0
	var arr [16]byte
	for end > 0 {
		start := end
		for start > 0 {
			c := name[start-1]
			if c == '_' || c == '-' || c == '.' || c == '$' || c == '[' || c == ']' {
				break
			}
			start--
			if isUpper(name[start]) && start > 0 && !isUpper(name[start-1]) {
				break
			}
		}
		if w := name[start:end]; len(w) > 0 && len(w) <= 12 {
			low := flatten(arr[:0], w)
			if len(low) > 1 && keyWordStart[low[0]] && keyWords[string(low)] {
				return true
			}
			if words == 0 && string(low) == "key" && start > 0 && !publicKeyName(name[:start]) {
				return true
			}
		}
		words++
		end = start
		for end > 0 && (name[end-1] == '_' || name[end-1] == '-' || name[end-1] == '.' || name[end-1] == '$' || name[end-1] == '[' || name[end-1] == ']') {
			end--
		}
	}
	return false
}

// publicKeyName reports names like primary_key and cache_key, which are no secret.
func publicKeyName(before string) bool {
	var arr [32]byte
	if len(before) > 32 {
		return false
	}
	switch string(flatten(arr[:0], before)) {
	case "primary", "foreign", "unique", "duplicate", "project", "issue", "cache", "partition", "sort", "public", "object",
		"index", "map", "dict", "row", "hash", "lookup", "page", "i18n", "message", "s3", "bucket", "on", "group", "join":
		return true
	}
	return false
}

// notValue are words after "key:" or "key " that begin prose, not a value.
var notValue = set(`a about absent accepted access an and any are argument as at authentication authorization bad based be because been before
being belongs between both but by bytes can cannot change character characters check contain contains could defined denied did didn't
disabled does doesn't each either empty endpoint error exceeded exceeds exchange exist exists expected expects expiration expire expired expires expiring
failed failure field fields for format found from generation got had has have header if in inactive incorrect insufficient invalid is isn't issued issuer it
key keys length limit limits login lookup malformed manager may mechanism mismatch missing more must name needs new no non none not null nil undefined of
on only option or other out parameter permission policy present property provided provider received recognized refresh refused rejected request
required requires reset revoked scope scopes service set should signature size store string strings than that the there this to too type types
unauthorized unknown unsupported updated use used user username validation value values verification verify wait was wasn't were when which while will with
without wrong you your number integer boolean object array int float text redacted uuid
accepts after all already also always another cache cannot column count does during entry expiry file has id ids incorrectly
instead into its just less limit's list looks match matches maximum minimum most needed neither never nor optional parsing
passed please problem pool quota rate required: role rotation section see session sessions since some stream strength
supplied supports temporarily then these they timed timeout two under until up usage via we what where whether yet ok true false error:
count budget per window one zero first last current next previous near position symbol identifier literal eof end start`)

func set(words string) map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// proseWord reports whether w, without the punctuation at its end, begins prose
// rather than a value.
func proseWord(w string) bool {
	for len(w) > 0 && strings.IndexByte(".,:;!?)'\"", w[len(w)-1]) >= 0 {
		w = w[:len(w)-1]
	}
	if w == "" || len(w) > 16 {
		return false
	}
	var arr [16]byte
	b := arr[:0]
	for i := 0; i < len(w); i++ {
		c := w[i]
		if !isAlpha(c) && c != '\'' && c != '-' {
			return false
		}
		b = append(b, lower(c))
	}
	return notValue[string(b)]
}
