package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"reflect"
	"slices"
	"strings"

	"agentleague/config"
)

// ErrLeagueExists means that a league with that id exists.
var ErrLeagueExists = errors.New("a league with that name already exists")

// CreateLeague writes the settings of a new league, config/leagues/<id>.json, durably, from the defaults changed by
// edit. If the league exists, as settings or as a journal, it returns [ErrLeagueExists] and changes nothing. Settings
// that could not be read back are an error that names the field, and are not written.
func (r *Root) CreateLeague(id string, edit func(*config.League)) (config.League, error) {
	if err := config.CheckLeagueID(id); err != nil {
		return config.League{}, err
	}
	if r.HasLeague(id) {
		return config.League{}, fmt.Errorf("%s: %w", id, ErrLeagueExists)
	}
	text, err := config.NewLeague(id, edit)
	if err != nil {
		return config.League{}, err
	}
	name := config.LeagueFile(id)
	err = create(r.path(name), text, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return config.League{}, fmt.Errorf("%s: %w", id, ErrLeagueExists)
	}
	if err == nil {
		err = syncFolder(r.path(path.Dir(name)))
	}
	if err != nil {
		return config.League{}, r.told(err)
	}
	return r.config.League(id)
}

// LeagueText returns the settings file of a league unchanged. A league without one gets the default settings first.
func (r *Root) LeagueText(id string) ([]byte, error) {
	err := config.CreateLeagueFile(id, func(name string, text []byte) error { return create(r.path(name), text, 0o644) })
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, r.told(err)
	}
	return os.ReadFile(r.path(config.LeagueFile(id)))
}

// KeepLeague replaces the settings file of a league with the given text, and reports whether it had a different one.
func (r *Root) KeepLeague(id string, text []byte) (changed bool, err error) {
	if err := config.CheckLeagueID(id); err != nil {
		return false, err
	}
	was, err := os.ReadFile(r.path(config.LeagueFile(id)))
	if err == nil && bytes.Equal(was, text) {
		return false, nil
	}
	if failed := r.saveText(config.LeagueFile(id), text); failed != nil {
		return false, failed
	}
	r.config.ForgetLeague(id)
	return err == nil, nil
}

// ChangeLeague changes the settings file of a league, and returns the settings. A league that has the settings of the
// default league gets its own file. Invalid settings are an error that names the key, and are not written.
func ChangeLeague(r *Root, id string, change config.Change) (config.League, error) {
	before, err := r.config.League(id)
	if err != nil || len(change) == 0 {
		return before, err
	}
	after, err := before.With(change)
	if err != nil || reflect.DeepEqual(before, after) {
		return after, err
	}
	name := config.LeagueFile(id)
	text, err := os.ReadFile(r.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		text, err = config.Document(before)
	}
	if err == nil {
		text, err = change.Merge(name, id, text)
	}
	if err == nil {
		err = r.saveText(name, text)
	}
	if err != nil {
		return config.League{}, err
	}
	r.config.ForgetLeague(id)
	return r.config.League(id)
}

// HasLeague reports whether a league has settings or a journal.
func (r *Root) HasLeague(id string) bool {
	_, err := os.Lstat(r.path(config.LeagueFile(id)))
	return err == nil || r.hasJournal(id)
}

// hasJournal reports whether a league has a journal.
func (r *Root) hasJournal(id string) bool {
	info, err := os.Stat(r.path("data/leagues/" + id + "/journal.jsonl"))
	return err == nil && info.Size() > 0
}

// RemoveLeague removes the settings of a league that was never started.
func (r *Root) RemoveLeague(id string) error {
	if err := config.CheckLeagueID(id); err != nil {
		return err
	}
	r.config.ForgetLeague(id)
	return os.Remove(r.path(config.LeagueFile(id)))
}

// Begun lists the ids of the leagues that have a journal, and of those that were created on a running manager but
// have no journal because it was killed. They are sorted by id.
func (r *Root) Begun() ([]string, error) {
	var out []string
	begun, err := os.ReadDir(r.path("data/leagues"))
	if err != nil {
		return nil, err
	}
	for _, e := range begun {
		if config.ValidID(e.Name()) && r.hasJournal(e.Name()) {
			out = append(out, e.Name())
		}
	}
	made, err := os.ReadDir(r.path("config/leagues"))
	if err != nil {
		return nil, err
	}
	for _, e := range made {
		id, ok := strings.CutSuffix(e.Name(), ".json")
		if ok && config.ValidID(id) && !slices.Contains(out, id) && r.wasMade(id) {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out, nil
}

// wasMade reports whether the settings of a league were created on a running manager.
func (r *Root) wasMade(id string) bool {
	text, err := os.ReadFile(r.path(config.LeagueFile(id)))
	return err == nil && config.MadeOnManager(text)
}
