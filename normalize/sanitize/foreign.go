package sanitize

import (
	"strings"
	"unicode/utf8"
)

// foreignKeys are words for password, secret, token and key in other languages,
// as they are written after Clean.
var foreignKeys = []string{
	"пароль", "Пароль", "паролем", "секрет", "токен", "Токен", "ключ доступа", "密码", "密碼", "口令", "令牌", "密钥", "密鑰", "パスワード", "暗証番号", "トークン",
	"비밀번호", "암호", "토큰", "contraseña", "Contraseña", "hasło", "Hasło", "κωδικός", "şifre", "Şifre", "mật khẩu", "Mật khẩu", "รหัสผ่าน", "كلمة المرور", "סיסמה", "पासवर्ड",
}

// foreignByFirst are foreignKeys by their first byte.
var foreignByFirst = func() (t [256][]string) {
	for _, k := range foreignKeys {
		t[k[0]] = append(t[k[0]], k)
	}
	return t
}()

// foreignKey handles a sensitive name of another language at i and its value.
func (m *masker) foreignKey(i int) int {
	s := m.s
	for _, k := range foreignByFirst[s[i]] {
		if !strings.HasPrefix(s[i:], k) {
			continue
		}
		j := i + len(k)
		v := skipBlanks(s, j)
		if v < len(s) && (s[v] == ':' || s[v] == '=') {
			return m.value(i, v+1, j, "password", false)
		}
		// "密码为x": at most four letters, then the value without a sign.
		v = j
		for n := 0; n < 4 && v < len(s) && s[v] >= 0x80; n++ {
			_, w := utf8.DecodeRuneInString(s[v:])
			v += w
		}
		v = skipBlanks(s, v)
		if v < len(s) && (s[v] == ':' || s[v] == '=' || s[v] == '"' || s[v] == '\'') {
			v++
		}
		e := v
		for e < len(s) && valueByte(s[e]) && s[e] < 0x80 && e-v < maxToken {
			e++
		}
		for e > v && strings.IndexByte(".,:;)!?", s[e-1]) >= 0 {
			e--
		}
		if e-v >= 4 && hasDigit(s[v:e]) {
			return m.put(v, e, mRedacted, rKey)
		}
		return i
	}
	return i
}
