package transport

import (
	"net/http"
	"net/url"
	"strings"
)

// Bearer asks for `Authorization: Bearer <token>`. It looks at the form only: whether the token is worth anything
// is for the server or for policy to say.
type Bearer struct {
	// Realm and ResourceMetadata stand in the challenge when they are not empty (RFC 6750 section 3, RFC 9728
	// section 5.1).
	Realm, ResourceMetadata string
}

// authText is the one text of every refused credential, so that nobody learns how close a guess was.
const authText = "Missing or malformed Authorization header. Send Authorization: Bearer <token>."

// Challenge is the value of WWW-Authenticate. errorCode is one of RFC 6750 section 3.1, or empty when the
// request carried no token at all.
func (b *Bearer) Challenge(errorCode string) string {
	var s strings.Builder
	s.WriteString("Bearer")
	sep := " "
	for _, p := range [...][2]string{{"realm", b.Realm}, {"resource_metadata", b.ResourceMetadata}, {"error", errorCode}} {
		if p[1] == "" {
			continue
		}
		s.WriteString(sep)
		s.WriteString(p[0])
		s.WriteString(`="`)
		writeQuoted(&s, p[1])
		s.WriteByte('"')
		sep = ", "
	}
	return s.String()
}

// writeQuoted writes the inside of a quoted-string (RFC 9110 section 5.6.4). What cannot stand there is left out.
func writeQuoted(s *strings.Builder, v string) {
	for i := range len(v) {
		c := v[i]
		if c < ' ' && c != '\t' || c == 0x7f {
			continue
		}
		if c == '"' || c == '\\' {
			s.WriteByte('\\')
		}
		s.WriteByte(c)
	}
}

func (r *Rules) checkBearer(h *Head) *Refusal {
	if r.Bearer == nil {
		return nil
	}
	if hasQueryToken(h.RawQuery) {
		f := badRequest(CodeInvalidRequest, ReasonAuth, "An access token must not stand in the query. Send Authorization: Bearer <token>.", nil)
		f.Header = http.Header{"Www-Authenticate": {r.Bearer.Challenge("invalid_request")}}
		return f
	}
	present, formed := bearerToken(h.Header["Authorization"])
	if formed {
		return nil
	}
	code := ""
	if present {
		code = "invalid_request"
	}
	f := refuse(http.StatusUnauthorized, http.StatusUnauthorized, ReasonAuth, authText)
	f.Header = http.Header{"Www-Authenticate": {r.Bearer.Challenge(code)}}
	return f
}

// bearerToken tells a missing token, which other schemes count as, from a malformed one. RFC 6750 allows
// token68; tokens with other visible characters are in use ("12|abc"), so only what would make the header
// ambiguous is refused.
func bearerToken(lines []string) (present, formed bool) {
	if len(lines) == 0 {
		return false, false
	}
	if len(lines) > 1 {
		return true, false
	}
	scheme, token, _ := strings.Cut(trimOWS(lines[0]), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return false, false
	}
	token = strings.TrimLeft(token, " ")
	return true, isVisible(token) && !strings.ContainsAny(token, `",\`)
}

// hasQueryToken reports an access_token parameter, however its name is escaped or separated.
func hasQueryToken(query string) bool {
	for len(query) > 0 {
		pair := query
		if i := strings.IndexAny(query, "&;"); i >= 0 {
			pair, query = query[:i], query[i+1:]
		} else {
			query = ""
		}
		name, _, _ := strings.Cut(pair, "=")
		if un, err := url.QueryUnescape(name); err == nil {
			name = un
		}
		if name == "access_token" {
			return true
		}
	}
	return false
}
