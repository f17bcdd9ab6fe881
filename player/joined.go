package player

import (
	"agentleague/protocol"
)

// A Joined match is one that a player was invited to and has not heard the end
// of. One that is killed, and knows them when it is started again, goes on with
// them where their referees ask again.
type Joined struct {
	MatchID    string         `json:"match_id"`
	Attempt    int            `json:"attempt"`
	RoundID    protocol.Round `json:"round_id"`
	OpponentID string         `json:"opponent_id"`
	Commitment string         `json:"commitment,omitempty"` // to the draw, from the invitation
}
