package files

import (
	"errors"
	"io/fs"
	"os"

	"agentleague/protocol"
)

// archivedFile is what stands beside the journal of a league that was put away: data/leagues/<league_id>/archived.json.
const archivedFile = "archived.json"

// An archiving says who has put a league away, and when.
type archiving struct {
	LeagueID string `json:"league_id"`
	At       string `json:"archived_at"`
	By       string `json:"by"`
}

// A Shelf keeps which leagues of a root were put away.
type Shelf struct{ root *Root }

// Shelf returns that of the root.
func (r *Root) Shelf() Shelf { return Shelf{r} }

// Put puts a league away, on disk when it returns: nobody runs it until it is brought back. All its files stay, to be
// read and verified.
func (s Shelf) Put(id, by string) error {
	name, err := ofLeague(id, archivedFile)
	if err != nil {
		return err
	}
	return s.root.save(name, archiving{id, now(), protocol.Plain(by)})
}

// Take brings a league back that was put away. One that was not is left as it is.
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

// Has reports whether a league was put away.
func (s Shelf) Has(id string) bool {
	name, err := ofLeague(id, archivedFile)
	if err != nil {
		return false
	}
	_, err = os.Stat(s.root.path(name))
	return err == nil
}
