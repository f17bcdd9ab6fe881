package player

import (
	"agentleague/protocol"
)

// A Joined match is one with an accepted invitation and no result yet. A restarted player that has them continues
// when their referees ask again.
type Joined struct {
	MatchID    string         `json:"match_id"`
	Attempt    int            `json:"attempt"`
	RoundID    protocol.Round `json:"round_id"`
	OpponentID string         `json:"opponent_id"`
	Commitment string         `json:"commitment,omitempty"` // to the draw, from the invitation
}
