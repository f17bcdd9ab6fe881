package files

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"agentleague/protocol"
)

// ErrLeagueExists says that there is such a league already.
var ErrLeagueExists = errors.New("a league with that name already exists")

// CreateLeague writes the settings of a new league, config/leagues/<id>.json, on disk, from the default ones and what edit
// makes of them. One that is there already, as settings or as a journal, is [ErrLeagueExists] and left alone. Settings that
// could not be read back are an error that names the field, and are not written.
func (r *Root) CreateLeague(id string, edit func(*League)) (League, error) {
	if err := CheckLeagueID(id); err != nil {
		return League{}, err
	}
	if r.HasLeague(id) {
		return League{}, fmt.Errorf("%s: %w", id, ErrLeagueExists)
	}
	v := builtin[League]("league")
	v.LeagueID, v.DisplayName, v.LastUpdated = id, id, now()
	v.MaxConsecutiveForfeits, v.BroadcastLimit = 3, 64
	edit(&v)
	text, err := document(v)
	if err != nil {
		return League{}, err
	}
	name := leagueFile(id)
	if _, err := readLeague(name, text, id); err != nil {
		return League{}, err
	}
	err = create(r.path(name), text, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return League{}, fmt.Errorf("%s: %w", id, ErrLeagueExists)
	}
	if err == nil {
		err = syncFolder(r.path(path.Dir(name)))
	}
	if err != nil {
		return League{}, r.told(err)
	}
	return r.config.League(id)
}

// HasLeague reports whether there are settings or a journal of a league.
func (r *Root) HasLeague(id string) bool {
	_, err := os.Lstat(r.path(leagueFile(id)))
	return err == nil || r.hasJournal(id)
}

// hasJournal reports whether the log of a league has begun.
func (r *Root) hasJournal(id string) bool {
	info, err := os.Stat(r.path("data/leagues/" + id + "/journal.jsonl"))
	return err == nil && info.Size() > 0
}

// RemoveLeague takes back the settings of a league that was never begun.
func (r *Root) RemoveLeague(id string) error {
	if err := CheckLeagueID(id); err != nil {
		return err
	}
	r.config.forget(leagueFile(id))
	return os.Remove(r.path(leagueFile(id)))
}

// CheckLeagueID returns an error unless id can be that of a league besides the root's default one: a name in a path, with room
// for what is put before it, and nothing that stands in the tree for an agent of the default league.
func CheckLeagueID(id string) error {
	const most = maxID - len("token.")
	if err := CheckID("league id", id); err != nil {
		return err
	}
	first, _, _ := strings.Cut(id, ".")
	switch {
	case len(id) > most:
		return fmt.Errorf("league id %.64q: want at most %d characters", id, most)
	case strings.HasSuffix(id, ".") || strings.Contains(id, ".."):
		return fmt.Errorf(`league id %q: want "." only between other characters`, id)
	case protocol.ValidID(protocol.RolePlayer, first) || protocol.ValidID(protocol.RoleReferee, first):
		return fmt.Errorf("league id %q: this is the id of an agent; choose another", id)
	}
	return nil
}

// Begun lists the leagues that have a journal, and those that were made on a running manager and have none yet because it was
// killed. They come by their ids.
func (r *Root) Begun() ([]string, error) {
	var out []string
	begun, err := os.ReadDir(r.path("data/leagues"))
	if err != nil {
		return nil, err
	}
	for _, e := range begun {
		if validID(e.Name()) && r.hasJournal(e.Name()) {
			out = append(out, e.Name())
		}
	}
	made, err := os.ReadDir(r.path("config/leagues"))
	if err != nil {
		return nil, err
	}
	for _, e := range made {
		id, ok := strings.CutSuffix(e.Name(), ".json")
		if ok && validID(id) && !slices.Contains(out, id) && r.wasMade(id) {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out, nil
}

// wasMade reports whether the settings of a league are those of one that was made on a running manager.
func (r *Root) wasMade(id string) bool {
	var v struct {
		By    string          `json:"created_by"`
		Start json.RawMessage `json:"start"`
	}
	text, err := os.ReadFile(r.path(leagueFile(id)))
	return err == nil && json.Unmarshal(text, &v) == nil && v.By != "" && v.Start != nil
}
