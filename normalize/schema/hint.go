package schema

import (
	"strconv"
	"strings"
)

// Nearest returns the name that name was probably meant to be: the one at the
// smallest edit distance (Damerau-Levenshtein, ignoring case, "_" and "-"), at
// most 2 and less than half of its length. The first of equals wins; "" means
// that none is near.
func Nearest(name string, names []string) string {
	if len(name) > 64 {
		return ""
	}
	best, least := "", 3
	a := fold(name)
	for _, n := range names {
		if n == "" || len(n) > 64 {
			continue
		}
		b := fold(n)
		if d := distance(a, b); d < least && 2*d < max(len(a), len(b)) {
			best, least = n, d
		}
	}
	return best
}

var separators = strings.NewReplacer("_", "", "-", "")

func fold(s string) string { return separators.Replace(strings.ToLower(s)) }

// distance is the optimal string alignment distance in bytes, 3 when it is
// larger than 2.
func distance(a, b string) int {
	const far = 3
	if len(a) > len(b)+2 || len(b) > len(a)+2 {
		return far
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := boolInt(a[i-1] != b[j-1])
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return min(last[len(b)], far)
}

// Example returns a value for the property as it would stand in JSON, made
// from its constraints alone: its first listed value, its minimum, a fixed
// date, "text". It is "" when no simple value is known to be valid.
func (p Property) Example() string {
	if p.more || len(p.Enum) > 0 {
		return p.listed()
	}
	switch strings.TrimSuffix(p.Type, " or null") {
	case "integer":
		return p.number(true)
	case "number":
		return p.number(false)
	case "boolean":
		return "true"
	case "string":
		return p.text()
	}
	return ""
}

func (p Property) listed() string {
	if p.more {
		return ""
	}
	return p.first
}

func (p Property) number(whole bool) string {
	v := 1.0
	switch {
	case p.Minimum != nil && p.Maximum != nil && *p.Minimum > *p.Maximum:
		return ""
	case p.Minimum != nil:
		v = *p.Minimum
	case p.Maximum != nil && *p.Maximum < v:
		v = *p.Maximum
	}
	if whole && v != float64(int64(v)) {
		return ""
	}
	return decimal(v)
}

// examples of the formats that are in wide use.
var examples = map[string]string{
	"date":      "2026-01-31",
	"date-time": "2026-01-31T12:00:00Z",
	"time":      "12:00:00Z",
	"email":     "name@example.com",
	"uuid":      "123e4567-e89b-12d3-a456-426614174000",
	"ipv4":      "192.0.2.1",
	"ipv6":      "2001:db8::1",
	"hostname":  "example.com",
	"uri":       "https://example.com/",
}

func (p Property) text() string {
	if p.Pattern != "" {
		return ""
	}
	s, known := examples[p.Format]
	if !known {
		if p.Format != "" {
			return ""
		}
		s = "text"
	}
	if p.MinLength != nil && len(s) < *p.MinLength || p.MaxLength != nil && len(s) > *p.MaxLength {
		return ""
	}
	return strconv.Quote(s)
}

// Constraint says in fixed words what the property asks for, without article:
// "integer from 1 to 100", "one of en, de", "string in date format". It is ""
// when nothing is known. Pattern is not part of it.
func (p Property) Constraint() string {
	if n := len(p.Enum); n == 1 {
		return "the value " + p.Enum[0]
	} else if n > 1 {
		return "one of " + strings.Join(p.Enum, ", ")
	}
	text := p.Type
	switch {
	case p.Type == "":
		return ""
	case p.Format != "":
		text += " in " + p.Format + " format"
	case p.Minimum != nil && p.Maximum != nil:
		text += " from " + decimal(*p.Minimum) + " to " + decimal(*p.Maximum)
	case p.Minimum != nil:
		text += " of at least " + decimal(*p.Minimum)
	case p.Maximum != nil:
		text += " of at most " + decimal(*p.Maximum)
	case p.MinLength != nil && p.MaxLength != nil:
		text += " of " + strconv.Itoa(*p.MinLength) + " to " + count(*p.MaxLength, "character")
	case p.MinLength != nil && *p.MinLength > 1:
		text += " of at least " + count(*p.MinLength, "character")
	case p.MaxLength != nil:
		text += " of at most " + count(*p.MaxLength, "character")
	}
	return text
}

func decimal(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
