package backup

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"agentleague/config"
	"agentleague/engine"
	"agentleague/engine/journal"
	"agentleague/engine/line"
	"agentleague/store"
)

// A Target is the place to which a backup is restored.
type Target struct {
	// Engine receives the log and the secrets.
	Engine interface {
		engine.Engine
		engine.Restorer
	}

	// Root receives settings, records and the files of hosted agents. No other process may have it open for writing.
	Root *store.Root

	// Shelf opens a store of match records in addition to the data directory. If nil, there is none.
	Shelf func(ctx context.Context, id string) (Shelf, error)

	// Programs allows settings with a strategy that runs a program on this machine; see [ProgramError].
	Programs bool

	// Made is called for each restored league with its settings, which may be nil. Made itself may be nil.
	Made func(ctx context.Context, id string, settings []byte) error
}

// A Shelf stores the records of one league.
type Shelf interface {
	Store(match string, document []byte) error
}

// Restored is the outcome for one league.
type Restored struct {
	League
	Notes []string // hints for the operator, in sentences
}

// Restore restores all leagues of the backup. If one exists with a different log it returns [engine.ErrTaken] and
// writes nothing; a log that is a prefix of the restored one is extended. It writes all files to temporary
// folders, and renames them when all are on disk. It writes the log last, because without a log no manager opens
// the league. An error before that leaves the league unchanged.
func (a *Archive) Restore(ctx context.Context, t Target) (out []Restored, err error) {
	for _, l := range a.Manifest.Leagues {
		if err := errors.Join(a.free(ctx, t, l), a.checkPrograms(t, l.ID)); err != nil {
			return nil, fmt.Errorf("league %s: %w", l.ID, err)
		}
	}
	var all []*restoring
	defer func() {
		for _, r := range all {
			err = errors.Join(err, r.staging.Close())
		}
	}()
	for _, l := range a.Manifest.Leagues {
		r := &restoring{Archive: a, Target: t, out: Restored{League: l}}
		if r.staging, err = store.NewStaging(t.Root, l.ID); err != nil {
			return nil, fmt.Errorf("league %s: %w", l.ID, err)
		}
		all = append(all, r)
		if err := r.stage(ctx); err != nil {
			return nil, fmt.Errorf("league %s: %w", l.ID, err)
		}
	}
	for _, r := range all {
		if err := r.restore(ctx); err != nil {
			return out, fmt.Errorf("league %s: %w", r.out.ID, err)
		}
		out = append(out, r.out)
	}
	return out, nil
}

// free returns an error if the league exists at the target with a different log.
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
	if _, err := line.After(a.logs[l.ID], end.Seq, hash); err != nil {
		return fmt.Errorf("%w: a league of that name exists there with entries that are not in the backup, and is left as it is", err)
	}
	return nil
}

// restoring is the restore of one league to a target.
type restoring struct {
	*Archive
	Target
	out      Restored
	staging  *store.Staging
	settings []byte // nil: the backup has none
}

// note adds a sentence for the operator.
func (r *restoring) note(format string, args ...any) {
	r.out.Notes = append(r.out.Notes, fmt.Sprintf(format, args...))
}

// stage writes the files of the league, without its log and its secrets, to the temporary folder.
func (r *restoring) stage(ctx context.Context) error {
	id := r.out.ID
	for _, f := range r.Manifest.Files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !belongs(f.Name, id) || f.Name == logName(id) || f.Name == headName(id) || path.Dir(f.Name) == "data/secrets" {
			continue
		}
		if err := r.staging.Put(f.Name, private(f.Name), func(w io.Writer) error { return r.copy(w, f.Name) }); err != nil {
			return err
		}
	}
	return nil
}

// restore restores the league: files, secrets, then the log. An error before the log is written undoes everything.
// An error after it does not; a repeated restore then completes records and derived files.
func (r *restoring) restore(ctx context.Context) error {
	id := r.out.ID
	err := r.place()
	if err == nil {
		err = r.putSecrets(ctx)
	}
	if err == nil {
		r.makes(logName(id))
		r.makes(headName(id))
		_, err = r.Engine.Restore(ctx, id, texts(r.logs[id]))
	}
	if err != nil {
		return errors.Join(err, r.staging.Undo())
	}
	if err := r.putRecords(ctx, r.Target, id); err != nil {
		return err
	}
	s := r.last[id]
	if err := store.NewProjector(r.Root).Project(s.Snapshot()); err != nil {
		return err
	}
	if r.Made != nil {
		err = r.Made(ctx, id, r.settings)
	}
	return err
}

// makes records that the engine is about to create a file in the data directory, so that an undo removes it.
func (r *restoring) makes(name string) {
	if _, err := fs.Stat(os.DirFS(r.Root.Dir()), name); errors.Is(err, fs.ErrNotExist) {
		r.staging.Made(name)
	}
}

// place renames the staged files to their places. It keeps a copy of existing settings next to the new ones.
func (r *restoring) place() (err error) {
	name := config.LeagueFile(r.out.ID)
	if r.settings, err = r.leagueSettings(r.out.ID); err != nil {
		return err
	}
	if r.settings != nil {
		kept, err := r.Root.KeepBefore(name, r.settings)
		if err != nil {
			return err
		}
		if kept != "" {
			r.staging.Made(kept)
			r.note("The settings that were there are kept as %s.", kept)
		}
	}
	if strings.Contains(string(r.settings), `"moved_to"`) {
		r.note("Its settings say that it was moved elsewhere; set their status to ACTIVE to have it played here.")
	}
	return r.staging.Place()
}

// putSecrets stores the secrets in the engine. If the league has a different secret already, that is an error; if the
// data directory has a different secret for its referees, that is only a note.
func (r *restoring) putSecrets(ctx context.Context) error {
	for _, name := range secretNames(r.out.ID) {
		file := "data/secrets/" + name
		if _, ok := r.size[file]; !ok {
			continue // the league has not needed it yet
		}
		text, err := r.read(file, maxText)
		if err != nil {
			return err
		}
		secret, err := journal.ParseSecret(file, text)
		if err != nil {
			return err
		}
		r.makes(file)
		err = r.Engine.PutSecret(ctx, name, secret)
		if errors.Is(err, engine.ErrTaken) && name == refereeSecret {
			r.note("The referee secret here is another one: referees of the old root count as guests until they are " +
				"started with data/secrets/referee of the new place.")
			continue
		}
		if errors.Is(err, engine.ErrTaken) {
			return fmt.Errorf("%w: the secret %s there is kept, and nothing of the league was restored", err, file)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// putRecords copies the records of all matches from the root to the target's shelf.
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
		if errors.Is(err, store.ErrNoRecord) {
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

// texts converts lines into the iterator that an engine's import expects.
func texts(lines []line.Sound) func(yield func([]byte, error) bool) {
	return func(yield func([]byte, error) bool) {
		for _, l := range lines {
			if !yield(l.Text, nil) {
				return
			}
		}
	}
}
