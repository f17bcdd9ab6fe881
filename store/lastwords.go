package store

import (
	"cmp"
	"slices"

	"agentleague/config"
)

// LastWords is data/leagues/<league_id>/last_words.json: the players' signatures at the end of the league. It is
// beside the journal, whose end they sign.
type LastWords struct {
	SchemaVersion string                `json:"schema_version"`
	LeagueID      string                `json:"league_id"`
	LastUpdated   string                `json:"last_updated"`
	LastWords     config.List[LastWord] `json:"last_words"`
}

// A LastWord is one player's signature under the last head of the log.
type LastWord struct {
	PlayerID  string `json:"player_id"`
	Head      string `json:"head"`
	Signature string `json:"signature"`
}

// LastWords returns the final signatures of a league.
func (r *Root) LastWords(league string) Document[LastWords] {
	empty := LastWords{SchemaVersion: config.SchemaVersion, LeagueID: league}
	return newDocument(r, league, "last_words.json", empty, func(v LastWords) ([]byte, error) {
		return documentLastWords(league, v)
	})
}

// documentLastWords returns last_words.json with the current time, in the order of the players.
func documentLastWords(league string, v LastWords) ([]byte, error) {
	v.SchemaVersion, v.LeagueID, v.LastUpdated = config.SchemaVersion, league, now()
	v.LastWords = slices.SortedFunc(slices.Values(v.LastWords), func(a, b LastWord) int {
		return cmp.Compare(a.PlayerID, b.PlayerID)
	})
	return config.Document(v)
}
