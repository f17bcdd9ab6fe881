package cli

import (
	"strings"

	"agentleague/protocol"
)

// hint says what to do about a player that refuses the referee of a single match.
func hint(detail string) string {
	if strings.Contains(detail, protocol.AuthTokenInvalid.Name) || strings.Contains(detail, protocol.AuthTokenMissing.Name) {
		return "It belongs to a league and answers the referees of that one only; start it without a manager to play it here."
	}
	return ""
}
