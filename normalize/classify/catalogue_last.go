package classify

import "github.com/caddymcp/gateway/normalize/envelope"

// classCauses: what is left when nothing said more.
var classCauses = []cause{
	{id: "class.argument", tier: tierClass, code: envelope.BadRequest, phrases: `bad request | bad_request`},
	{id: "class.constraint", tier: tierClass, code: envelope.BadRequest, phrases: `
		exceeds…limit of | is needed | are needed | line up | lines up | upload limit | size limit | file size | is not hexadecimal | is not numeric | is not alphanumeric | not tradable | belongs to another | cannot be parsed | can't be parsed | could not be parsed | may not contain | cannot contain | may only contain | ended unexpectedly | ends unexpectedly | narrow your | non-numeric | not possible | numbers only | is after end | password protected | cannot be sorted | does not support | doesn't support | do not support | does not look like | doesn't look like | make sense of | makes no sense | not accepted | pick one of | choose one of | larger than | longer than | shorter than | bigger than | smaller than
		more than the | fewer than | in the past | in the future | before its start | before it begins | can't combine | cannot combine | can't be combined | cannot be combined | not both
		does not parse | doesn't parse | unbalanced | unterminated | syntax problem | the most we | exists already | identical | empty string | lie between | lies before | are refused | takes an
		takes a | longer than we | no duplicates | out of order | wrong number of | wrong length | wrong size | too narrow | too wide | too broad | too short | too long | too large | too small
		overlaps | conflicts with the | isn't one of | is none of | not one of | not among | should look like | letters | digits | characters long | can be imported | can be used here
		not an iso | isn't an iso | not a number | not a date
		only…allowed | only…supported | only…accepted | only…permitted | is not a | is not an | isn't a | isn't an | unexpected character | unexpected operator | unexpected shell | unexpected symbol | unexpected identifier
		must | should | in the format | needs | has to | have to | use a | use an | too few | does not compile | reversed | expected | expecting | expects | can only | may only | only one | exactly one | at least one | at most | does not match | do not match | doesn't match
		mismatch | violation | invalid | illegal | incompatible | ambiguous | duplicate | too many | not unique | problems parsing | parsing | unparseable | unsupported
		cannot be used | not applicable | outside the range | out of | 必须 | 不支持 | 格式`, unless: `request failed | please try again | something went wrong`},
	{id: "class.unknown", tier: tierClass, code: envelope.BadRequest, phrases: `unknown`, unless: `
		unknown error | unknown reason | unknown failure | unknown exception | unknown status | unknown issue | unknown problem | unknown cause | <unknown> | unknown location | unknown reasons`},
	{id: "class.none", tier: tierClass, code: envelope.NotFound, pair: [2]string{"none", "thing"}},
	{id: "class.absent", tier: tierClass, code: envelope.NotFound, phrases: `don't have any | do not have any | doesn't have any | does not have any | has no | have no | had no | holds no | contains no | there isn't | isn't there | is not there | not there | nothing`},
	{id: "class.crash", tier: tierClass, code: envelope.UpstreamError, class: envelope.Terminal, lead: leadCrash, phrases: `
		typeerror | referenceerror | rangeerror | keyerror | attributeerror | nameerror | nomethoderror | indexerror | illegalstateexception
		invalidoperationexception | systemerror | evalerror | lookuperror | oserror | ioerror`},
	{id: "vague", tier: tierVague, code: envelope.UpstreamUnknown, phrases: `
		failed to | unable to | could not | couldn't | cannot | can't | error while | error during | without | because | must | should | only | invalid
		unexpected | missing | ended | exit code | failed | failure`},
	{id: "vague.wrapper", tier: tierVague, code: envelope.UpstreamUnknown, phrases: `error executing | error calling | error processing | error`},
}
