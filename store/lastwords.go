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

// A LastWordsRepository stores the final signatures of one league.
type LastWordsRepository struct {
	root   *Root
	league string
}

// LastWords returns the repository of a league's final signatures. Load and Save return an error for an invalid id.
func (r *Root) LastWords(league string) LastWordsRepository { return LastWordsRepository{r, league} }

// Load returns the signatures; a missing file reads as empty.
func (s LastWordsRepository) Load() (LastWords, error) {
	v := LastWords{SchemaVersion: config.SchemaVersion, LeagueID: s.league}
	name, err := ofLeague(s.league, "last_words.json")
	if err != nil {
		return v, err
	}
	return v, s.root.load(name, &v)
}

// Save replaces the signatures durably, in the order of the players.
func (s LastWordsRepository) Save(v LastWords) error {
	name, err := ofLeague(s.league, "last_words.json")
	if err != nil {
		return err
	}
	v.SchemaVersion, v.LeagueID, v.LastUpdated = config.SchemaVersion, s.league, now()
	v.LastWords = slices.SortedFunc(slices.Values(v.LastWords), func(a, b LastWord) int {
		return cmp.Compare(a.PlayerID, b.PlayerID)
	})
	text, err := config.Document(v)
	if err != nil {
		return err
	}
	return s.root.saveText(name, text)
}
