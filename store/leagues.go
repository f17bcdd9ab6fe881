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

// Leagues are the leagues of a data directory: their settings, seasons and archive.
type Leagues struct{ root *Root }

// Leagues returns the leagues of the data directory.
func (r *Root) Leagues() Leagues { return Leagues{r} }

// Create durably writes the settings of a new league, config/leagues/<id>.json: the defaults as changed by edit.
// If the league has settings or a journal, it returns [ErrLeagueExists] and changes nothing. For settings that
// could not be read back it returns an error that names the field, and writes nothing.
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
		return config.League{}, l.root.wrapFull(err)
	}
	return l.root.config.League(id)
}

// Text returns the bytes of a league's settings file. A league without one gets the default settings first.
func (l Leagues) Text(id string) ([]byte, error) {
	err := config.CreateLeagueFile(id, func(name string, text []byte) error { return create(l.root.path(name), text, 0o644) })
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, l.root.wrapFull(err)
	}
	return os.ReadFile(l.root.path(config.LeagueFile(id)))
}

// Keep replaces the settings file of a league with text. changed reports whether the content was different before.
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

// Change edits the settings file of a league and returns the new settings. A league without a file first gets one
// with the settings of the default league. For invalid settings it returns an error that names the key, and writes
// nothing.
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

// Begun lists the ids of the leagues with a journal, sorted. It includes leagues that were created on a running
// manager which was killed before it wrote the journal.
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

// wasMade reports whether a running manager created the settings of a league on request.
func (l Leagues) wasMade(id string) bool {
	text, err := os.ReadFile(l.root.path(config.LeagueFile(id)))
	return err == nil && config.IsCreatedOnManager(text)
}
