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

// Tokens are derived, never stored: whoever knows the league's key K can make
// and check the token T of any agent, and an agent that knows its own T can
// make the tokens that a true referee or manager shows to it.
//
//	K ──▶ T of each agent ──▶ M of each match        (referee ⇄ player)
//	                     └──▶ L of the league         (manager ─▶ agent)

// AgentToken returns T: what registration hands to sender. A further
// generation is issued when an agent comes back without its token.
func AgentToken(key []byte, league, sender string, generation int) string {
	role, id := ParseSender(sender)
	mac := sign(key, "token", league, sender, strconv.Itoa(generation))
	return "tok_" + string(role) + "_" + id + "_" + mac
}

// MatchToken returns M: what a referee shows to the player whose T is given,
// and that player to the referee, in one attempt at a match.
func MatchToken(player, league, match string, attempt int, referee string) string {
	return "tok_match_" + sign([]byte(player), "match", league, match, strconv.Itoa(attempt), referee)
}

// ManagerToken returns L: what the manager shows to the agent whose T is given.
func ManagerToken(agent, league string) string {
	return "tok_manager_" + sign([]byte(agent), "manager", league)
}

// SameToken compares two tokens without telling by its duration where they differ.
func SameToken(a, b string) bool { return hmac.Equal([]byte(a), []byte(b)) }

// TokenOwner returns the sender that a T names, or "" if it has no such form.
// It proves nothing: the token is still to be checked.
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

// Redact shows the kind of a token and nothing that could be used.
func Redact(token string) string {
	if token == "" {
		return ""
	}
	return "tok_…(redacted)"
}

var tokenForm = regexp.MustCompile(`tok_[\w-]+`)

// RedactIn hides the tokens in a text.
func RedactIn(text string) string { return tokenForm.ReplaceAllStringFunc(text, Redact) }

// DrawCommitment returns C, published before anyone registers: the league's
// promise of the draw secret that it reveals at its end.
func DrawCommitment(league string, secret []byte) string {
	sum := sha256.Sum256(append([]byte("league.draw.v1\n"+league+"\n"), secret...))
	return hex.EncodeToString(sum[:])
}

// DrawKey returns the key of all chance in one match, from the league's secret
// and what the two players gave towards it.
func DrawKey(secret []byte, league, match, nonceA, nonceB string) []byte {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte("match\n" + league + "\n" + match + "\n" + nonceA + "\n" + nonceB))
	return mac.Sum(nil)
}

// KeyCommitment returns what GAME_INVITATION promises of a match's draw key.
func KeyCommitment(key []byte) string {
	sum := sha256.Sum256(key)
	return hex.EncodeToString(sum[:])
}

func sign(key []byte, parts ...string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(strings.Join(parts, "\n")))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}
