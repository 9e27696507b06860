package schema

import (
	"errors"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Kind says in what way a value breaks its schema.
type Kind int

// The kinds of violations.
const (
	// Other is a violation that no other kind describes.
	Other Kind = iota
	// Missing is a required property that is absent.
	Missing
	// Unexpected is a property that the schema does not admit, or that it admits
	// but that looks like one that is missing.
	Unexpected
	// WrongType is a value of another JSON type.
	WrongType
	// NotInEnum is a value that is not among those listed (enum, const).
	NotInEnum
	// OutOfRange is a number outside its limits or no multiple.
	OutOfRange
	// TooLong is a string, array or object with too many parts.
	TooLong
	// TooShort is a string, array or object with too few parts.
	TooShort
	// BadFormat is a string that is not in the format asked for.
	BadFormat
	// BadPattern is a string that does not match the pattern asked for.
	BadPattern
)

// String returns the kind in words, for logs and tests.
func (k Kind) String() string {
	names := [...]string{"other", "missing", "unexpected", "wrong type", "not in enum", "out of range", "too long", "too short", "bad format", "bad pattern"}
	if k < 0 || int(k) >= len(names) {
		return names[0]
	}
	return names[k]
}

// Violation is one way in which a value breaks its schema. Its texts are in
// the program's own words, except for names and scalar values, which come from
// the schema's structure or from the value checked; they have not been checked
// for being fit to show.
type Violation struct {
	// Path leads to the value: "a.b[0]". It is empty for the value as a whole.
	Path string
	Kind Kind

	// Expected completes "expected ...": "an integer", "one of a, b", "at most
	// 130". It is empty for unexpected properties.
	Expected string

	// Received is "missing", "unexpected", the scalar as sent (without quotes)
	// when it has at most 40 characters and no markup, a size such as "52
	// characters", or else the JSON type.
	Received string

	// ReceivedType is the JSON type of the value, empty when it is missing.
	ReceivedType string

	// Suggest is the property that an unexpected one was probably meant to be.
	Suggest string
}

const maxViolations = 3

// CheckArguments checks the arguments of a call, a JSON object, against the
// inputSchema. Absent arguments count as an empty object. It returns at most
// three violations, missing properties first, then ordered by path; nil when
// there are none or when anything is unknown: the schema, arguments of more
// than MaxValue bytes or 64 levels, or a check that would take too many steps.
func (t *Tool) CheckArguments(args []byte) []Violation {
	if t == nil || t.in == nil {
		return nil
	}
	if len(args) == 0 || string(args) == "null" {
		args = []byte("{}")
	}
	return t.in.check(args)
}

// CheckResult checks the structuredContent of a result against the
// outputSchema, with the bounds and the order of CheckArguments. Absent
// content has no violations.
func (t *Tool) CheckResult(structured []byte) []Violation {
	if t == nil || t.out == nil || len(structured) == 0 {
		return nil
	}
	return t.out.check(structured)
}

func (d *document) check(value []byte) (vs []Violation) {
	defer func() {
		if recover() != nil {
			vs = nil
		}
	}()
	if len(value) > MaxValue {
		return nil
	}
	p := d.compiled()
	if p.check == nil {
		return nil
	}
	v, err := decode(string(value))
	if err != nil {
		return nil
	}
	m := meter{left: maxSteps}
	if !m.run(p.check, v, 0) {
		return nil
	}
	var ve *jsonschema.ValidationError
	if !errors.As(p.check.Validate(v), &ve) {
		return nil
	}
	r := reader{schema: p.check, value: v}
	r.read(ve)
	return r.result()
}
