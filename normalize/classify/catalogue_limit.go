package classify

import (
	"github.com/caddymcp/gateway/normalize/envelope"
	"github.com/caddymcp/gateway/normalize/sanitize"
)

// limitCauses: output schemas, private addresses, rates, capacity, switches.
var limitCauses = []cause{
	{id: "output.schema", tier: tierOutput, code: envelope.OutputValidationFailed, phrases: `
		output validation error | declared output schema | output schema demands | output schema requires | output schema wants | output schema expects | has the wrong shape | match outputschema | match output schema | violates its output schema | violates the output schema | output validation failed | output validation…failed | output schema validation failed | output schema validation error
		output schema but no structured | outputschema defined but no structured | invalid structured content | invalid structured output
		invalid tools/call result | validating tool output | tool output validation | output does not match…schema | output did not match…schema
		does not match the output schema | does not match output schema | does not match its output schema | does not match tool's output schema
		structured content does not match | structuredcontent does not match | response missing structured content | missing structured content
		invalid tool output | response validation failed | result validation failed | responsevalidationerror | fastapi.exceptions.responsevalidationerror
		failed to validate output | result does not conform to | output failed schema validation`, unless: `input validation failed | input validation error`},
	{id: "ssrf.blocked", tier: tierSSRF, code: envelope.SSRFBlocked, phrases: `
		ssrf | private/internal ip | private or internal ip | private or reserved | private or loopback | private or local | private ip…block*
		private ip…not allowed | private ip…denied | private ip…forbidden | private ip…not permitted | private ip…disallowed | private address…block*
		private address…not allowed | private address…not permitted | private addresses…block* | private addresses…not allowed
		private addresses…not permitted | private network…block* | private network…not allowed | private network…not permitted | private networks…not allowed
		private networks…block* | resolves to a private | resolves to private | resolves to an internal | resolves to a non-public | resolves to non-public
		resolves to a loopback | resolves to a reserved | resolves to a blocked ip | resolves to blocked | resolved to a private | resolved to private
		resolves to a restricted | non-public ip | non-public address | non-global ip | not a public ip | not a global address | internal address…block*
		internal address…not allowed | internal addresses…not allowed | internal network…block* | internal network…not allowed
		internal network…not permitted | internal network addresses | internal hosts are not allowed | internal urls are not allowed | loopback…not allowed
		loopback…block* | localhost…not allowed | localhost is blocked | localhost…not permitted | localhost urls…block* | blocked…private
		blocked…internal ip | blocked…loopback | blocked…link-local | blocked…localhost | blocked…metadata | refusing to connect to private
		refusing to fetch private | refused to access private | forbidden ip range | blocked ip range | disallowed ip address
		ip address is in a private range | reserved ip range | link-local address…not allowed | link-local addresses…not allowed | metadata endpoint…denied
		metadata endpoint…block* | metadata endpoint…not allowed | metadata service…block* | metadata service…not allowed | cloud metadata
		outbound url blocked | url blocked by url policy | 内网地址 | 私有地址 | 内网 ip`, unless: `
		to connect to this mysql | to connect to this mariadb`},
	{id: "limit.rate", tier: tierLimit, code: envelope.RateLimited, phrases: `
		rate limit hit | rate limit detected | application request limit | user request limit | is over its | over its…limit | flood wait | floodwait | 配额超限 | 超限 | 限制访问 | 调用量超限 | 并发超限 | rate limit | rate limits exceeded | rate limited | rate-limited | rate-limit | rate limiting | rate_limited | rate_limit | rate_limit_exceeded
		rate_limit_error | rate_limit_reached | ratelimit* | rate exceeded | rate of requests exceeded | rate has been exceeded | request rate too large
		request rate is large | request rate exceeded | request_limit_exceeded | requestlimitexceeded | requests_rate_limit_exceeded | request limit exceeded
		request limit reached | request limit has been | requests limit exceeded | requests limit reached | request quota | requests limit…exceeded
		totalrequests limit exceeded | call limit exceeded | call limit reached | api limit exceeded | api limit reached | api call limit | api calls exceeded
		api request limit | api usage limit | usage limit reached | usage limit exceeded | usage limit…reached | limit of…requests per | limit of…calls per
		limit of…per second | limit of…per minute | requests per second…exceeded | requests per minute…exceeded | requests per hour…exceeded
		requests per day…exceeded | exceeded…requests per | exceeded…calls per | exceeded your…requests | exceeded the…requests per
		exceeded the limit of…request* | exceeded your daily | exceeded your monthly | exceeded your hourly | exceeded the rate | exceeded your rate
		exceeded retry limit, last status: 429 | daily limit | hourly limit | weekly limit | monthly limit | daily quota | monthly quota | hourly quota
		daily request | rolling limit | daily_limit | dailylimitexceeded | limitexceeded | limitexceededexception | limit_exceeded | per-minute limit
		per-second limit | too many requests | too_many_requests | toomanyrequests* | too many api requests | too many api calls | too many calls
		are limited to | is limited to…per | number of allowed | used up today | request too many | requests too many | throttles us | throttles you | lot of requests | take a break | bucket empty | bucket is empty | calls a minute | requests a minute | calls an hour | requests an hour | calls a day | requests a day | too many attempts | too many login attempts | too many failed | too many queries | too many messages | too many retries in | too many tokens
		too frequent | too frequently | too_frequent | excessive requests | excessive request rate | making too many | made too many | sent too many
		sending too many | sending requests too | sending messages too | requests too quickly | requests too fast | hit your…limit | hit the…limit | reached your…limit | over the daily | over the monthly | over the hourly | over your | usage cap | too much | too much request | weight used | request weight | cap hit | cap reached | cap exceeded | outstanding requests | requests in a short | slow your | cool off | wait before | too quickly | too fast | slow down
		slowdown | slow_down | please slow | throttl* | request was throttled | throttlingexception | throttlederror | provisionedthroughputexceeded*
		throughput exceeded | throughput for the table was exceeded | requestthrottled* | bandwidthlimitexceeded | flood_wait* | floodwait* | flood wait
		floodwaiterror | flood control | quota exceeded | quota_exceeded | quotaexceeded* | exceeded quota | exceeded its quota | exceeded the quota
		exceeds quota | exceeded for quota | quota limit | quota has been exceeded | quota has been reached | quota is exceeded | quota reached | out of quota
		quota exhausted | over quota | over_query_limit | over query limit | over_daily_limit | over_rate_limit | query limit exceeded | query_limit_exceeded
		resource_exhausted | resourceexhausted | resource exhausted | resource has been exhausted | userratelimitexceeded | userlimitexceeded | burst limit
		burst capacity exceeded | backoff requested | back off and retry | serverbusy | server busy | code: 429 | enhance your calm | enhance_your_calm
		es_rejected_execution_exception | circuit_breaking_exception | a wait of | cooldown period | in cooldown | on cooldown | api rate limit | tokens per min
		tokens per minute | requests per min | error code: 1015 | tpm limit | rpm limit | 请求过于频繁 | 请求太频繁 | 请求频率 | 操作过于频繁 | 操作太频繁 | 访问过于频繁 | 访问频率 | 频率限制 | 频率超限
		调用频率 | 请求次数过多 | 请求过多 | 请求数过多 | 限流 | 超出限额 | 超过限额 | 超出配额 | 超过配额 | 配额已用 | 配额不足 | 流量限制 | 速率限制 | 太快了 | 过于频繁 | 太频繁 | リクエストが多すぎ | リクエスト数が多すぎ | レート制限
		リクエスト制限 | 利用制限 | 上限に達しました | 요청이 너무 많 | 너무 많은 요청 | 요청 한도 | 호출 한도 | 사용량 한도 | 속도 제한 | 할당량 | zu viele anfragen | zu viele anforderungen | anfragelimit
		ratenlimit | kontingent überschritten | trop de requêtes | trop de demandes | limite de requêtes | limite de débit | quota dépassé
		demasiadas solicitudes | demasiadas peticiones | límite de solicitudes | limite de solicitudes | límite de velocidad | cuota excedida
		muitas solicitações | muitas requisições | limite de requisições | troppe richieste | limite di richieste | слишком много запросов | превышен лимит
		превышена квота | te veel verzoeken | çok fazla istek`, unless: `
		insufficient_quota | current quota, please check your plan | exceeds the maximum rate limit value | no rate limit | concurrent request*
		concurrency limit* | unauthenticated requests | invalid rate limit`},
	{id: "limit.budget", tier: tierMeaning, code: envelope.UpstreamClientError, phrases: `
		budget has been exceeded | budget exceeded | budget exhausted`, unless: `
		complexity | reset in | resets in | retry after | try again in`},
	{id: "limit.complexity", tier: tierMeaning, code: envelope.RateLimited, phrases: `
		complexity budget | complexity limit | complexityexception | budget…reset in`},
	{id: "limit.credits", tier: tierMeaning, code: envelope.UpstreamClientError, advice: adviceBilling, phrases: `
		requires more credits | more credits | add credits | buying power | exceeds the balance | exceeds balance | exceeds your balance | insufficient margin | insufficient liquidity | usage hard limit | hard limit exceeded | current plan | your subscription plan | subscription plan | premium plan | requires premium | premium only | insufficient_quota | current quota, please check your plan | any credits | trial is over | trial over | does not cover | doesn't cover | already paid | enterprise subscription | paid subscription | requires a subscription | requires a paid | requires an upgrade | out of money | needs the pro | needs a paid | pro plan | paid plan | business plan | higher plan | upgrade required for your plan | payment needed | payment is needed | payment is required | subscription has ended | subscription ended | creditsdepleted | credits limit | enterprise plan | pro plan | paid plan | premium plan | business plan | higher plan | credit limit | insufficient credits | insufficient credit
		not enough credits | no credits | no credits remaining | no credits left | no remaining credits | out of credits | run out of credits
		ran out of credits | credits exhausted | credit exhausted | credits depleted | credit balance is too low | credit balance too low | credit balance
		insufficient balance | insufficient_balance | insufficient funds | insufficient_funds | insufficient credit balance | payment required
		payment_required | payment method required | billing hard limit | billing_hard_limit_reached | billing account | billing not active
		billing_not_active | billing is not enabled | billing_not_enabled | billing must be enabled | enable billing | billing has not been
		subscription expired | subscription has expired | subscription required | subscription is required | subscription is inactive | plan limit
		plan limit reached | plan_limit_reached | plan does not include | plan does not support | plan doesn't include | not available on your plan
		not available on your current plan | not available in your plan | not included in your plan | upgrade your plan | please upgrade | upgrade to
		trial has expired | trial expired | trial has ended | trial_expired | free tier limit | free trial | card was declined | card_declined | card_error
		余额不足 | 欠费 | 套餐不支持 | guthaben`},
	{id: "capacity", tier: tierCapacity, code: envelope.AtCapacity, phrases: `
		another…is using | is already using | is in use by | in use by another | being used by someone | someone else is using | is using the browser | at capacity | all slots | slots are in use | all in use | currently in use by others | no capacity left | at_capacity | at full capacity | at max capacity | at maximum capacity | over capacity | overcapacity | capacity exceeded
		capacity reached | capacity limit | insufficient capacity | insufficientinstancecapacity | no capacity | no available capacity | model_at_capacity
		overloaded | overloaded_error | overloadederror | engine is currently overloaded | server overload | system overload | system is overloaded | too busy
		server is busy | currently busy | is busy processing | resource is busy | swamped | too many people | too many…are open | too many…open at | too many…in progress | heavy use | agents are busy | take no more | limit of…reached, stop |  to spare right now | high demand | high load | high traffic | heavy load | under load
		load shedding | load shed | concurrency limit* | concurrency_limit* | concurrency exceeded | concurrent request limit | concurrent requests limit
		concurrent requests | concurrent connections | concurrent sessions | concurrent session limit | concurrent executions | concurrent jobs
		concurrent calls | concurrent tasks | concurrent queries | concurrent operations | concurrent tool calls | simultaneous connections
		simultaneous requests | max concurrency | maximum concurrency | concurrentmodificationlimit | reservedfunctionconcurrent*
		maximum number of concurrent | maximum number of sessions | maximum number of connections | maximum connections reached | maximum sessions reached
		max sessions reached | max number of clients reached | max_connections | max_user_connections | maximum parallel | too many connections
		too_many_connections | too many clients | too many sessions | too many open sessions | too many open connections | too many concurrent
		too many parallel | too many simultaneous | too many pending | too many queued | too many waiting | too many running | too many active | too many in-flight | too many jobs
		too many open files | er_con_count_error | er_too_many_user_connections | connection slots | connection slots are reserved
		remaining connection slots | connection pool exhausted | connection pool is exhausted | connection pool is full | connection pool timeout
		pool exhausted | pool is full | poolexhausted* | pool timeout | pooltimeout | queuepool limit
		timed out fetching a new connection from the connection pool | unable to acquire a connection | no available connections | no free connections
		no connections available | no idle connections | no available workers | no workers available | no worker available | no available slots
		no free slots | no slots available | no available session | no available browser | worker pool is full | workers are busy | all workers busy
		all workers are | queue is full | queue full | queue_full | queue overflow | queue limit | queue capacity | queue size exceeded
		queue length exceeded | job queue full | bulkheadfull* | bulkhead is full | rejectedexecution* | threadpool exhausted | thread pool exhausted
		backpressure | 并发数 | 并发超限 | 并发限制 | 并发请求 | 服务器繁忙 | 系统繁忙 | 服务繁忙 | 服务器过载 | 过载 | 队列已满 | 混雑 | 過負荷 | 과부하 | 서버가 혼잡 | 동시 요청 | überlastet | ausgelastet
		surchargé | sobrecargado | перегружен`, unless: `
		function overload* | no overload | operator overload* | es_rejected_execution_exception | circuit_breaking_exception`},
	{id: "switch.edition", tier: tierMeaning, code: envelope.ServiceDisabled, phrases: `
		requires…or higher | requires…edition | requires…enterprise | requires…premium | requires…or later | only available for | only available on | only available in | only offered to | only offered in | not available on…installations | not available in this edition | not available for this edition | not part of this edition`, unless: `
		only available to members | only available to admin*`},
	{id: "switch.breaker", tier: tierDisabled, code: envelope.ServiceDisabled, phrases: `
		已达到最大调用次数 | 达到最大调用次数 | reached the maximum number of calls | maximum call count reached | call limit for this tool`},
	{id: "switch.off", tier: tierDisabled, code: envelope.ServiceDisabled, phrases: `
		服务被禁用 | 被禁用 | 已禁用 | 已停用 | is disabled | has disabled | have disabled | owner has disabled | are disabled | has been disabled | have been disabled | was disabled | been disabled by | currently disabled | temporarily disabled
		permanently disabled | tool disabled | tool…disabled | feature disabled | feature…disabled | feature_disabled | service disabled | service_disabled
		servicedisabled | disabled by administrator | disabled by admin | disabled by your administrator | disabled by configuration | disabled by policy
		disabled for this | disabled for your | disabled in configuration | disabled in settings | disabled on this | api…disabled | accessnotconfigured
		access not configured | has not been used in project | not enabled for | not enabled on | not enabled in | isn't enabled | is not enabled
		are not enabled | feature not enabled | feature is not available | feature_not_enabled | feature_not_available | not currently enabled
		must be enabled | to enable it | to enable | enable it by visiting | enable it in | switched off | turned off | is turned off | has been turned off
		deactivated | is deactivated | decommissioned | has been deprecated and | is deprecated and no longer | no longer supported | no longer available
		has been discontinued | discontinued | has been retired | has been sunset | has been shut down | has been suspended | is suspended | account suspended
		account_suspended | account_inactive | account has been suspended | maintenance mode | under maintenance | in maintenance | down for maintenance
		scheduled maintenance | undergoing maintenance | 已停用 | 已禁用 | 已被禁用 | 未启用 | 尚未启用 | 已下线 | 维护中 | 正在维护 | 已关闭服务 | 無効になって | 無効です | メンテナンス | 비활성화 | 점검 중
		사용할 수 없도록 설정 | deaktiviert | wartungsarbeiten | désactivé | desactivado | deshabilitado | en mantenimiento | отключен`, unless: `
		user is disabled | user account is disabled | key is disabled | key has been disabled | token has been disabled | javascript is disabled
		read-only | read only | is disabled or | streamreadfeature | include_source_in_location | element is not enabled | element is disabled | waiting for element to be
		to enable javascript | verbose | to enable debug | invalid username | wrongpass | autocommit | user has been deactivated | billing is not enabled`},
}

var adviceBilling = sanitize.Const("Retrying will not help until the plan or the credits of the account have changed.")
