package protocol

import (
	"cmp"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Declined is the code of a technical loss because the player declined the invitation.
const Declined = "DECLINED"

// forfeits maps the codes of technical losses to their meanings.
var forfeits = map[string]string{
	Timeout.Code:             "it did not answer in time",
	Connection.Code:          "it could not be reached, or answered with an error",
	EndpointNotAllowed.Code:  "its referee may not call its endpoint",
	InvalidMove.Code:         "it gave no legal move",
	RateLimited.Code:         "it was too busy to answer",
	InvalidMessage.Code:      "its answer could not be understood",
	MissingField.Code:        "its answer lacked what was asked for",
	VersionMismatch.Code:     "its answer was of another version of the protocol",
	InvalidTimestamp.Code:    "its answer had a time that is not in UTC",
	AuthTokenMissing.Code:    "its answer had no auth_token",
	AuthTokenInvalid.Code:    "its answer had a wrong auth_token",
	MatchNotFound.Code:       "its answer was about another match",
	PlayerNotRegistered.Code: "its answer was of another player",
	AgentShutdown:            "it had left the league; the match was not played",
	Declined:                 "it declined the invitation",
	"":                       "its referee did not say why",
}

// ForfeitCodes lists the codes that referees of this program use for technical losses.
func ForfeitCodes() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(forfeits)), func(code string) bool { return code == "" })
}

// ForfeitMeaning returns the meaning of a forfeit code as a phrase.
func ForfeitMeaning(code string) string {
	if words, ok := forfeits[code]; ok {
		return words
	}
	return "it failed with " + code
}

// ForfeitCause returns the cause of a player's forfeit, parsed from the reason in the result of its match; "" if the
// reason has none.
func ForfeitCause(reason, player string) string {
	_, cause, found := strings.Cut("; "+reason, "; "+player+forfeited)
	if !found {
		return ""
	}
	if end := nextForfeit.FindStringIndex(cause); end != nil {
		cause = cause[:end[0]]
	}
	return strings.Replace(cause, "the agent of "+player+" ", "it ", 1)
}

// ForfeitReason returns the reason of a player's forfeit, for the result of a match.
func ForfeitReason(player string, e *Error) string {
	return player + forfeited + withoutAnswers(e.AboutPlayer(player))
}

// forfeited separates a player from the cause in a reason; nextForfeit separates the two players.
const forfeited = " forfeited: "

var nextForfeit = regexp.MustCompile(`; P\d+` + forfeited)

// ForfeitCode reports whether a code is valid for a technical loss: it is in the error table, or means that the player
// declined or had left.
func ForfeitCode(code string) bool {
	return code == Declined || code == AgentShutdown || slices.ContainsFunc(Kinds, func(k *Kind) bool {
		return k.Code == code
	})
}

// WhyForfeited returns the reason of a player's forfeit: the referee's last error to it, or else the meaning of the
// code. The text may contain untrusted parts: see [Plain].
func (r *MatchRecord) WhyForfeited(player string) string {
	if word := r.LastErrorDetail(player); word != "" && r.Result.Forfeits[player] != Declined {
		return strings.Replace(word, YourAgent, "its agent", 1)
	}
	return ForfeitMeaning(r.Result.Forfeits[player])
}

// LastErrorDetail returns the detail of the referee's last error to a player.
func (r *MatchRecord) LastErrorDetail(player string) (detail string) {
	for _, e := range r.Transcript {
		if e.MessageType != TypeGameError || e.To != Sender(RolePlayer, player) {
			continue
		}
		var m GameError
		if json.Unmarshal(e.Message, &m) == nil {
			detail = cmp.Or(sentence(m.Detail, m.Context), detail)
		}
	}
	return detail
}
