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

// A StandingsRepository stores the table of one league.
type StandingsRepository struct {
	root   *Root
	league string
}

// Standings returns the repository of a league's table. Load and Save return an error for an invalid id.
func (r *Root) Standings(league string) StandingsRepository { return StandingsRepository{r, league} }

// Load returns the table; a missing file reads as empty.
func (s StandingsRepository) Load() (Standings, error) {
	v := Standings{SchemaVersion: config.SchemaVersion, LeagueID: s.league}
	name, err := ofLeague(s.league, "standings.json")
	if err != nil {
		return v, err
	}
	return v, s.root.load(name, &v)
}

// Save replaces the table, with the league's id, and with the current time unless v has one.
func (s StandingsRepository) Save(v Standings) error {
	name, err := ofLeague(s.league, "standings.json")
	if err != nil {
		return err
	}
	text, err := DocumentStandings(s.league, v, cmp.Or(v.LastUpdated, now()))
	if err != nil {
		return err
	}
	return s.root.saveText(name, text)
}

// DocumentStandings returns standings.json with a given time, byte for byte as Save writes it.
func DocumentStandings(league string, v Standings, lastUpdated string) ([]byte, error) {
	v.SchemaVersion, v.LeagueID, v.LastUpdated = config.SchemaVersion, league, lastUpdated
	return config.Document(v)
}

// ofLeague returns the name of a document about a whole league.
func ofLeague(league, document string) (string, error) {
	return "data/leagues/" + league + "/" + document, config.CheckID("league id", league)
}
