package store

import (
	"errors"
	"io/fs"
	"os"

	"agentleague/protocol"
)

// archivedFile marks an archived league: data/leagues/<league_id>/archived.json.
const archivedFile = "archived.json"

// An archiving records the actor and the time of an archiving.
type archiving struct {
	LeagueID string `json:"league_id"`
	At       string `json:"archived_at"`
	By       string `json:"by"`
}

// A Shelf stores which leagues of a root are archived.
type Shelf struct{ root *Root }

// Shelf returns the archive of the root.
func (r *Root) Shelf() Shelf { return Shelf{r} }

// Put archives a league durably: no manager runs it until it is restored. All its files stay readable and verifiable.
func (s Shelf) Put(id, by string) error {
	name, err := ofLeague(id, archivedFile)
	if err != nil {
		return err
	}
	return s.root.save(name, archiving{id, now(), protocol.Plain(by)})
}

// Take restores an archived league. It does nothing to any other league.
func (s Shelf) Take(id string) error {
	name, err := ofLeague(id, archivedFile)
	if err != nil {
		return err
	}
	if err := os.Remove(s.root.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Has reports whether a league is archived.
func (s Shelf) Has(id string) bool {
	name, err := ofLeague(id, archivedFile)
	if err != nil {
		return false
	}
	_, err = os.Stat(s.root.path(name))
	return err == nil
}
