package store

import (
	"cmp"

	"agentleague/config"
)

// Standings is data/leagues/<league_id>/standings.json: the table of a league.
type Standings struct {
	SchemaVersion   string                `json:"schema_version"`
	LeagueID        string                `json:"league_id"`
	Version         int                   `json:"version"` // the number of recorded results
	RoundsCompleted int                   `json:"rounds_completed"`
	LastUpdated     string                `json:"last_updated"`
	Status          string                `json:"status,omitempty"` // CANCELLED, if the league was
	Standings       config.List[Standing] `json:"standings"`
}

// A Standing is a row of the table. A protocol.Standing converts to it.
type Standing struct {
	Rank            int    `json:"rank"`
	PlayerID        string `json:"player_id"`
	DisplayName     string `json:"display_name"`
	Played          int    `json:"played"`
	Wins            int    `json:"wins"`
	Draws           int    `json:"draws"`
	Losses          int    `json:"losses"`
	TechnicalLosses int    `json:"technical_losses,omitempty"`
	Points          int    `json:"points"`
}

// Standings returns the table of a league.
func (r *Root) Standings(league string) Document[Standings] {
	empty := Standings{SchemaVersion: config.SchemaVersion, LeagueID: league}
	return newDocument(r, league, "standings.json", empty, func(v Standings) ([]byte, error) {
		return DocumentStandings(league, v, cmp.Or(v.LastUpdated, now()))
	})
}

// DocumentStandings returns standings.json with a given time, with the same bytes as Save.
func DocumentStandings(league string, v Standings, lastUpdated string) ([]byte, error) {
	v.SchemaVersion, v.LeagueID, v.LastUpdated = config.SchemaVersion, league, lastUpdated
	return config.Document(v)
}
