package store

import (
	"agentleague/config"
	"agentleague/protocol"
)

// History is data/players/<id>/history.json: a player's finished matches.
type History struct {
	SchemaVersion string                 `json:"schema_version"`
	PlayerID      string                 `json:"player_id"`
	DisplayName   string                 `json:"display_name"`
	LastUpdated   string                 `json:"last_updated"`
	Stats         protocol.PlayerStats   `json:"stats"`
	Matches       []protocol.PlayerMatch `json:"matches"`
}

// Dropped counts the matches of the player that are no longer in the history. If the file contradicts itself, it returns
// none.
func (v History) Dropped() protocol.PlayerStats {
	d := v.Stats.Minus(protocol.StatsOf(v.Matches))
	if min(d.TotalMatches, d.Wins, d.Losses, d.Draws) < 0 {
		return protocol.PlayerStats{}
	}
	return d
}

// A PlayerHistoryRepository stores the history of one player in one league.
type PlayerHistoryRepository struct {
	root           *Root
	league, player string
}

// History returns the repository of a player's history; "" is the default league. Load and Save return an error for
// invalid ids.
func (r *Root) History(league, player string) PlayerHistoryRepository {
	return PlayerHistoryRepository{r, league, player}
}

// Load returns the history; a missing file reads as empty.
func (s PlayerHistoryRepository) Load() (History, error) {
	v := History{SchemaVersion: config.SchemaVersion, PlayerID: s.player}
	folder, err := s.root.inLeague(s.league, s.player)
	if err != nil {
		return v, err
	}
	return v, s.root.load("data/players/"+folder+"/history.json", &v)
}

// Save replaces the history, with the player's id and the current time. A history without matches has the list [],
// not null. Matches is not a config.List, which would encode this long, often written list twice.
func (s PlayerHistoryRepository) Save(v History) error {
	folder, err := s.root.inLeague(s.league, s.player)
	if err != nil {
		return err
	}
	return s.root.save("data/players/"+folder+"/history.json", v.of(s.player, now()))
}

// of returns the history with the header fields of its file, such as the player's id, filled in.
func (v History) of(player, lastUpdated string) History {
	v.SchemaVersion, v.PlayerID, v.LastUpdated = config.SchemaVersion, player, lastUpdated
	if v.Matches == nil {
		v.Matches = []protocol.PlayerMatch{}
	}
	return v
}

// DocumentHistory returns history.json with a given time, with the same bytes as Save.
func DocumentHistory(player string, v History, lastUpdated string) ([]byte, error) {
	return config.Document(v.of(player, lastUpdated))
}
