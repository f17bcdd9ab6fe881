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

// Leagues are the leagues of a root: their settings, seasons and archive.
type Leagues struct{ root *Root }

// Leagues returns the leagues of the root.
func (r *Root) Leagues() Leagues { return Leagues{r} }

// Create writes the settings of a new league, config/leagues/<id>.json, durably, from the defaults changed by
// edit. If the league exists, as settings or as a journal, it returns [ErrLeagueExists] and changes nothing. Settings
// that could not be read back are an error that names the field, and are not written.
func (l Leagues) Create(id string, edit func(*config.League)) (config.League, error) {
	if err := config.CheckLeagueID(id); err != nil {
		return config.League{}, err
	}
	if l.Has(id) {
		return config.League{}, fmt.Errorf("%s: %w", id, ErrLeagueExists)
	}
	text, err := config.NewLeague(id, edit)
	if err != nil {
		return config.League{}, err
	}
	name := config.LeagueFile(id)
	err = create(l.root.path(name), text, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return config.League{}, fmt.Errorf("%s: %w", id, ErrLeagueExists)
	}
	if err == nil {
		err = syncFolder(l.root.path(path.Dir(name)))
	}
	if err != nil {
		return config.League{}, l.root.told(err)
	}
	return l.root.config.League(id)
}

// Text returns the settings file of a league unchanged. A league without one gets the default settings first.
func (l Leagues) Text(id string) ([]byte, error) {
	err := config.CreateLeagueFile(id, func(name string, text []byte) error { return create(l.root.path(name), text, 0o644) })
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, l.root.told(err)
	}
	return os.ReadFile(l.root.path(config.LeagueFile(id)))
}

// Keep replaces the settings file of a league with the given text, and reports whether it had a different one.
func (l Leagues) Keep(id string, text []byte) (changed bool, err error) {
	if err := config.CheckLeagueID(id); err != nil {
		return false, err
	}
	was, err := os.ReadFile(l.root.path(config.LeagueFile(id)))
	if err == nil && bytes.Equal(was, text) {
		return false, nil
	}
	if failed := l.root.saveText(config.LeagueFile(id), text); failed != nil {
		return false, failed
	}
	l.root.config.ForgetLeague(id)
	return err == nil, nil
}

// Change changes the settings file of a league, and returns the settings. A league that has the settings of the
// default league gets its own file. Invalid settings are an error that names the key, and are not written.
func (l Leagues) Change(id string, change config.Change) (config.League, error) {
	before, err := l.root.config.League(id)
	if err != nil || len(change) == 0 {
		return before, err
	}
	after, err := before.With(change)
	if err != nil || reflect.DeepEqual(before, after) {
		return after, err
	}
	name := config.LeagueFile(id)
	text, err := os.ReadFile(l.root.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		text, err = config.Document(before)
	}
	if err == nil {
		text, err = change.Merge(name, id, text)
	}
	if err == nil {
		err = l.root.saveText(name, text)
	}
	if err != nil {
		return config.League{}, err
	}
	l.root.config.ForgetLeague(id)
	return l.root.config.League(id)
}

// Has reports whether a league has settings or a journal.
func (l Leagues) Has(id string) bool {
	_, err := os.Lstat(l.root.path(config.LeagueFile(id)))
	return err == nil || l.hasJournal(id)
}

// hasJournal reports whether a league has a journal.
func (l Leagues) hasJournal(id string) bool {
	info, err := os.Stat(l.root.path("data/leagues/" + id + "/journal.jsonl"))
	return err == nil && info.Size() > 0
}

// Remove removes the settings of a league that was never started.
func (l Leagues) Remove(id string) error {
	if err := config.CheckLeagueID(id); err != nil {
		return err
	}
	l.root.config.ForgetLeague(id)
	return os.Remove(l.root.path(config.LeagueFile(id)))
}

// Begun lists the ids of the leagues that have a journal, and of those that were created on a running manager but
// have no journal because it was killed. They are sorted by id.
func (l Leagues) Begun() ([]string, error) {
	var out []string
	begun, err := os.ReadDir(l.root.path("data/leagues"))
	if err != nil {
		return nil, err
	}
	for _, e := range begun {
		if config.ValidID(e.Name()) && l.hasJournal(e.Name()) {
			out = append(out, e.Name())
		}
	}
	made, err := os.ReadDir(l.root.path("config/leagues"))
	if err != nil {
		return nil, err
	}
	for _, e := range made {
		id, ok := strings.CutSuffix(e.Name(), ".json")
		if ok && config.ValidID(id) && !slices.Contains(out, id) && l.wasMade(id) {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out, nil
}

// wasMade reports whether the settings of a league were created on a running manager.
func (l Leagues) wasMade(id string) bool {
	text, err := os.ReadFile(l.root.path(config.LeagueFile(id)))
	return err == nil && config.IsCreatedOnManager(text)
}
