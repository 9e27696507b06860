package classify

import "strings"

// Words that may be shown by themselves may still be a name or a value where
// they stand. The rules here look at the place: a quoted word, a word after a
// noun that is followed by a name, a word after a secret.

// named are nouns after which a name stands.
var named = wordSet(`table relation column schema database index view sequence role user users constraint bucket collection container tenant customer patient employee
	account owner org organization organisation group member host hostname node pod namespace cluster trigger procedure keyspace topic queue domain principal person contact
	recipient sender author assignee client driver volume secret_ customer guest student`)

// secretive are words after which a value would be a secret.
var secretive = wordSet(`password passwd passphrase pwd pin otp secret token key credential credentials apikey pass answer cvv ssn iban`)

// follow are words that go on with a sentence and are no names.
var follow = wordSet(`out file files lineage connectivity address email number constraint fails fail syntax table column is are was were be been does do did doesn't don't didn't isn't aren't wasn't not no has have had hasn't haven't cannot can can't could couldn't must may might should shall will would won't
	already in on of for to from with without by at and or but nor if as than that which while when because during exceeds exceeded exceeding limit limits limited
	name names id ids identifier list type types found exist exists existed missing required requires needs invalid incorrect wrong expired revoked empty blank malformed disabled inactive
	locked suspended unauthorized unknown unavailable unreachable refused denied rejected failed failure error errors only must too already again any all
	access permission permissions rate quota quotas session sessions authentication authorization login count level plan data input field fields value values size
	reached reset has header provided supplied given set specified configured recognized accepted allowed permitted valid included was verification validation signature
	mismatch pair store service server api url key keys policy scope scopes length format budget usage request requests resource resources full busy down offline closed
	connection connections lacks lack needs attempted tried cannot information details record records not-null reference references schema_ definition creation rejected version versions status state acquisition refresh exchange endpoint information info`)

// placed reports whether the word at text[start:end] may be shown where it
// stands; before and further are the two words in front of it, in lower case, and
// sep is what stands behind the nearer one.
func placed(text string, start, end int, before, further, sep string) bool {
	low := lower(text[start:end])
	quotedAlone := start > 0 && end < len(text) && isQuote(text, start-1, true) && isQuote(text, end, false)
	if quotedAlone {
		return typeNames[low].Valid()
	}
	if secretive[before] {
		return (sep == " " || sep == " (" || sep == ", " || sep == "-" || sep == "/") && (follow[low] || edge[low])
	}
	if secretive[further] && edge[before] {
		return follow[low] || edge[low] || low == "too" || low == "weak"
	}
	if named[before] && (sep == " " || sep == ": " || sep == " = ") {
		return follow[low] || edge[low]
	}
	return true
}

// isQuote reports whether a quotation mark stands at i.
func isQuote(text string, i int, opening bool) bool {
	switch text[i] {
	case '"', '`':
		return true
	case '\'':
		if opening {
			return i == 0 || !wordByte(text[i-1])
		}
		return i+1 >= len(text) || !wordByte(text[i+1])
	}
	return false
}

// dated reports whether a word is a date or a time: the table of what may pass
// admits them, but they are a person's as often as not, so that only those of
// this call pass.
func dated(w string) bool {
	return strings.Count(w, "-") == 2 && len(w) >= 8 && w[0] >= '0' && w[0] <= '9' || strings.Count(w, "/") == 2 && w[0] >= '0' && w[0] <= '9'
}
