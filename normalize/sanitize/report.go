package sanitize

import "strings"

// Report returns the part of a clause that may be shown: the words round
// s[from:to], which show why a call failed, up to the first word that could be a
// name, a passphrase, a person or an instruction. s consists of words that each
// may stand in a text; what they say together is judged here. sent reports
// whether the caller itself sent a word, and may be nil. The result is empty
// when nothing of s may be shown.
func Report(s string, from, to int, sent func(string) bool) (lo, hi int) {
	var arr [96]token
	ts := tokensOf(s, arr[:0])
	if len(ts) == 0 {
		return 0, 0
	}
	markSecrets(ts, sent)
	markNames(ts, sent)
	markBirths(ts, sent)
	markQueries(s, ts, sent)
	markAddressed(ts)
	first, last := bestRun(ts, from, to)
	if first > last {
		return 0, 0
	}
	for first > 0 && !ts[first-1].bad {
		first--
	}
	for last+1 < len(ts) && !ts[last+1].bad {
		last++
	}
	return undirected(s, ts, first, last, from, to)
}

// bestRun returns the longest run of good words that touches s[from:to].
func bestRun(ts []token, from, to int) (first, last int) {
	first, last = 1, 0
	for i := 0; i < len(ts); {
		if ts[i].bad || ts[i].to <= from || ts[i].from >= to {
			i++
			continue
		}
		j := i
		for j+1 < len(ts) && !ts[j+1].bad && ts[j+1].from < to {
			j++
		}
		if ts[j].to-ts[i].from > ts[max(last, 0)].to-ts[min(first, len(ts)-1)].from || first > last {
			first, last = i, j
		}
		i = j + 1
	}
	return first, last
}

// undirected narrows a run, sentence part by sentence part, until it does not
// direct its reader.
func undirected(s string, ts []token, first, last, from, to int) (lo, hi int) {
	if !Directs(s[ts[first].from:ts[last].to]) {
		return ts[first].from, ts[last].to
	}
	// The part with the anchor, then what stands before it.
	a, b := first, last
	for i := first + 1; i <= last; i++ {
		if ts[i].part && ts[i].from <= from {
			a = i
		}
		if ts[i].part && ts[i].from >= to {
			b = i - 1
			break
		}
	}
	for _, r := range [][2]int{{first, b}, {a, b}, {a, last}} {
		if !Directs(s[ts[r[0]].from:ts[r[1]].to]) {
			return ts[r[0]].from, ts[r[1]].to
		}
	}
	return 0, 0
}

// token is one word, number or name of a clause.
type token struct {
	from, to int
	s        string // in lower case
	title    bool   // "Word"
	part     bool   // a part of the sentence begins: after . : ; - and (
	bad      bool
}

func tokensOf(s string, dst []token) []token {
	part, low := true, lowered(s)
	for i := 0; i < len(s) && len(dst) < 128; {
		c := s[i]
		if !isAlnum(c) && c != '_' && c < 0x80 {
			part = part || c == ':' || c == ';' || c == '(' || c == '.' || c == '-' && i > 0 && s[i-1] == ' '
			i++
			continue
		}
		j := i
		for j < len(s) && (isAlnum(s[j]) || s[j] == '_' || s[j] >= 0x80 || j+1 < len(s) && strings.IndexByte("'-./", s[j]) >= 0 && isAlnum(s[j+1])) {
			j++
		}
		dst = append(dst, token{from: i, to: j, s: low[i:j], part: part, title: j-i > 1 && isUpper(c) && low[i+1:j] == s[i+1:j]})
		part = false
		i = j
	}
	return dst
}

// secretNouns are words behind which a secret may stand as ordinary words.
var secretNouns = set(`password passwords passphrase passcode passwd pwd pin secret secrets otp credential credentials mnemonic login`)

// keyNouns are so only behind one of keyKinds.
var (
	keyNouns = set(`key token phrase code question answer`)
	keyKinds = set(`api access secret private license recovery seed pass security signing encryption auth bearer refresh backup`)
)

// plainTail are words that say something of a secret and are none.
var plainTail = set(`is are was were has have had been be being not no never a an the and or nor but if as at by for from in into of on to than too with without
this that these those it its your our their you we i missing invalid incorrect wrong expired required empty blank null none undefined unknown unset absent revoked rejected refused
denied failed fails failure error errors mismatch malformed bad short long weak unauthorized unauthenticated forbidden disabled locked blocked inactive suspended
supported unsupported allowed provided given supplied found set specified configured accepted recognized valid verified validated authenticate authenticated authentication authorization
authorized unauthorised login credentials credential api access key keys token tokens password passwords secret secrets user users username account accounts name header headers parameter argument field
value format type length characters character digits letters least most more less minimum maximum only must should shall may might can cannot could does do did
contain contains include includes match matches exist exists use used using again later before after please check verify try retry reset renew refresh update
limit exceeded quota rate expires expiry scope scopes permission permissions insufficient lacks lack doesn't isn't hasn't wasn't can't didn't couldn't haven't issued
signature verification service server request requests client session cookie bearer basic oauth jwt id provider registered associated belong belongs any such different
another other new old current temporary permanent temporarily granted requested generation either both already reached environment variable variables encoding decode decoding parse
parsed read validate validation verifying via through when while during because since due so again integration application organization project resource resources endpoint operation
http https status unable attempt attempts many bound code response responses returned incorrectly be privileges role between range longer shorter digit one two uppercase lowercase special sign out in included calling deprecated timed timeout session sessions unrecognized unrecognised file files there which sent expected missing got longer supported disabled authorize method methods required service accessing restricted private`)

func markSecrets(ts []token, sent func(string) bool) {
	for i := range ts {
		if !secretNouns[ts[i].s] && !(i > 0 && keyNouns[ts[i].s] && keyKinds[ts[i-1].s]) {
			continue
		}
		for j := i + 1; j < len(ts); j++ {
			if !plainTail[ts[j].s] && !small(ts[j].s) && !own(sent, ts[j].s) {
				for ; j < len(ts); j++ {
					ts[j].bad = true
				}
			}
		}
		// "x y z is not the password"
		k := i - 1
		for k >= 0 && i-k < 5 && (plainTail[ts[k].s] && ts[k].s != "is" && ts[k].s != "was") {
			k--
		}
		if k > 0 && i-k < 5 && (ts[k].s == "is" || ts[k].s == "was") {
			for j := k - 1; j >= 0 && !ts[j+1].part; j-- {
				if !plainTail[ts[j].s] && !own(sent, ts[j].s) {
					for ; j >= 0; j-- {
						ts[j].bad = true
					}
				}
			}
		}
	}
}

func own(sent func(string) bool, w string) bool { return sent != nil && sent(w) }

// small reports a number of up to three digits: a status, a length, a limit.
func small(w string) bool { return len(w) <= 3 && allDigits(w) }

// nameNouns are words behind which the name of a person, a machine or a thing of
// the service's own may stand.
var nameNouns = set(`user account customer patient employee member person contact owner tenant host hostname server database db schema table column
index constraint relation view cluster node replica shard queue topic bucket container instance machine role port dsn address module drive worker partition keyspace collection namespace pod vault
salary mailbox student doctor manager subscriber recipient sender student guest buyer seller`)

// nameTail are words, besides plainTail, that go on after a noun.
var nameTail = set(`pool pools connection connections timeout timed time operation query queries lookup limits names ids list lists unavailable unreachable down busy
overloaded offline closed open gone responded responds replied response resets full exhausted data types version versions policy policies group groups page profile agent side process did
took crashed stopped exited restarting starting terminated internal external error errors overload closing aborted hung idle capacity storage size
sessions session slots info information details config configuration settings setting schema table column row rows record records index key value file files directory path
object objects reference references constraint violation definition named called behind appears seems currently already unexpectedly abruptly prematurely
experiencing encountered encounters under maintenance out over deleted deactivated archived banned inactive removed created shared duplicate exceeded rejected
migration lock locked locks deadlock read write readonly read-only rejects maintenance healthy unhealthy ready available temporarily reported reports sent sends wants want
needs need requires require balance credits usage plan subscription tier level region zone input inputs output url uri address port number certificate identity membership
permissions management manager token tokens email unresponsive still now here there which who whose where what all some every each same own within outside inside
property properties attribute attributes expression order bounds must should will would was were lacks cancelled canceled interrupted aborted input action actions interaction
registration verification selection search filter result results content body payload message messages status state stream socket handshake tls ssl dns ip hostname name
migration lineage connectivity test tests consumers depth url count total max min minimum maximum creation deletion update updates insert select join engine driver denied conflict id
pattern format already failure failures exception exceptions gateway disconnected disconnect stalled terminated killed evicted draining shutting shutdown restart restarted crash pending running sql
has had have violates violated fails fail expecting expects family resolution space denied called calling responding replying listening while before after `)

func markNames(ts []token, sent func(string) bool) {
	for i := range ts {
		if nameNouns[ts[i].s] {
			for j := i + 1; j < len(ts) && !plainTail[ts[j].s] && !nameTail[ts[j].s] && !own(sent, ts[j].s); j++ {
				if port := ts[i].s == "port"; port && j > i+1 || !port && ts[j].part {
					break
				}
				ts[j].bad = ts[j].bad || ts[i].s == "port" || !small(ts[j].s)
			}
		}
		if i > 0 && ts[i].title && (ts[i-1].s == "name" || ts[i-1].s == "mr" || ts[i-1].s == "mrs" || ts[i-1].s == "dr" || ts[i-1].s == "street") && !own(sent, ts[i].s) {
			ts[i].bad = true
		}
		if i > 0 && ts[i].title && ts[i-1].title && people[ts[i].s] && people[ts[i-1].s] && !own(sent, ts[i].s) {
			ts[i-1].bad, ts[i].bad = true, true
		}
	}
}

// people are words of the vocabulary that are names of people too; two of them
// in capitals are one.
var people = set(`abbott angel april archer august austin baker ball banks bell berry bill bird bishop black blue bridge brooks brown bush butler carter case cash chance chase chelsea christian church
clark cliff cook cooper crane cross dale dallas dawn day dean dodge don dot drew earl east eve faith field fields finch fisher flowers ford forest fox france frank french frost gene glen gold golden grace
grant gray green grey hall hawk hill hills holland hope house hunter iris ivy jack java jay jordan joy june king knight lake lamb lane law lemon long love madison mark marks martin mason max may miles mills
north olive page paris park parker parks penny person pool porter potter power powers price prince rain ray read reed rice rich rivers rob robin rock rose ruby sandy scott sharp shore silver small smith snow
south stone storm story strong sue summer sun swift taylor temple tyler victor violet wade walker ward waters webster wells west white will winter wise wolf wood woods young york`)

// markQueries marks what follows the verb of a statement in capitals, and names
// with a dot, which are columns and classes.
func markQueries(s string, ts []token, sent func(string) bool) {
	for i := range ts {
		w := s[ts[i].from:ts[i].to]
		if k := strings.IndexByte(w, '.'); k > 0 && isAlpha(w[k-1]) && k+1 < len(w) && isAlpha(w[k+1]) && ts[i].s != "robots.txt" && !own(sent, ts[i].s) && !fileName(ts[i].s) {
			ts[i].bad = true
		}
		switch w {
		case "SELECT", "INSERT", "UPDATE", "DELETE", "ALTER", "DROP", "CREATE":
			for j := i + 1; j < min(len(ts), i+9); j++ {
				switch s[ts[j].from:ts[j].to] {
				case "FROM", "INTO", "SET", "WHERE", "VALUES", "TABLE":
					for j = i; j < len(ts); j++ {
						ts[j].bad = true
					}
				}
			}
		}
	}
}

// fileName reports names such as "config.json" of files that everybody has.
func fileName(w string) bool {
	switch w {
	case "credentials.json", "config.json", "package.json", "node.js", "next.js", "e.g", "i.e", "token.json":
		return true
	}
	return false
}

// markAddressed marks what follows words that address whoever reads the report and
// is no person: "tip for AI agents: ...".
func markAddressed(ts []token) {
	for i := 1; i < len(ts); i++ {
		switch ts[i-1].s {
		case "for", "to", "dear", "attention", "hey", "note", "hello":
		default:
			continue
		}
		switch ts[i].s {
		case "ai", "llm", "llms", "agents", "assistants", "assistant", "chatbots":
			for ; i < len(ts); i++ {
				ts[i].bad = true
			}
		}
	}
}

// births tell that a date is somebody's.
var births = set(`born birth birthday birthdate dob age aged`)

func markBirths(ts []token, sent func(string) bool) {
	told, private, ill, product := false, false, false, false
	for i := range ts {
		ill, product = ill || illnesses[ts[i].s], product || products[ts[i].s]
		told = told || births[ts[i].s] && ts[i].s != "age"
		private = private || privates[ts[i].s]
	}
	for i := range ts {
		w := ts[i].s
		if ill && !plainTail[w] && !nameTail[w] || product && len(w) > 2 && isDigit(w[0]) && strings.IndexByte(w, '.') > 0 {
			ts[i].bad = true
			continue
		}
		if private && len(w) > 2 && isDigit(w[0]) && !own(sent, w) {
			ts[i].bad = true
			continue
		}
		if len(w) < 4 || !isDigit(w[0]) && !(told && months[w[:3]]) || own(sent, w) {
			continue
		}
		past := len(w) >= 8 && (w[:2] == "19" || w[:3] == "200") && dateEnd(w) > 0 || strings.Count(w, "/") == 2
		if past || told && (len(w) >= 4 || months[w[:min(3, len(w))]]) {
			ts[i].bad = true
		}
	}
}

// illnesses tell that the words round them are somebody's.
var illnesses = set(`patient patients diagnosis diagnosed cancer pregnant pregnancy hiv disease illness disorder medication surgery psychiatric`)

// products are programs whose versions are of use to an attacker alone.
var products = set(`postgresql postgres mysql mariadb sqlite redis mongodb nginx apache tomcat jetty iis php django rails express elasticsearch oracle cassandra kafka rabbitmq openssl openssh ubuntu debian`)

// privates tell that a number is somebody's.
var privates = set(`card balance salary salaries income wage wages earnings diagnosis pension iban ssn`)

var months = set(`jan feb mar apr may jun jul aug sep oct nov dec`)
