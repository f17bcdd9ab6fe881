package files

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"agentleague/config"
	"agentleague/protocol"
)

// A MatchRepository keeps the records of one league's matches, data/matches/<league_id>/<match_id>.json, byte for byte:
// their hashes are in the journal.
type MatchRepository struct {
	root   *Root
	league string
}

// Matches returns the repository of a league's matches. Ids that cannot be any are an error of Load and Save.
func (r *Root) Matches(league string) MatchRepository { return MatchRepository{r, league} }

// Load returns the record of a match, or [ErrNoRecord].
func (s MatchRepository) Load(match string) ([]byte, error) {
	name, err := s.name(match)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(s.root.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("match %s of %s: %w", match, s.league, ErrNoRecord)
	}
	return text, err
}

// Has reports whether the record of a match is there whole: with that hash, or without one as any JSON. A power cut may
// have left the name of a file without all that was in it.
func (s MatchRepository) Has(match, hash string) bool {
	text, err := s.Load(match)
	if hash == "" {
		return err == nil && json.Valid(text)
	}
	return err == nil && protocol.RecordHash(text) == hash
}

// Save replaces the record of a match. It does not wait for the disk: the record is its referee's to keep.
func (s MatchRepository) Save(match string, document []byte) error {
	name, err := s.name(match)
	if err != nil {
		return err
	}
	return s.root.saveSoon(name, document)
}

func (s MatchRepository) name(match string) (string, error) {
	err := errors.Join(config.CheckID("league id", s.league), config.CheckID("match id", match))
	return "data/matches/" + s.league + "/" + match + ".json", err
}
