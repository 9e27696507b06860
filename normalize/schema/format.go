package schema

import (
	"errors"
	"net/mail"
	"strings"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// assertedFormats are the formats that are checked. The others mean too
// different things to different servers to refuse a value.
var assertedFormats = []string{"date", "date-time", "email", "uri", "uuid", "ipv4", "ipv6", "hostname"}

var errFormat = errors.New("wrong format")

// lenientFormats replace the compiler's where common servers admit more than
// the RFC: a value that only pedantry refuses is no reason to blame it.
var lenientFormats = []jsonschema.Format{
	{Name: "date", Validate: onString(isDate)},
	{Name: "date-time", Validate: onString(isDateTime)},
	{Name: "email", Validate: onString(isEmail)},
	{Name: "uuid", Validate: onString(isUUID)},
}

func onString(ok func(string) bool) func(any) error {
	return func(v any) error {
		if s, isString := v.(string); isString && !ok(s) {
			return errFormat
		}
		return nil
	}
}

func isDate(s string) bool {
	s = strings.TrimSuffix(strings.TrimSuffix(s, "Z"), "T00:00:00")
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

// isDateTime admits RFC 3339, also without a zone, without seconds, with a
// space for the T, and Unix seconds.
func isDateTime(s string) bool {
	if len(s) > 64 {
		return false
	}
	if s != "" && strings.Trim(s, "0123456789") == "" {
		return true
	}
	s = strings.Replace(strings.ToUpper(s), " ", "T", 1)
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02T15:04", "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05.999999999Z0700", time.DateOnly} {
		if _, err := time.Parse(layout, s); err == nil {
			return true
		}
	}
	return false
}

func isEmail(s string) bool {
	if len(s) > 320 || !strings.Contains(s, "@") {
		return false
	}
	_, err := mail.ParseAddress(s)
	return err == nil
}

func isUUID(s string) bool {
	s = strings.TrimPrefix(strings.ToLower(s), "urn:uuid:")
	s = strings.ReplaceAll(strings.Trim(s, "{}"), "-", "")
	return len(s) == 32 && strings.Trim(s, "0123456789abcdef") == ""
}
