package protocol

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"regexp"
	"strconv"
	"strings"
)

// Tokens are derived, never stored. A native agent and its manager agree on T ([Agreement]), which is never sent; a
// third-party agent receives a ticket. The tokens in messages derive from T or the ticket:
//
//	T ──▶ A of each request and its answer  (agent ⇄ manager, see [Credential])
//	 ├──▶ M of each match                   (referee ⇄ player)
//	 ├──▶ L of each kind of message         (manager ─▶ agent)
//	 └──▶ a mask for an order's secrets     (manager ─▶ referee)

// Ticket returns the ticket of a third-party agent's registration. A higher generation invalidates all earlier tickets.
func Ticket(key []byte, league, sender string, generation int) string {
	role, id := ParseSender(sender)
	mac := macLines(key, "token", league, sender, strconv.Itoa(generation), "")
	return tokenText("tok_"+string(role)+"_"+id+"_", mac)
}

// How tokens begin that follow from T.
const (
	matchPrefix   = "tok_match_"
	managerPrefix = "tok_manager_"
	agentPrefix   = "tok_agent_"
	ownerPrefix   = "tok_owner_"
)

// MatchToken returns M: it authenticates a referee to the player with the given T, and that player to the referee, in
// one attempt at a match.
func MatchToken(player, league, match string, attempt int, referee string) string {
	return tokenText(matchPrefix, macLines(player, "match", league, match, strconv.Itoa(attempt), referee))
}

// ManagerToken returns L: it authenticates the manager to the agent with the given T. It is valid for one type of
// message in one round: an eavesdropper cannot use it for another.
func ManagerToken(agent, league string, t Type, round Round) string {
	return tokenText(managerPrefix, macLines(agent, "manager", league, string(t), strconv.Itoa(int(round))))
}

// OwnerKey returns the key with which a player's owner withdraws and checks the player on the league's pages. T cannot
// be derived from it.
func OwnerKey(player, league, id string) string {
	return tokenText(ownerPrefix+id+"_", macLines(player, "owner", league, id))
}

// OwnedBy returns the id in an owner key, or "" if the key has another form. It does not authenticate the key.
func OwnedBy(key string) (id string) { return idAfter(key, ownerPrefix) }

// idAfter returns the id that follows a prefix of a token, or "".
func idAfter(token, prefix string) string {
	rest, named := strings.CutPrefix(token, prefix)
	id, _, ok := strings.Cut(rest, "_")
	if !named || !ok {
		return ""
	}
	return id
}

// IsMatchToken reports whether a token is the M of [MatchToken], in constant time and without encoding the M.
func IsMatchToken(shown, player, league, match string, attempt int, referee string) bool {
	var digits [20]byte
	n := strconv.AppendInt(digits[:0], int64(attempt), 10)
	return isToken(shown, matchPrefix, macLines(player, "match", league, match, string(n), referee))
}

// IsManagerToken reports whether a token is the L of [ManagerToken], in constant time and without encoding the L.
func IsManagerToken(shown, agent, league string, t Type, round Round) bool {
	var digits [20]byte
	n := strconv.AppendInt(digits[:0], int64(round), 10)
	return isToken(shown, managerPrefix, macLines(agent, "manager", league, string(t), string(n)))
}

// maskSecret hides 32 bytes in an order to the referee with the given T, or reveals them again. The parameter what
// names the secret.
func maskSecret(referee, league, match string, attempt int, what string, secret [32]byte) [32]byte {
	for i, b := range macLines(referee, "mask", league, match, strconv.Itoa(attempt), what) {
		secret[i] ^= b
	}
	return secret
}

// SameToken compares two tokens in constant time.
func SameToken(a, b string) bool {
	var roomA, roomB [128]byte // longer than any token of ours: comparing one needs no memory
	return hmac.Equal(append(roomA[:0], a...), append(roomB[:0], b...))
}

// TokenOwner returns the sender that a T names, or "" if the token has another form.
// It does not authenticate the token.
func TokenOwner(token string) string {
	rest, ok := strings.CutPrefix(token, "tok_")
	if !ok {
		return ""
	}
	role, rest, _ := strings.Cut(rest, "_")
	id, _, ok := strings.Cut(rest, "_")
	owner := Sender(Role(role), id)
	if r := Role(role); !ok || (r != RolePlayer && r != RoleReferee) || !validSender(owner) {
		return ""
	}
	return owner
}

// Redact returns the kind of a token without its secret.
func Redact(token string) string {
	if token == "" {
		return ""
	}
	return "tok_…(redacted)"
}

// tokenForm matches tokens in a text that is to be redacted.
var tokenForm = regexp.MustCompile(`tok_[\w-]+`)

// RedactIn hides the tokens in a text.
func RedactIn(text string) string { return tokenForm.ReplaceAllStringFunc(text, Redact) }

// DrawCommitment returns C, published before registration: the league's commitment to the draw secret that it reveals
// at its end.
func DrawCommitment(league string, secret []byte) string {
	sum := hashLines("league.draw.v1", league, string(secret))
	return hexText(sum[:])
}

// maskHex masks 32 bytes in hexadecimal. Any other text stays unchanged.
func maskHex(text string, mask func([32]byte) [32]byte) string {
	var b [32]byte
	if !unhex(b[:], text) {
		return text
	}
	b = mask(b)
	return hexText(b[:])
}

// maskToken masks the secret of a token M. Any other text stays unchanged.
func maskToken(token string, mask func([32]byte) [32]byte) string {
	text, ok := strings.CutPrefix(token, matchPrefix)
	var room [64]byte
	b, err := base64.RawURLEncoding.AppendDecode(room[:0], []byte(text))
	if !ok || err != nil || len(b) != 32 {
		return token
	}
	return tokenText(matchPrefix, mask([32]byte(b)))
}

// DrawName returns the name of a match from which its draw key is derived. An annulled match is replayed with another
// key, because the old one is public.
func DrawName(match string, annulled int) string {
	if annulled == 0 {
		return match
	}
	return match + "#" + strconv.Itoa(annulled+1)
}

// DrawKey derives the key of all randomness in one match from the league's secret and the nonces of the two players.
// match is its DrawName.
func DrawKey(secret []byte, league, match, nonceA, nonceB string) []byte {
	mac := macLines(secret, "match", league, match, nonceA, nonceB)
	return mac[:]
}

// Opens reports whether a draw key, in hexadecimal, matches a commitment.
func Opens(commitment, key string) bool {
	var room [sha256.Size]byte
	b, err := hex.AppendDecode(room[:0], []byte(key))
	if err != nil {
		return false
	}
	sum := sha256.Sum256(b)
	var text [2 * sha256.Size]byte
	return commitment == string(hex.AppendEncode(text[:0], sum[:]))
}

// KeyCommitment returns the commitment to a match's draw key in GAME_INVITATION.
func KeyCommitment(key []byte) string {
	sum := sha256.Sum256(key)
	return hexText(sum[:])
}
