package classify

import (
	"strings"

	"github.com/caddymcp/gateway/normalize/envelope"
)

// set is a list of phrases of one kind, for pairs.
type set struct{ name, phrases string }

// near is the longest distance in bytes between the two hits of a pair.
const near = 48

// sets are the kinds of words that pairs are made of.
var sets = []set{
	{"secret", `device code | authorization code | verification code | login code | bot token | shared secret | oauth grant | refresh token | token | tokens | api key | apikey | api-key | api_key | api keys | credential | credentials | password | passphrase | login | username | authentication
		auth | oauth | jwt | bearer | access key | secret key | consumer key | app key | application key | client key | license key | session token | virtual key | client secret | personal access token | pat | cookie | sign-in | signin | principal | identity
		令牌 | 密钥 | 密码 | 登录 | トークン | パスワード | 토큰 | 비밀번호 | zugangsdaten | passwort | mot de passe | identifiants | contraseña | credenciales | senha`},
	{"bad", `no good | must accompany | no longer | no validity | refused | stale | rotated | no longer works | does not match | doesn't match | do not match | blank | lacks | on record | not recognised | not linked | not known | invalid | incorrect | wrong | bad | expired | revoked | rejected | missing | required | malformed | unrecognized | unrecognised | not valid | not set | not provided
		not recognized | not accepted | no longer valid | no longer accepted | obtain new | not configured | not present | not supplied | not exist | inactive | failed | failure | denied | unknown | absent | empty | mismatch | unverified | incomplete
		unable | could not | error | 失效 | 无效 | 错误 | 过期 | 失败 | 无法 | 無効 | 期限切れ | 만료 | ungültig | falsch | abgelaufen | invalide | expiré | incorrect | inválido | inválida | expirado | caducado`},
	{"right", `permission | permissions | privilege | privileges | scope | scopes | role | roles | rights | authorization | authorized | entitlement | entitled | license | licence | premium
		admin | administrator | owner | saml | sso | whitelist | allowlist | acl | policy | iam | access`},
	{"lacking", `missing | required | requires | insufficient | denied | lack | lacks | without | not | need | needs | must | protected | restricted | rejected | no | forbids | prevents | blocks | rent | paid | prohibits`},
	{"link", `connection | connections | socket | connect | connecting | channel | transport | stream | network | host | peer | daemon | backend | server | upstream | database | service | broker | node | websocket
		tunnel | process | worker | container | gateway | proxy | pipe | bridge | client | rpc | agent | plugin | addon | extension | browser | device | instance | endpoint | api | cluster | 连接 | 服务 | 接続 | 연결`},
	{"down", `refused | failed | closed | reset | lost | broken | unreachable | down | terminated | dropped | aborted | disconnected | unavailable | offline | dead | crashed | exited | died
		interrupted | hung up | not running | not responding | unresponsive | not respond | not started | stopped | killed | not available | not answering | not listening | no route | could not talk | can not talk | cannot talk | not alive | not online | no response | shut down | went away | 失败 | 断开 | 中断`},
	{"thing", `presentation | slide | slicer | template | templates | records | cluster | index | board | workspace | reference | link | context | database | collection | repository | repo | branch | commit | label | tag | topic | symbol | station | city | place | location | namespace | pod | service account | group | team | list | card | column | job | run | build | pipeline | workflow | model | dataset | table | schema | key | secret | session | player | game | device | sensor | entity | node | graph | edge | relation | template | report | dashboard | widget | alert | rule | policy | certificate | domain | zone | bucket | blob | container | volume | network | subnet | instance | function | package | module | version | release | record | records | contact | contacts | event | events | message | messages | email | emails | file | files | folder | page | pages | user | users | item | items | resource | issue | issues
		row | rows | entry | entries | document | documents | tab | sheet | snapshot | project | projects | channel | task | tasks | note | notes | ticket | order | customer | product | id | account | object | image`},
	{"none", `no | none of the | without a | without any`},
	{"gone", `is archived | was archived | unknown | nonexistent | missing from | is missing | not there | isn't there | not present | isn't in | is not in | not part of | is not part of | absent from | absent | not listed | has been deleted | no longer lives | isn't on | is not on | has not been created | does not appear | doesn't appear | never existed | never created | not located | was not located | could not be located | not available anymore | archived or removed | has been archived | been removed | was removed | was deleted | been deleted | could not be retrieved
		matched the given | match the given | matching the given | no longer there | no longer available | no longer exist | vanished | no trace`},
	{"quota", `allowance | meter | calls per | budget of calls | requests | calls | usage | quota | quotas | rate | hits | queries | operations | attempts | daily | hourly | monthly | weekly | rpm | tpm | rps | qps | invocations`},
	{"over", `gone | spent | at its end | is over | been used | is used | have been used | calls used | requests used | exceeded | exhausted | surpassed | depleted | used up | limit reached | limit hit | run out | over limit | limit was reached | limit has been reached | maxed out | over the limit | limit exceeded`},
	{"parallel", `gpus | gpu | machine | machines | backlog | cursors | licenses | concurrent | concurrency | parallel | simultaneous | simultaneously | queue | slots | slot | pool | workers | sessions | threads | runners | seats | jobs | runs | executions | sandboxes | browsers | containers`},
	{"full", `no more | taken | occupied | run dry | ran dry | to spare | over its bound | over its limit | full | exhausted | max | reached | exceeded | too many | saturated | no available | none available | no free | all busy | all in use | limit | maximum number | unavailable | waiting | in use`},
	{"feature", `agent | integration | endpoint | connector | feature | feature flag | flag | feature flags | module | code execution | features | capability | tool | plugin | addon | add-on | service | api | search | exports | bot | skill | action | command | route | version`},
	{"off", `switched off | turned off | is off | are off | retired | paused | deactivated | sunset | discontinued | decommissioned | not enabled | disabled | off by default | switched this | switched it off | taken down | withdrawn | removed in | no longer offered | end of life`},
	{"deadline", `allotted | deadline | time budget | time limit | time allowed | time window | allotted time | allowed time | max wait | wait time | maximum wait`},
	{"passed", `ran into | ran past | past its | beyond | exceeded | exceeds | passed | expired | elapsed | missed | hit | reached | over | ran out | run out`},
	{"inside", `private ip | private address | private addresses | private network | private networks | private range | private ip range | private host | internal ip | internal address | internal addresses
		internal network | internal host | loopback | link-local | reserved ip | reserved address | reserved range | metadata endpoint | metadata service | rfc1918 | rfc 1918 | non-routable`},
	{"here", `localhost | 127.0.0.1 | 169.254.169.254 | 10.0.0.0 | 192.168.0.0 | 172.16.0.0`},
	{"block", `block | blocked | blocks | blocking | disallowed | not allowed | not permitted | prohibited | unsafe | protection | guard | cannot be fetched | cannot be requested | off limits | refusing | refuse`},
	{"refuse", `addresses are refused | off limits | off-limits | will not visit | won't fetch | will not fetch | not visit | won't connect | block | blocked | blocks | blocking | refusing | refuse | refused to | disallowed | prohibited | forbidden | not allowed | not permitted | denied | rejected | not accepted | unsafe | protection | guard | cannot be fetched | cannot be requested | cannot be accessed | disabled for`},
}

// pairCauses are the causes that pairs of words give away.
var pairCauses = []cause{
	{id: "pair.ssrf", tier: tierSSRF, code: envelope.SSRFBlocked, pair: [2]string{"inside", "refuse"}, unless: `connection refused | econnrefused | access denied for user | 'localhost' | @localhost | role "`},
	{id: "pair.ssrf.here", tier: tierSSRF, code: envelope.SSRFBlocked, pair: [2]string{"here", "block"}, unless: `
		connection refused | econnrefused | access denied for user | 'localhost' | @localhost | role " | to connect to this | mysql server | mariadb server | refused to connect`},
	{id: "pair.rate", tier: tierLimit, code: envelope.RateLimited, pair: [2]string{"quota", "over"}, unless: `
		retries exceeded | max retries | insufficient_quota | current quota, please check your plan | disk quota | storage quota | max attempts exceeded | maximum attempts exceeded | exceeded maximum attempts | exceeded max attempts
		concurrent requests | concurrent calls | number of retry`},
	{id: "pair.capacity", tier: tierCapacity, code: envelope.AtCapacity, pair: [2]string{"parallel", "full"}, unless: `session not found | stack trace | no valid session`},
	{id: "pair.credentials", tier: tierPair, code: envelope.AuthFailed, pair: [2]string{"secret", "bad"}, unless: `unexpected token | page token | pagetoken | max_tokens | token limit | context | token at | tokens: | invalid token in | pagination | cursor`},
	{id: "pair.absent", tier: tierPair, code: envelope.NotFound, pair: [2]string{"thing", "gone"}},
	{id: "pair.rights", tier: tierPair, code: envelope.Forbidden, pair: [2]string{"right", "lacking"}},
	{id: "argument.absent", tier: tierProse, code: envelope.BadRequest, phrases: `no…provided | no…given | no…specified | no…supplied | no…was provided | no…were provided`, unless: `no reason`},
	{id: "pair.off", tier: tierPair, code: envelope.ServiceDisabled, pair: [2]string{"feature", "off"}, unless: `shut off | kicked off | based off | one off | cut off | rate limit`},
	{id: "pair.deadline", tier: tierPair, code: envelope.ServiceUnavailable, class: envelope.Retryable, lead: leadTimeout, advice: adviceSmaller, pair: [2]string{"deadline", "passed"}},
	{id: "pair.down", tier: tierPair, code: envelope.ServiceUnavailable, class: envelope.Dependency, lead: leadReach, pair: [2]string{"link", "down"}},
}

// pairIndex maps a set to the causes that it is a part of.
var setNumber = func() map[string]int {
	m := map[string]int{}
	for i, s := range sets {
		m[s.name] = -1 - i
	}
	return m
}()

// pairUp appends the hits of the pairs to hits, and removes those of the sets.
func pairUp(hits []hit, d *doc) []hit {
	var parts []hit
	out := hits[:0]
	for _, h := range hits {
		if h.rule >= 0 {
			out = append(out, h)
		} else if !d.inPath(h) {
			parts = append(parts, h)
		}
	}
	for i := range catalogue {
		c := &catalogue[i]
		if c.pair[0] == "" {
			continue
		}
		a, b := setNumber[c.pair[0]], setNumber[c.pair[1]]
		last := [2]hit{{end: -1}, {end: -1}}
		for _, h := range parts {
			side := -1
			switch h.rule {
			case a:
				side = 0
			case b:
				side = 1
			}
			if side < 0 || c.id == "pair.down" && strings.HasPrefix(d.low[h.start:], "failed to ") {
				continue // "failed to list the databases" does not say that one is down
			}
			if o := last[1-side]; o.end >= 0 && h.start >= o.end && h.start-o.end <= near && d.sentenceOf(o.start) == d.sentenceOf(h.start) {
				out = append(out, hit{i, o.start, h.end})
			}
			last[side] = h
		}
	}
	return out
}
