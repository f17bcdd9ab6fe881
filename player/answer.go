package player

import (
	"agentleague/protocol"
)

// An Answer is a signed answer of a native player to a native referee. The answers of an attempt at a match form a
// chain: after a restart the player needs all earlier ones to continue, and returns a stored answer to a repeated
// question.
type Answer struct {
	LeagueID   string         `json:"league_id"`
	Seal       string         `json:"seal"`
	PlayerID   string         `json:"player_id"`
	MatchID    string         `json:"match_id"`
	Attempt    int            `json:"attempt"`
	RefereeID  string         `json:"referee_id"`
	RoundID    protocol.Round `json:"round_id"`
	OpponentID string         `json:"opponent_id,omitempty"`
	Commitment string         `json:"commitment,omitempty"` // to the draw
	// Head is the newest known head of the league's log when the first answer was signed.
	Head      string `json:"head,omitempty"`
	Number    int    `json:"number"` // of the answer in its match attempt, from 1
	Turn      int    `json:"turn"`
	View      string `json:"view_sha256,omitempty"` // of the position that was shown; "": none was
	Move      string `json:"move"`                  // as text
	Signature string `json:"signature"`             // of the chain that ends with it
	Offered   bool   `json:"offered"`               // the move was among the options
	InTime    bool   `json:"in_time"`               // it was given before it was due

	Usage *protocol.Usage `json:"usage,omitempty"` // of a language model, for this answer
}

// context returns the context that starts the hash chain of the answer.
func (w Answer) context() protocol.AnswerContext {
	return protocol.AnswerContext{
		Seal: w.Seal, Match: w.MatchID, Attempt: w.Attempt, Referee: w.RefereeID, Player: w.PlayerID,
		Commitment: w.Commitment, Head: w.Head,
	}
}

// A Joined is a match whose invitation was accepted and that has no result yet. It is stored, so that a restarted
// player can continue the match when the referee asks again.
type Joined struct {
	MatchID    string         `json:"match_id"`
	Attempt    int            `json:"attempt"`
	RoundID    protocol.Round `json:"round_id"`
	OpponentID string         `json:"opponent_id"`
	Commitment string         `json:"commitment,omitempty"` // to the draw, from the invitation
}
