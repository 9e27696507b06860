package sanitize

import "sort"

// Hits counts what Mask removed by the id of the rule, never by value.
type Hits map[string]int

// Rules returns the ids of the rules that hit, sorted.
func (h Hits) Rules() []string {
	out := make([]string, 0, len(h))
	for id := range h {
		out = append(out, id)
	}
	sort.Strings(out)
	return out
}

// rule is one rule of the masker. The ids are stable: they appear in debug logs
// and in the output of the explain command.
type rule uint8

const (
	rPEM rule = iota
	rURL
	rKey
	rHeader
	rCLI
	rUserPass
	rVendor
	rPassword
	rHex
	rUUID
	rEntropy
	rMixed
	rLong
	rEmail
	rPhone
	rCard
	rIBAN
	rSSN
	rNumber
	rIP
	rMAC
	rHost
	rCloud
	rPath
	rSQL
	rDriver
	rName
	rEnv
	rRequestID
	rRepr
	rMarkup
	rLink
	rInjection
	rEncoded
	rSpaced
	rUnstable
	nRules
)

var ruleIDs = [nRules]string{
	rPEM: "pem", rURL: "url", rKey: "sensitive_key", rHeader: "auth_header", rCLI: "cli_secret",
	rUserPass: "user_password", rVendor: "vendor_token", rPassword: "password_shape", rHex: "hex_id", rUUID: "uuid",
	rEntropy: "entropy", rMixed: "mixed_id", rLong: "long_token", rEmail: "email", rPhone: "phone",
	rCard: "card", rIBAN: "iban", rSSN: "ssn", rNumber: "long_number", rIP: "ip", rMAC: "mac",
	rHost: "host", rCloud: "cloud_resource", rPath: "path", rSQL: "sql", rDriver: "driver",
	rName: "db_name", rEnv: "env_name", rRequestID: "request_id", rRepr: "object_repr",
	rMarkup: "markup", rLink: "markdown_link", rInjection: "instruction", rEncoded: "encoded",
	rSpaced: "spaced_token", rUnstable: "unstable",
}

// What stands for a removed piece.
const (
	mRedacted = "[redacted]"
	mSecret   = "[secret]"
	mKey      = "[key]"
	mURL      = "[url]"
	mID       = "[id]"
	mEmail    = "[email]"
	mNumber   = "[number]"
	mIP       = "[ip]"
	mHost     = "[host]"
	mARN      = "[arn]"
	mPath     = "[path]"
	mSQL      = "[sql]"
	mName     = "[name]"
	mLink     = "[link]"
)

var placeholders = []string{
	mRedacted, mSecret, mKey, mURL, mID, mEmail, mNumber, mIP, mHost, mARN, mPath, mSQL, mName, mLink,
}

// placeholder returns the length of the placeholder that s starts with, or 0.
func placeholder(s string) int {
	if len(s) < 4 || s[0] != '[' {
		return 0
	}
	for _, p := range placeholders {
		if len(s) >= len(p) && s[:len(p)] == p {
			return len(p)
		}
	}
	return 0
}
