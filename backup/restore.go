package backup

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"agentleague/config"
	"agentleague/engine"
	"agentleague/engine/journal"
	"agentleague/engine/line"
	"agentleague/files"
	"agentleague/store"
)

// A Target is where a backup is restored.
type Target struct {
	// Engine takes the log and the secrets.
	Engine interface {
		engine.Engine
		engine.Restorer
	}

	// Root takes settings, records and what belongs to hosted agents. Nobody else may have it open for writing.
	Root *files.Root

	// Shelf is where the records of a league's matches are kept besides the root; nil: nowhere.
	Shelf func(ctx context.Context, id string) (Shelf, error)

	// Made is told of each league when all of it is there, with its settings, which may be nil; nil: nobody is.
	Made func(ctx context.Context, id string, settings []byte) error
}

// A Shelf keeps the records of one league.
type Shelf interface {
	Store(match string, document []byte) error
}

// Restored says what became of one league.
type Restored struct {
	League
	Notes []string // what the operator should know, in sentences
}

// Restore puts all leagues of the backup to their places. A league that is there already with other entries in its log
// is an [engine.ErrTaken] before anything is written; one that has a beginning of the same log is brought forward. What
// broke off half way is finished by doing it again: the log is written last, and without it nobody plays the league.
func (a *Archive) Restore(ctx context.Context, t Target) (out []Restored, err error) {
	for _, l := range a.Manifest.Leagues {
		if err := a.free(ctx, t, l); err != nil {
			return nil, fmt.Errorf("league %s: %w", l.ID, err)
		}
	}
	for _, l := range a.Manifest.Leagues {
		one, err := a.restore(ctx, t, l)
		if err != nil {
			return out, fmt.Errorf("league %s: %w", l.ID, err)
		}
		out = append(out, one)
	}
	return out, nil
}

// free refuses a league that has another history at its new place.
func (a *Archive) free(ctx context.Context, t Target, l League) error {
	var end engine.Mark
	for e, err := range t.Engine.Read(ctx, l.ID, 0) {
		if err != nil {
			return err
		}
		end = e.Mark
	}
	var hash line.Hash
	if _, err := hex.Decode(hash[:], []byte(end.Hash)); err != nil && end.Seq > 0 {
		return err
	}
	_, err := line.After(a.logs[l.ID], end.Seq, hash)
	return err
}

// restore brings one league back: secrets and files first, then the log, which needs them as soon as somebody opens it,
// then the records. If it breaks off it can be done again: what is there already is left as it is.
func (a *Archive) restore(ctx context.Context, t Target, l League) (Restored, error) {
	out := Restored{League: l}
	notes, err := a.putSecrets(ctx, t, l.ID)
	out.Notes = append(out.Notes, notes...)
	if err != nil {
		return out, err
	}
	settings, notes, err := a.putFiles(ctx, t.Root, l.ID)
	out.Notes = append(out.Notes, notes...)
	if err != nil {
		return out, err
	}
	if _, err := t.Engine.Restore(ctx, l.ID, texts(a.logs[l.ID])); err != nil {
		return out, err
	}
	if err := a.putRecords(ctx, t, l.ID); err != nil {
		return out, err
	}
	s := a.last[l.ID]
	if err := store.NewProjector(t.Root).Project(s.Snapshot()); err != nil {
		return out, err
	}
	if t.Made != nil {
		err = t.Made(ctx, l.ID, settings)
	}
	return out, err
}

// putSecrets hands the secrets to the engine. Those of the league must not be others there; that of the root's referees
// may be, which is worth a note.
func (a *Archive) putSecrets(ctx context.Context, t Target, id string) (notes []string, err error) {
	for _, name := range secretNames(id) {
		file := "data/secrets/" + name
		if _, ok := a.size[file]; !ok {
			continue // the league has not needed it yet
		}
		text, err := a.read(file)
		if err != nil {
			return notes, err
		}
		secret, err := journal.ParseSecret(file, text)
		if err != nil {
			return notes, err
		}
		err = t.Engine.PutSecret(ctx, name, secret)
		if errors.Is(err, engine.ErrTaken) && name == refereeSecret {
			notes = append(notes, "The referee secret here is another one: referees of the old root count as guests until they are "+
				"started with data/secrets/referee of the new place.")
			continue
		}
		if err != nil {
			return notes, err
		}
	}
	return notes, nil
}

// putFiles writes what belongs to the league, less its log and its secrets, and returns its settings.
func (a *Archive) putFiles(ctx context.Context, root *files.Root, id string) (settings []byte, notes []string, err error) {
	for _, f := range a.Manifest.Files {
		if err := ctx.Err(); err != nil {
			return settings, notes, err
		}
		if !belongs(f.Name, id) || f.Name == logName(id) || f.Name == headName(id) || path.Dir(f.Name) == "data/secrets" {
			continue
		}
		text, err := a.read(f.Name)
		if err != nil {
			return settings, notes, err
		}
		if f.Name == config.LeagueFile(id) {
			settings = text
			kept, err := root.KeepBefore(f.Name, text)
			if err != nil {
				return settings, notes, err
			}
			if kept != "" {
				notes = append(notes, fmt.Sprintf("The settings that were there are kept as %s.", kept))
			}
		}
		if err := root.PutFile(f.Name, text, private(f.Name)); err != nil {
			return settings, notes, err
		}
	}
	if strings.Contains(string(settings), `"moved_to"`) {
		notes = append(notes, "Its settings say that it was moved elsewhere; set their status to ACTIVE to have it played here.")
	}
	return settings, notes, nil
}

// putRecords puts the records of all matches on the shelf, from the root, which has them by now.
func (a *Archive) putRecords(ctx context.Context, t Target, id string) error {
	if t.Shelf == nil {
		return nil
	}
	shelf, err := t.Shelf(ctx, id)
	if err != nil {
		return err
	}
	matches := a.last[id].Matches
	for _, match := range slices.Sorted(maps.Keys(matches)) {
		if !recorded(a.last[id], match) {
			continue
		}
		document, err := t.Root.Matches(id).Load(match)
		if errors.Is(err, files.ErrNoRecord) {
			continue // the manager fetches it from its referee
		}
		if err == nil {
			err = shelf.Store(match, document)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// texts yields lines as an engine takes them.
func texts(lines []line.Sound) func(yield func([]byte, error) bool) {
	return func(yield func([]byte, error) bool) {
		for _, l := range lines {
			if !yield(l.Text, nil) {
				return
			}
		}
	}
}
