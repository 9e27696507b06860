package classify

import "github.com/caddymcp/gateway/normalize/envelope"

// argumentCauses: the arguments were refused. The parsers of validation_*.go
// find which one; these phrases find that it was one.
var argumentCauses = []cause{
	{id: "argument.missing", tier: tierMeaning, code: envelope.BadRequest, phrases: `
		missing required | missing argument | missing arguments | missing parameter | missing parameters | missing field | missing fields | missing property
		missing properties | missing key | missing value | missing input | missing option | missing name | missing or invalid param* | missing or invalid arg*
		missing…parameter | missing…argument | missing…positional argument | missing_argument | missing_parameter | missing_required_parameter
		missing_required_field | missing_field | missingparameter | missingrequiredparameter | missingservletrequestparameter* | parameter_missing
		parametermissing | parameter missing | parameter is missing | parameter is required | argument is required | arguments are required
		argument is missing | field is required | field required | fields are required | is required | are required | is a required | is mandatory
		required argument | required arguments | required parameter | required parameters | required field | required fields | required property
		required property missing | required option | required input | required key not found | requires…argument | requires at least one | requires exactly
		requires either | no arguments | no arguments provided | no query provided | no input provided | no parameters | not provided | was not provided
		must be provided | must be specified | must be set | must be supplied | must be given | must be present | must provide | must specify | must supply
		must include | must contain | must not be blank | must not be empty | must not be null | must have | you must provide | you must specify
		please provide | please specify | exactly one of | at least one of | one of…is required | either…must be | either…or…required | cannot specify both
		cannot both | can't specify both | mutually exclusive | cannot be used together | cannot be used with | not allowed with argument
		conflicting options | expected one argument | expected at least one argument | the following required arguments | the following arguments are required
		has no value | not null constraint | not-null constraint | not_null_violation | notnullviolation | 不能为空 | 不可为空 | 必填 | 必须提供 | 必须指定 | 缺少必要 | 缺少参数 | 缺少必填
		缺失参数 | 缺少 | 不可以为空 | 必須です | 必須パラメータ | 指定してください | 필수입니다 | 필수 항목 | 필수 매개변수 | 필수 파라미터 | 필수 값 | erforderlich | pflichtfeld | darf nicht leer
		fehlender parameter | est requis | est requise | est obligatoire | obligatoire | paramètre manquant | champ requis | es obligatorio | es requerido
		obligatorio | requerido | falta el parámetro | é obrigatório | obrigatório | richiesto | обязательный | обязательно | is verplicht`},
	{id: "argument.invalid", tier: tierMeaning, code: envelope.BadRequest, phrases: `
		correct your input | is inconsistent with | correct parameter | is corrupted | is corrupt | not a pdf | available context size | maximum context length | context length exceeded | context_length_exceeded | exceeds the context | context window | prompt is too large | prompt is too long | has not been decrypted | is encrypted | password-protected | more than one device | sql compilation error | unexpected '<eof>' | valid values are | received…valid values | cannot parse expression | invalid symbol | not a valid symbol | must join a | cannot nest | cannot be nested | no active warehouse | ambiguous column | does not support | doesn't support | not supported for | not supported by | expected…occurrence* | expected…but found | did not resolve to | operator does not exist | incorrect integer value | incorrect value | incorrect datetime value | incorrect date value | incorrect decimal value
		unrecognized | unrecognised | unknown operator | unknown stage | unknown modifier | would result in no changes | no changes | nothing to commit | maximum allowed
		is the maximum | cannot navigate to invalid | could not be downloaded | address required | name required | id required | value required | nothing to update | nothing to change | nothing to do | no fields to | no changes to | no updates | no data to | invalid reference | were provided | was empty | is empty | are empty | parse arguments | parsing arguments | parse the arguments | decode arguments | request body is | already taken | is taken | has been taken | invalid argument | invalid arguments | invalid_argument | invalid_arguments | invalidargument* | invalidparameter* | invalidrequest* | invalidinput*
		invalidvalue* | invalidquery* | illegalargument* | illegal argument | illegal value | argumentexception | argumentnullexception | argumentoutofrange*
		argumenterror | arguments are invalid | invalid parameter | invalid parameters | invalid params | invalid_params | invalid_parameter
		invalid_parameters | invalid param | invalid input | invalid_input | invalid request | invalid_request | invalid_request_error | invalid body
		invalid request body | invalid payload | invalid_payload | invalid value | invalid_value | invalid values | invalid format | invalid_format
		invalid type | invalid_type | invalid field | invalid_field | invalid_field_for* | malformed_query | malformed_id | invalid data | invalid date
		invalid_date | invalid time | invalid timezone | invalid timestamp | invalid duration | invalid url | invalid_url | invalid uri | invalid email
		invalid email address | invalid uuid | invalid id | invalid_id | invalid identifier | invalid name | invalid path | invalid number | invalid integer
		invalid option | invalid choice | invalid enum | invalid enum value | invalid literal | invalid syntax | invalid query | invalid_query
		invalid expression | invalid regular expression | invalid regex | invalid pattern | invalid range | invalid length | invalid size | invalid json-rpc
		invalid json in | invalid cron | invalid cursor | invalid page token | invalid encoding | invalid character in | invalid base64 | invalid color
		invalid currency | invalid coordinates | invalid filter | invalid sort | invalid selector | invalid property | invalid column
		invalid isoformat string | invalid datetime | invalid input syntax | invalid text representation | invalid_text_representation | invalid digit
		invalid sql | invalid content type | invalid content-type | invalid protocol version | invalid version | invalid message | invalid_message
		invalid blocks | invalid_blocks | no_text | msg_too_long | message text is empty | message is too long | is invalid | are invalid | is not valid
		is not a valid | not a valid | isn't valid | is malformed | malformed | bad_request | badrequest | badrequestexception | bad request | bad value
		bad argument | bad syntax | no such timezone | no such time zone | no such currency | no such unit | no such language | no such format | unknown resource type | unknown event type | unknown node type | unknown entity type | unknown content type | unknown file type | unknown data type | unknown chart type | unknown field type | unknown message type | unknown document type | unknown object type | unknown item type | in the correct format | no enum constant | does not contain element with name | no value associated with key | bad format | badly formatted | incorrect format | wrong format | wrong type | incorrect type | type mismatch
		type_mismatch | typemismatch* | methodargumenttypemismatch* | methodargumentnotvalid* | unexpected type | unsupported type | unsupported value
		unsupported format | unsupported file type | unsupported protocol | unsupported url protocol | unsupported scheme | unsupported option
		unsupported parameter | unsupported operator | unsupported language | unsupported currency | unsupported unit | unsupported_value | unknown argument
		unknown arguments | unknown parameter | unknown_parameter | unknown field | unknown option | unknown flag | unknown property | unknown timezone
		unknown time zone | unknown variant | unknown key | unknown unit | unknown type | unknown query | unknown format | unknown value | unknown language
		unknown currency | unknown encoding | unrecognized argument | unrecognized arguments | unrecognized parameter | unrecognized key | unrecognized keys
		unrecognized_keys | unrecognized option | unrecognized field | unrecognizedpropertyexception | unexpected argument | unexpected keyword argument
		unexpected parameter | unexpected property | unexpected additional properties | unexpected field | unexpected value | unexpected key
		unexpected message | additional properties | additional property | additionalproperties | extra inputs are not permitted | extra fields not permitted
		extra_forbidden | is not allowed to be empty | should not be empty | should be a valid | should be one of | should have at | should match
		input should be | value should be | value is not a valid | value is not valid | must be a | must be an | must be at | must be between
		must be greater | must be less | must be one of | must be positive | must be non-negative | must be unique | must be in | must be within
		must be before | must be after | must be larger | must be smaller | must be valid | must be either | must be equal | must be integer | must be string
		must be number | must be boolean | must be object | must be array | must be true | must be different | must be less than or equal to | must equal
		must match | must match the type | must not | must start with | must end with | must use | must be >= | must be <= | must be > | must be <
		must consist | cannot be empty | can't be empty | can not be empty | can't be blank | cannot be blank | cannot be null | can not be null
		cannot be negative | cannot be zero | cannot be greater | cannot be less | cannot be longer | cannot be before | cannot be after | cannot be in the
		cannot be parsed | cannot be used | cannot be the same | cannot exceed | cannot parse | cannot unmarshal | cannot deserialize | cannot convert
		cannot coerce | cannot cast | cannot query field | could not convert | could not be converted | could not be parsed | could not parse | couldn't parse
		failed to convert | failed to parse | failed to deserialize parameters | failed to deserialize | failed to bind | failed to coerce | unable to parse
		unable to convert | conversion failed | conversion from…failed | parsing…failed | parse error | parse_error | parsing error | parsing_exception
		parseexception | parseerror | query_shard_exception | x_content_parse_exception | mapper_parsing_exception | illegal_argument_exception | parsing time
		parsing end time | parsing start time | error parsing | syntax error | syntax_error | syntaxerror | incorrect syntax | error in your sql syntax
		er_parse_error | er_dup_entry | 42601 | 22p02 | 22007 | 23502 | 23503 | 23505 | 23514 | sql_error | programmingerror | integrityerror
		dataerror | duplicate key | duplicate entry | duplicate value | duplicate_value | duplicate name | unique constraint | unique_violation
		uniqueviolation | foreign key constraint | foreign_key_violation | foreignkeyviolation | check constraint | violates | constraint violation
		constraintviolation* | constraint failed | constraint_violation | e11000 | ora-00001 | ora-00904 | ora-00933 | ora-00936 | ora-01400 | ora-02291
		ora-01722 | wrongtype | wrong number of arguments | wrong kind of value | value out of range | out of range | out of bounds of | out_of_range
		outofrange | numberformatexception | datetimeparseexception | inputmismatch* | formatexception | input string was not in a correct format
		for input string | unparseable | does not match format | does not match the pattern | does not match pattern | does not match regex
		does not match the regex | did not match pattern | doesn't match pattern | does not match any of | does not match the expected
		unconverted data remains | month must be in | day is out of range | year is out of range | is not one of | is not of type | not of type
		is not a string | is not a number | is not an integer | is not a boolean | is not an array | is not an object | is not supported | are not supported
		not supported | isn't supported | is too long | is too short | is too large | is too small | is too big | is too old | is too many | too long
		too short | too large | too small | too big | too many arguments | too few | exceeds maximum | exceeds the maximum
		exceeds maximum allowed | exceeds max | exceeds the limit | exceeds limit | exceeds the allowed | exceeds allowed | exceeded maximum length
		maximum context length | context_length_exceeded | context length | maximum length | maximum size | maximum allowed size | max length
		less than or equal to | less than the minimum | greater than or equal to | greater than the maximum | expected…got | expected…received | expected…but
		expected one of | expected type | expected hh:mm | expected string | expected integer | expected number | expected a | expected an | expects a
		expects an | expecting a | got an unexpected | got string | but got | instead got | validation error | validation errors | validation_error
		validation_failed | validation failed | validation failure | validation problem | validationerror | validationexception | failed validation
		did not pass validation | input validation | schema validation | schema violation | unprocessable | zoderror | typemismatch
		graphql_validation_failed | graphql_parse_failed | bad_user_input | argument_literals_incompatible | missingrequiredarguments | undefinedfield
		was provided invalid value | eisdir | is a directory | not clickable | not interactable | isadirectoryerror | illegal operation on a directory | enotdir | not a directory
		notadirectoryerror | eexist | file exists | fileexistserror | already exists | already_exists | alreadyexists* | enotempty | directory not empty
		enametoolong | file name too long | einval | exdev | errno 20 | errno 21 | errno 22 | unhashable | invalid literal for int
		could not convert string to | not well-formed | 参数错误 | 参数无效 | 参数不合法 | 参数格式 | 无效的参数 | 无效参数 | 非法参数 | 格式错误 | 格式不正确 | 格式无效 | 类型错误 | 必须是 | 必须为 | 应为 | 取值范围
		语法错误 | 超出范围 | 不正确 | 不合法 | 无效的日期 | パラメータが不正 | 不正な | 形式が正しく | 正しくありません | でなければなりません | 無効な値 | 잘못된 | 올바르지 않 | 유효하지 않 | 형식이 | 이어야 합니다 | 여야 합니다 | ungültig
		ungültige | ungültiger | ungültiges | muss | invalide | doit être | paramètre invalide | format incorrect | inválido | inválida | no válido
		no es válido | debe ser | formato incorrecto | deve ser | non valido | deve essere | неверный | некорректный | недопустимый | должен быть | ongeldig
		geçersiz`, unless: `
		upstream request | must be logged in | must be installed | no valid session id…401 | expected available`},
	{id: "argument.unsupported", tier: tierClass, code: envelope.BadRequest, phrases: `
		valueerror | 42000 | usage: | bad request:`},
}
