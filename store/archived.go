package store

import (
	"errors"
	"io/fs"
	"os"

	"agentleague/protocol"
)

// archivedFile marks an archived league: data/leagues/<league_id>/archived.json.
const archivedFile = "archived.json"

// An archiving is the content of archived.json: the person that archived the league, and the time.
type archiving struct {
	LeagueID string `json:"league_id"`
	At       string `json:"archived_at"`
	By       string `json:"by"`
}

// Archive marks a league durably as archived: no manager runs it until Unarchive. All its files stay readable and
// verifiable.
func (l Leagues) Archive(id, by string) error {
	name, err := ofLeague(id, archivedFile)
	if err != nil {
		return err
	}
	return l.root.save(name, archiving{id, now(), protocol.Plain(by)})
}

// Unarchive removes the mark of Archive. It does nothing if the league has none.
func (l Leagues) Unarchive(id string) error {
	name, err := ofLeague(id, archivedFile)
	if err != nil {
		return err
	}
	if err := os.Remove(l.root.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Archived reports whether a league is archived.
func (l Leagues) Archived(id string) bool {
	name, err := ofLeague(id, archivedFile)
	if err != nil {
		return false
	}
	_, err = os.Stat(l.root.path(name))
	return err == nil
}
