package store

import (
	"cmp"
	"slices"

	"agentleague/config"
)

// FinalSignatures is data/leagues/<league_id>/last_words.json: the players' signatures of the last head of the
// league's journal, which is in the same folder.
type FinalSignatures struct {
	SchemaVersion string                      `json:"schema_version"`
	LeagueID      string                      `json:"league_id"`
	LastUpdated   string                      `json:"last_updated"`
	Signatures    config.List[FinalSignature] `json:"last_words"`
}

// A FinalSignature is one player's signature of the last head of the log.
type FinalSignature struct {
	PlayerID  string `json:"player_id"`
	Head      string `json:"head"`
	Signature string `json:"signature"`
}

// FinalSignatures returns the final signatures of a league.
func (r *Root) FinalSignatures(league string) Document[FinalSignatures] {
	empty := FinalSignatures{SchemaVersion: config.SchemaVersion, LeagueID: league}
	return newDocument(r, league, "last_words.json", empty, func(v FinalSignatures) ([]byte, error) {
		return finalSignaturesDocument(league, v)
	})
}

// finalSignaturesDocument returns last_words.json, ordered by player, with the current time.
func finalSignaturesDocument(league string, v FinalSignatures) ([]byte, error) {
	v.SchemaVersion, v.LeagueID, v.LastUpdated = config.SchemaVersion, league, now()
	v.Signatures = slices.SortedFunc(slices.Values(v.Signatures), func(a, b FinalSignature) int {
		return cmp.Compare(a.PlayerID, b.PlayerID)
	})
	return config.Document(v)
}
