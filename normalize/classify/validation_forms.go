package classify

import "regexp"

// Parts of the expressions: a name with or without quotes, a quoted name, a
// JSON pointer, a value.
const (
	qn  = "[\"'`“‘]?(?P<a>[A-Za-z_$][\\w.\\-\\[\\]$]*)[\"'`”’]?"
	qq  = "[\"'`“‘](?P<a>[A-Za-z_$][\\w.\\-\\[\\]$/]*)[\"'`”’]"
	ptr = `(?P<a>/[\w.\-/]+)`
)

func re(s string) *regexp.Regexp { return regexp.MustCompile(`(?i)` + s) }

// forms are the validators' own formats first, then prose.
var forms = append(validatorForms, proseForms...)

var validatorForms = []form{
	// Go: modelcontextprotocol/go-sdk and google/jsonschema-go.
	{rule: "jsonschema-go", lits: []string{"validating /"}, re: re(`validating ` + ptr + `(?:: validating /[\w./-]+)*: type: (?P<i>.{1,60}?) has type "(?P<r>\w+)", want "?(?P<e>[\w ,"\[\]]+?)"?$`), kind: kindType},
	{rule: "jsonschema-go", lits: []string{"validating /"}, re: re(`validating ` + ptr + `: (?:enum|const): (?P<i>.{1,60}?) does not equal(?: any of:)?`), kind: kindEnum},
	{rule: "jsonschema-go", lits: []string{"validating /"}, re: re(`validating ` + ptr + `: (?:minimum|maximum|exclusive\w+|minlength|maxlength|minitems|maxitems|pattern|format|multipleof): `), kind: kindRange},
	{rule: "jsonschema-go", lits: []string{"missing properties"}, re: re(`missing properties:? \[?["'](?P<a>[\w.\-$]+)["']`), kind: kindMissing},
	{rule: "jsonschema-go", lits: []string{"unexpected additional properties"}, re: re(`unexpected additional properties:? \[["'](?P<a>[\w.\-$]+)["']`), kind: kindUnexpected},
	// Go: santhosh-tekuri/jsonschema, xeipuuv/gojsonschema.
	{rule: "jsonschema", lits: []string{"got "}, re: re(`(?:at )?['"]?` + ptr + `['"]?: got (?P<r>\w+), want (?P<e>[\w ]+)`), kind: kindType},
	{rule: "jsonschema", lits: []string{"missing propert"}, re: re(`missing propert(?:y|ies):? ` + qq), kind: kindMissing},
	{rule: "jsonschema", lits: []string{"additional propert"}, re: re(`additional propert(?:y|ies):? ` + qq + `(?: is| are)? not allowed`), kind: kindUnexpected},
	{rule: "jsonschema", lits: []string{"additional property"}, re: re(`additional property ` + qn + ` is not allowed`), kind: kindUnexpected},
	{rule: "jsonschema", lits: []string{"invalid type. expected"}, re: re(`(?P<a>[\w.]+): invalid type\. expected: (?P<e>\w+), given: (?P<r>\w+)`), kind: kindType},
	{rule: "jsonschema", lits: []string{"value must be", "does not match", "must be", "length must", "minimum:", "maximum:"}, re: re(`(?:at )?['"]` + ptr + `['"]: (?:value )?(?P<e>must .{1,60})`), kind: kindRange},
	// Go: encoding/json, strconv.
	{rule: "encoding-json", lits: []string{"cannot unmarshal"}, re: re(`cannot unmarshal (?P<r>\w+)(?: [^ ]+)? into Go struct field (?:[\w\-\[\]*]+\.)?(?P<a>[\w.]+?) of type (?P<e>[\w.\[\]*{}]+)`), kind: kindType},
	{rule: "encoding-json", lits: []string{"cannot unmarshal"}, re: re(`cannot unmarshal (?P<r>\w+)(?: [^ ]+)? into Go value of type (?P<e>[\w.\[\]*{}]+)`), kind: kindType},
	{rule: "encoding-json", lits: []string{"json: unknown field"}, re: re(`unknown field "(?P<a>[\w.\-]+)"`), kind: kindUnexpected},
	{rule: "pflag", lits: []string{"invalid argument \""}, re: re(`invalid argument "(?P<i>[^"]{0,40})" for "(?:-\w, )?-{1,2}(?P<a>[\w-]+)" flag`), kind: kindFormat},
	{rule: "strconv", lits: []string{"strconv."}, re: re(`strconv\.(?P<e>\w+): parsing "(?P<i>[^"]{0,40})"`), kind: kindFormat},
	// Go: mark3labs/mcp-go.
	{rule: "mcp-go", lits: []string{"required argument"}, re: re(`required argument "(?P<a>[\w.\-]+)" not found`), kind: kindMissing},
	{rule: "mcp-go", lits: []string{"argument \""}, re: re(`argument "(?P<a>[\w.\-]+)" (?:is not|cannot be converted to|must be) (?:an? )?(?P<e>[\w ]+)`), kind: kindType},
	// Rust: serde.
	{rule: "serde", lits: []string{"missing field"}, re: re("missing field " + qq), kind: kindMissing},
	{rule: "serde", lits: []string{"unknown field"}, re: re("unknown field " + qq), kind: kindUnexpected},
	{rule: "serde", lits: []string{"duplicate field"}, re: re("duplicate field " + qq), kind: kindOther},
	{rule: "serde", lits: []string{"unknown variant"}, re: re("(?:(?P<a>[\\w.\\[\\]]+): )?unknown variant `(?P<i>[^`]{0,60})`, expected (?:one of )?(?P<e>.{1,120}?)(?: at line.*)?$"), kind: kindEnum},
	{rule: "serde", lits: []string{"invalid type:", "invalid value:"}, re: re("(?:(?P<a>[a-z_][\\w.\\[\\]]*): )?invalid (?:type|value): (?P<r>\\w+(?: \\w+)?)(?: [\"`](?P<i>[^\"`]{0,60})[\"`])?, expected (?P<e>[\\w ,<>=.-]{1,60}?)(?: for key `(?P<a2>[\\w.]+)`)?(?: at line.*)?$"), kind: kindType},
	{rule: "serde", lits: []string{"for key"}, re: re("for key `(?P<a>[\\w.]+)`"), kind: kindOther},
	// Python: jsonschema.
	{rule: "jsonschema-py", lits: []string{"is a required property"}, re: re(qq + ` is a required property`), kind: kindMissing},
	{rule: "jsonschema-py", lits: []string{"additional properties are not allowed"}, re: re(`additional properties are not allowed \(["'](?P<a>[\w.\-$]+)["']`), kind: kindUnexpected},
	{rule: "jsonschema-py", lits: []string{"unevaluated properties"}, re: re(`unevaluated properties are not allowed \(["'](?P<a>[\w.\-$]+)["']`), kind: kindUnexpected},
	{rule: "jsonschema-py", lits: []string{"is not of type"}, re: re(`(?:(?:at|for|in|field|parameter|argument) ` + qn + `: )?(?P<i>'[^']{0,80}'|"[^"]{0,80}"|-?[\d.]+|None|True|False|[\[{].{0,80}[\]}]) is not of type ["'](?P<e>[\w ]+)["']`), kind: kindType},
	{rule: "jsonschema-py", lits: []string{"is not one of"}, re: re(`(?P<i>'[^']{0,80}'|"[^"]{0,80}"|-?[\d.]+) is not one of (?P<e>\[[^\]]{1,200}\])(?: (?:at|in|for) ` + qn + `)?`), kind: kindEnum},
	{rule: "jsonschema-py", lits: []string{"less than", "greater than", "not a multiple of", "is too short", "is too long", "should be non-empty", "does not match", "is not a"},
		re: re(`(?:^|: )(?P<i>'[^']{0,80}'|-?\d[\d.]*|\[.{0,80}\]) (?P<e>is (?:less|greater) than(?: or equal to)? the (?:minimum|maximum) of -?[\d.]+|is not a multiple of [\d.]+|is too short|is too long|should be non-empty|does not match|is not an? ['"][\w-]+['"])`), kind: kindRange},
	// Java: networknt, Bean Validation, Spring, Jackson.
	{rule: "networknt", lits: []string{" found, "}, re: re(`\$?[./]?(?P<a>[\w./\-\[\]]+): (?P<r>\w+) found, (?P<e>\w+)(?: expected)?`), kind: kindType},
	{rule: "networknt", lits: []string{"is missing but it is required"}, re: re(`\$\.(?P<a>[\w.\-\[\]]+): is missing but it is required`), kind: kindMissing},
	{rule: "networknt", lits: []string{"not found"}, re: re(`required property ` + qq + ` not found`), kind: kindMissing},
	{rule: "networknt", lits: []string{"is not defined in the schema"}, re: re(`property ` + qq + ` is not defined in the schema`), kind: kindUnexpected},
	{rule: "networknt", lits: []string{"[/", "[$."}, re: re(`\[[$]?[./](?P<a>[\w./\-\[\]]+?): (?P<e>(?:must|does not|is|should) .{1,70}?)\]`), kind: kindRange},
	{rule: "bean-validation", lits: []string{"propertypath="}, re: re(`interpolatedMessage='(?P<e>[^']{1,80})', propertyPath=(?P<a>[\w.\[\]]+)`), kind: kindRange},
	{rule: "spring", lits: []string{"on field"}, re: re(`on field '(?P<a>[\w.\[\]]+)'`), kind: kindOther},
	{rule: "spring", lits: []string{"required request parameter", "required parameter", "required request"}, re: re(`required (?:request )?(?:parameter|header|part|param|body|path variable) ['"]?(?P<a>[\w.\-]+)['"]? (?:for method|is not present|is missing|was not)`), kind: kindMissing},
	{rule: "spring", lits: []string{"failed to convert value of type", "failed to convert property value"}, re: re(`failed to convert (?:property )?value of type '?(?P<r>[\w.]+)'? to required type '?(?P<e>[\w.]+)'?(?:.*?for (?:property|parameter) '(?P<a>[\w.\[\]]+)')?`), kind: kindType},
	{rule: "bean-validation", lits: []string{": must ", ": size must", ": length must", ": may not"}, re: re(`(?:^|[\s,\[])(?P<a>[A-Za-z_][\w]*(?:[.][\w\[\]]+)*): (?P<e>(?:size |length |value )?(?:must|may not) [^,;\n\]]{1,80})`), kind: kindRange},
	{rule: "jackson", lits: []string{"through reference chain"}, re: re(`(?:deserialize value of type .([\w.$]+). from (?P<r>\w+).*?)?through reference chain: [^\[]*\["(?P<a>[\w.\-]+)"\]`), kind: kindType},
	{rule: "jackson", lits: []string{"unrecognized field"}, re: re(`unrecognized field ["'](?P<a>[\w.\-]+)["']`), kind: kindUnexpected},
	{rule: "jackson", lits: []string{"cannot deserialize value of type", "can not deserialize"}, re: re("cannot deserialize value of type [`'](?P<e>[\\w.$<>]+)[`'] from (?P<r>\\w+)(?: \"(?P<i>[^\"]{0,40})\")?"), kind: kindType},
	{rule: "kotlin", lits: []string{"for type with serial name"}, re: re(`fields? (?:'(?P<a>[\w.]+)'|\[(?P<a2>[\w.]+)[^\]]*\]) (?:is|are) required for type`), kind: kindMissing},
	{rule: "kotlin", lits: []string{"encountered an unknown key"}, re: re(`unknown key '(?P<a>[\w.]+)'`), kind: kindUnexpected},
	// Swift: DecodingError.
	{rule: "swift", lits: []string{"codingkeys(stringvalue"}, re: re(`keyNotFound\([^"]*stringValue: "(?P<a>[\w.]+)"`), kind: kindMissing},
	{rule: "swift", lits: []string{"codingkeys(stringvalue"}, re: re(`typeMismatch\(Swift\.(?P<e>\w+).*stringValue: "(?P<a>[\w.]+)"`), kind: kindType},
	// .NET.
	{rule: "system-text-json", lits: []string{"could not be converted to"}, re: re(`could not be converted to (?:System\.)?(?P<e>[\w.\[\]` + "`" + `]+)\.? (?:Path: \$\.(?P<a>[\w.\[\]]+))`), kind: kindType},
	{rule: "system-text-json", lits: []string{"path: $."}, re: re(`path: \$\.(?P<a>[\w.\[\]]+)`), kind: kindType},
	{rule: "dotnet", lits: []string{"missing a value for the required parameter"}, re: re(`required parameter '(?P<a>[\w.]+)'`), kind: kindMissing},
	{rule: "dotnet", lits: []string{"(parameter '"}, re: re(`(?P<e>cannot be null|out of the range|cannot be an empty|cannot be empty)?[^(]{0,60}\(parameter '(?P<a>[\w.]+)'\)`), kind: kindOther},
	// PHP.
	{rule: "opis", lits: []string{"must match the type"}, re: re(`property '` + ptr + `': the data \((?P<r>\w+)\) must match the type: (?P<e>[\w, ]+)`), kind: kindType},
	{rule: "opis", lits: []string{"the required properties ("}, re: re(`the required properties \((?P<a>[\w.\-]+)[^)]*\) are missing`), kind: kindMissing},
	{rule: "opis", lits: []string{"property '/"}, re: re(`property '` + ptr + `': (?P<e>[^,;]{1,80})`), kind: kindRange},
	{rule: "laravel", lits: []string{"field is required"}, re: re(`the ` + qn + ` field is required`), kind: kindMissing},
	{rule: "laravel", lits: []string{" must ", " format is invalid", " is invalid", " has already been taken"}, re: re(`^(?:.*: )?the (?P<a>[a-z_][\w.]*)(?: field)? (?P<e>must (?:be|have|not|contain|start|end|match) [\w @.,-]{1,60}|format is invalid)`), kind: kindRange},
	// Ruby.
	{rule: "ruby", lits: []string{"missing required arguments", "missing keyword", "missing required parameters", "missing required argument", "missing required fields", "missing required params", "missing required properties"},
		re: re(`missing (?:required )?(?:arguments?|keywords?|parameters?|params?|fields?|propert(?:y|ies)|param)(?:\(s\))?[: ]+:?\[?` + qn), kind: kindMissing},
	{rule: "rails", lits: []string{"validation failed:"}, re: re(`validation failed: (?P<a>[A-Z]\w*) (?P<e>can't be blank|is invalid|is too \w+|must .{1,60}|is not .{1,40}|has already)`), kind: kindOther},
	// Python: calls.
	{rule: "python-call", lits: []string{"positional argument"}, re: re(`missing \d+ required (?:positional|keyword-only) arguments?: '(?P<a>\w+)'`), kind: kindMissing},
	{rule: "python-call", lits: []string{"unexpected keyword argument"}, re: re(`unexpected keyword argument '(?P<a>\w+)'`), kind: kindUnexpected},
	// Command lines: argparse, click, cobra.
	{rule: "command-line", lits: []string{"following arguments are required", "following required arguments"}, re: re(`required(?: arguments were not provided)?: *-{0,2}(?P<a>[\w\-]+)`), kind: kindMissing},
	{rule: "command-line", lits: []string{"missing option", "missing argument", "missing parameter"}, re: re(`missing (?:option|argument|parameter) ['"]?-{0,2}(?P<a>[\w\-]+)`), kind: kindMissing},
	{rule: "command-line", lits: []string{"invalid value for"}, re: re(`invalid value for ['"]?-{0,2}(?P<a>[A-Za-z_][\w.\-]*)['"]?(?: \([^)]*\))?: (?:'(?P<i>[^']{0,60})' )?(?P<e>is not .{1,60}|[^\n]{1,80})`), kind: kindFormat},
	{rule: "command-line", lits: []string{"argument --", "argument -"}, re: re(`argument -{1,2}(?P<a>[\w\-]+)(?:/-{1,2}[\w\-]+)*: (?P<e>[^\n]{1,80})`), kind: kindFormat},
	{rule: "command-line", lits: []string{"unknown flag", "unknown option", "unknown command line flag", "unrecognized arguments", "unrecognized option", "no such option", "unexpected argument"},
		re: re(`(?:unknown (?:command line )?(?:flag|option)|unrecognized (?:arguments?|option)|no such option|unexpected argument):? ['"]?-{0,2}(?P<a>[A-Za-z_][\w\-]*)`), kind: kindUnexpected},
	// google/go-github.
	{rule: "go-github", lits: []string{"code:missing", "code:invalid", "code:already", "code:unprocessable", "code:custom"}, re: re(`Field:(?P<a>\w+) Code:(?P<e>\w+)`), kind: kindOther},
	// ajv as text, joi, yup, class-validator.
	{rule: "ajv", lits: []string{"must have required property"}, re: re(`must have required property '(?P<a>[\w.\-$]+)'`), kind: kindMissing},
	{rule: "ajv", lits: []string{"must not have additional properties"}, re: re(`must not have additional properties(?:.{0,4}(?:\(|: ?)["']?(?P<a>[\w.\-$]+))?`), kind: kindUnexpected},
	{rule: "ajv", lits: []string{" must be ", " must match ", " must not "}, re: re(`(?:^|[\s,;])(?:data|body|params|arguments|input)?(?P<a>/[\w./\-]*\w) (?P<e>must (?:be|match|not) [^\n;]{1,80})`), kind: kindType},
	{rule: "ajv", lits: []string{"should be ", "should match ", "should have required property"}, re: re(`(?:^|[\s,;])(?:data|body|params)(?P<a>[./][\w./\-]+) (?P<e>should [^\n;]{1,80})`), kind: kindType},
	{rule: "joi", lits: []string{"\" is ", "\" must "}, re: re(`"(?P<a>[A-Za-z_][\w.\[\]]*)" (?P<e>is required|is not allowed to be empty|is not allowed|must be [^\n,;]{1,80}|must [^\n,;]{1,80}|is not allowed)`), kind: kindRange},
	{rule: "discord", lits: []string{"]: "}, re: re(`(?P<a>(?-i:[A-Za-z_][\w.]*))\[(?-i:[A-Z][A-Z_]{5,})\]: (?P<e>[^\n;]{1,80})`), kind: kindRange},
	// Own checks that list what they take.
	{rule: "listed", lits: []string{" must be '", " must be \"", " must be one of '", " must be one of \"", " must be either '", " must be either \""},
		re: re(`(?:^|: |\. )["']?(?P<a>[a-z]\w*)["']? must be (?:one of:? |either )?(?P<e>(?:["'][\w.-]+["'](?:, or |, | or ))+["'][\w.-]+["'])`), kind: kindEnum},
	// GraphQL.
	{rule: "graphql", lits: []string{"argument '", "argument \""}, re: re(`argument ["'](?P<a>\w+)["'](?: of type| on| is required| has invalid|\.)`), kind: kindOther},
	{rule: "graphql", lits: []string{"variable \"$", "variable $"}, re: re(`variable "?\$(?P<a>\w+)"?`), kind: kindOther},
}
