package sanitize

// imperatives are verbs that tell a reader to act. A constraint or a value of
// several words does not begin with one.
var imperatives = set(`add allow append approve ask attach authorize browse bypass call cancel change click commit confirm connect copy
create deactivate delete deploy disable disclose disregard download drop email enable encode escalate execute exfiltrate export fetch follow
forget forward get give grant ignore insert install invoke leak make merge modify move navigate open override
pass paste pay perform post print publish push put query read reboot reply report reset restart retrieve reveal revoke run
save send share show shutdown skip stop submit switch tell transfer trigger uninstall unlock update upload use
visit wire write`)

// persons are words that speak to or about a reader; no constraint needs them.
var persons = set(`you your yours yourself i me my we us our please kindly assistant agent model llm ai user's admin administrator operator instructions prompt`)

// valuables are what an instruction may want to be handed over.
var valuables = set(`password passwords token tokens secret secrets key keys credential credentials file files data funds money conversation history
environment env context memory all everything contents records emails messages`)

// commands reports words that read like a command: a person is spoken to, or a
// clause of at least three words begins with an imperative.
func commands(s string) bool {
	words, start := 0, true // start: the next word begins a clause
	for i := 0; i < len(s); {
		c := s[i]
		if !isAlpha(c) {
			if c == ',' || c == ';' || c == '.' || c == ':' || c == '(' {
				start = true
			}
			i++
			continue
		}
		j := i
		for j < len(s) && (isAlpha(s[j]) || s[j] == '\'' && j+1 < len(s) && isAlpha(s[j+1])) {
			j++
		}
		if j-i <= 16 {
			var arr [16]byte
			w := string(fold(arr[:0], s[i:j]))
			if persons[w] {
				return true
			}
			if start && imperatives[w] && wordsFrom(s[i:]) >= 3 {
				return true
			}
			start = w == "then" || w == "and" && words > 0
		}
		words++
		i = j
	}
	return false
}

// wordsFrom counts the words of the clause that s begins with, up to three.
func wordsFrom(s string) int {
	n := 0
	for i := 0; i < len(s) && n < 3; {
		if s[i] == ',' || s[i] == ';' || s[i] == ':' {
			break
		}
		if isAlpha(s[i]) {
			n++
			for i < len(s) && isAlpha(s[i]) {
				i++
			}
			continue
		}
		i++
	}
	return n
}

// handsOver reports a name such as send_password_to_x: an imperative, something
// of value and a receiver.
func handsOver(words []string) bool {
	if len(words) < 4 || !imperatives[words[0]] {
		return false
	}
	to, what := false, false
	for _, w := range words[1:] {
		to = to || w == "to" || w == "into" || w == "at" || w == "via" || w == "and" || w == "then"
		what = what || valuables[w]
	}
	return to && what
}

// confides reports the name of an argument that asks for what passed between a
// user and an agent: conversation_history, chat_log.
func confides(words []string) bool {
	talk, record := false, false
	for _, w := range words {
		talk = talk || w == "conversation" || w == "chat" || w == "dialog" || w == "dialogue"
		record = record || w == "history" || w == "log" || w == "logs" || w == "transcript" || w == "context" || w == "content" || w == "contents"
	}
	return talk && record
}
