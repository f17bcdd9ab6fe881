package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
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

// Has reports whether there is a record of a match. A file that a crash of the machine left empty is none.
func (s MatchRepository) Has(match string) bool {
	name, err := s.name(match)
	if err != nil {
		return false
	}
	info, err := os.Stat(s.root.path(name))
	return err == nil && info.Mode().IsRegular() && info.Size() > 0
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
	err := errors.Join(CheckID("league id", s.league), CheckID("match id", match))
	return "data/matches/" + s.league + "/" + match + ".json", err
}
