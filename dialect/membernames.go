package dialect

import (
	"slices"
	"strings"
)

// aboutOthers are words in the name of a JSON member whose value is not the player's answer: it is a move of the
// opponent or of an earlier turn, a legal move, or part of the question.
var aboutOthers = wordSet(`opponent opponents their last previous prev history past valid legal allowed available
	possible options choices example examples echo request question prompt default error errors not never rejected
	excluded avoid alternative alternatives winner winning drawn forbidden standings`)

// noMoves are the last words in names of members that hold ids, times, counts or other metadata.
var noMoves = wordSet(`id ids uuid at time timestamp date deadline token tokens name names sender signature hash nonce url uri
	endpoint path version jsonrpc protocol method round turn attempt attempts seq sequence seed latency duration elapsed
	ms seconds sec count score points confidence probability code port size length total retry retries timeout lang language
	locale`)

// namesNoMove reports whether a member name, split into words, excludes that the member holds a move.
func namesNoMove(words []string) bool {
	return len(words) > 0 && noMoves[words[len(words)-1]]
}

func holdsAny(words []string, set map[string]bool) bool {
	return slices.ContainsFunc(words, func(w string) bool { return set[w] })
}

// wordSet is the set of the words in a text.
func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(text) {
		set[w] = true
	}
	return set
}
