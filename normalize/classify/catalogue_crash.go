package classify

import (
	"github.com/caddymcp/gateway/normalize/envelope"
	"github.com/caddymcp/gateway/normalize/sanitize"
)

// crashCauses: the code of the tool or of the service broke.
var crashCauses = []cause{
	{id: "conflict", tier: tierMeaning, code: envelope.UpstreamClientError, class: envelope.Retryable, phrases: `
		deadlock | deadlock detected | changed by someone | another import | another export | another job | another run is | is running for this | in the meantime | since you read | since it was read | since you loaded | moved on since | modified by someone | edited by someone | by another transaction | by another process | by another client | by another session | by another request | by another instance | in use by another | changed since | by someone else | by another user |  deadlockdetected | acquire lock | acquire the lock | obtain lock | fast-forwarded | deadlock found | er_lock_deadlock | lock wait timeout | er_lock_wait_timeout | could not serialize access
		serialization failure | serializationfailure | could not obtain lock | lock not available | transaction conflict | transactionconflict*
		transaction was aborted | write conflict | writeconflict | version conflict | version_conflict* | conflict occurred | conflict_error
		conflictexception | edit conflict | editconflict | optimistic lock* | optimisticlock* | stale object | staleobjectstate* | object has been modified
		has been modified | was modified by | modified since | concurrent update | concurrentmodification* | resourceversion | precondition failed
		precondition_failed | preconditionfailed | conditionalcheckfailed* | conditional request failed | etag mismatch | etag does not match | 40001 | 40p01
		55p03 | ora-00060 | ora-00054 | busy and cannot be modified | in an incorrect state | resourceinuseexception | resource is in use | resourceconflict*
		operationaborted | another operation is in progress | operation already in progress | already in progress | is already running | is being updated`},
	{id: "conflict.name", tier: tierMeaning, code: envelope.UpstreamClientError, phrases: `
		execution reverted | transaction reverted | reverted with | nonce too low | nonce too high | transaction underpriced | intrinsic gas too low | gas required exceeds | changed after confirmation | can't be changed any more | cannot be changed any more | can no longer be changed | can no longer be edited | is already closed | already been closed | is already merged | already settled | is settled | is finalized | already finalized | verb is not |
		refusing to merge | would be overwritten | not mergeable | unrelated histories | uncommitted changes | method not allowed | method_not_allowed | not acceptable | unsupported media type | request entity too large | payload too large | uri too long
		expectation failed | length required | misdirected request | is already in use | already in use | resource is locked | merge conflict
		automatic merge failed | cannot be merged | non-fast-forward | failed to push some refs | conflict | upgrade required | failed precondition
		failed_precondition | failedprecondition`},
	{id: "crash", tier: tierMeaning, code: envelope.UpstreamError, class: envelope.Terminal, lead: leadCrash, phrases: `
		cannot read properties of | cannot read property | cannot set properties of | cannot set property | cannot destructure property
		cannot convert undefined or null | cannot access…before initialization | cannot assign to read only property | unhashable type | non-iterable | concatenate str | os.pathlike | unsupported type: | update depth exceeded | can't compare | cannot compare | not json serializable | is not serializable | values to unpack | indices must be | offset-naive
		positional argument but | positional arguments but | for an int32 | for an int64 | keyword argument repeated | is not callable | unbound method | abstract class | missing 1 required positional argument: 'self' | is not a function
		is not a constructor | is not iterable | is not defined | is not an object (evaluating | is undefined | undefined is not | null is not
		undefined index | undefined offset | undefined variable | undefined array key | undefined property | undefined method | undefined local variable
		uninitialized constant | invalid array length | maximum call stack | stack overflow | stackoverflowerror | heap out of memory | out of memory
		outofmemoryerror | outofmemoryexception | memoryerror | java heap space | cannot allocate memory | memory limit exceeded | memory exhausted
		allowed memory size | oom command not allowed | oomkilled | no space left on device | enospc | disk full | disk quota | disk i/o error
		input/output error | eio | database disk image is malformed | has no attribute | object is not subscriptable | object is not callable
		object is not iterable | object is not an iterator | object does not support | object has no | unsupported operand type | unsupported operand types
		not supported between instances | referenced before assignment | cannot access local variable | plugin crashed | handler crashed | tool crashed | no value present | hit a bug | blew up | handler gave none | ran out of memory | disk of the | disk is full | division by zero | math domain error | math range error | divide by zero
		integer divide by zero | zerodivisionerror | arithmeticexception | arithmeticerror | list index out of range | string index out of range
		tuple index out of range | index out of range | index out of bounds | index…out of bounds | indexoutofrange* | indexoutofbounds*
		arrayindexoutofbounds* | stringindexoutofbounds* | index was outside | slice bounds out of range | list assignment index | dictionary changed size
		keynotfoundexception | given key…was not present | not present in the dictionary | unboundlocalerror
		recursionerror | maximum recursion depth | notimplementederror | notimplementedexception | not implemented
		unsupportedoperationexception | assertionfailed* | assertion failed | nullpointerexception | *nullpointerexception | lateinit property | nullreferenceexception | null pointer
		nil pointer | null reference | object reference not set | nil map | nil:nilclass | for nil | member function…on null | call to undefined
		call to a member function | because…is null | value is null | nosuchmethoderror | illegal state | classcastexception
		class cast | cannot be cast to | invalidcastexception | sequence contains no elements | sequence contains more than one
		collection was modified | concurrentmodificationexception | interface conversion | all goroutines are asleep | concurrent map | segmentation fault
		segfault | sigsegv | sigabrt | sigkill | core dumped | bus error | panic | panicked | panic recovered | unwrap() | runtime error | fatal error
		uncaught | unhandled exception | unhandled error | unhandled promise rejection | unhandledpromiserejection | unhandledrejection
		unicodedecodeerror | unicodeencodeerror | codec can't | bad_alloc | std:: | abort trap | error while executing tool
		execution context was destroyed | event loop is closed | coroutine | was never awaited | circular structure | 空指针 | 数组越界`, unless: `
		object is not defined in schema | panic room | is not defined in | redis out of memory | value is null or empty`},
	{id: "crash.service", tier: tierProse, code: envelope.UpstreamError, phrases: `
		unexpected condition | server exception | while handling your request | while processing your request | on our side | on our end | internal server error | code = internal | code = unknown | code = dataloss | internal_server_error | internalservererror* | internal error | internal_error | internalerror | internalfailure
		internal failure | internal service error | internal exception | internal database error | internal fault | server error | server_error | servererror
		servererrorexception | server encountered an error | server had an error | server failed to | unexpected server error | fatal_error | api_error
		apierror | backend error | backenderror | backend_error | upstream error | upstream_error | upstream_failure | upstream failure
		upstream service error | upstream returned an error | bad gateway | badgateway | bad_gateway | gateway time-out | gatewaytimeout | gateway error
		proxy_error | application error | an unexpected error occurred on the server | something went wrong on our | our servers are | system error
		systemfailure | soap:server | ora-00600 | ora-07445 | xx000 | unknown: exception | 服务器内部错误 | 内部错误 | 服务器错误 | 系统错误 | 服务异常 | サーバーエラー | 内部エラー | 서버 오류
		내부 오류 | 서버 내부 | interner fehler | interner serverfehler | serverfehler | erreur interne | erreur serveur | erreur du serveur | error interno
		error del servidor | erro interno | erro do servidor | errore interno | внутренняя ошибка | ошибка сервера`},
}

var leadCrash = sanitize.Const("Error: the tool failed with an internal error.")
