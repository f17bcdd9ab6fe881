package store

import (
	"cmp"

	"agentleague/config"
	"agentleague/protocol"
)

// Rounds is data/leagues/<league_id>/rounds.json: the rounds opened so far.
type Rounds struct {
	SchemaVersion string             `json:"schema_version"`
	LeagueID      string             `json:"league_id"`
	LastUpdated   string             `json:"last_updated"`
	Rounds        config.List[Round] `json:"rounds"`
}

// A Round is one round of a league's schedule.
type Round struct {
	RoundID     int                     `json:"round_id"`
	Status      string                  `json:"status"`
	StartedAt   string                  `json:"started_at"`
	CompletedAt *string                 `json:"completed_at"` // null until the round is complete
	Matches     config.List[RoundMatch] `json:"matches"`
	Byes        config.List[string]     `json:"byes"`
	Summary     protocol.RoundSummary   `json:"summary"`
}

// A RoundMatch is one match in the document rounds.json.
type RoundMatch struct {
	MatchID   string  `json:"match_id"`
	PlayerAID string  `json:"player_A_id"`
	PlayerBID string  `json:"player_B_id"`
	RefereeID string  `json:"referee_id"`
	Status    string  `json:"status"`
	Winner    *string `json:"winner"`          // null for a draw, and before the end
	Proof     string  `json:"proof,omitempty"` // the basis of the result: proven, judged, unproven or disputed
}

// Rounds returns the rounds of a league.
func (r *Root) Rounds(league string) Document[Rounds] {
	empty := Rounds{SchemaVersion: config.SchemaVersion, LeagueID: league}
	return newDocument(r, league, "rounds.json", empty, func(v Rounds) ([]byte, error) {
		return DocumentRounds(league, v, cmp.Or(v.LastUpdated, now()))
	})
}

// DocumentRounds returns rounds.json with a given time, with the same bytes as Save.
func DocumentRounds(league string, v Rounds, lastUpdated string) ([]byte, error) {
	v.SchemaVersion, v.LeagueID, v.LastUpdated = config.SchemaVersion, league, lastUpdated
	return config.Document(v)
}
