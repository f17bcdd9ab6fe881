package backup

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"agentleague/cluster"
	"agentleague/cluster/shelf"
	"agentleague/engine/engines"
	"agentleague/engine/journal"
	"agentleague/store"
)

// Fetch copies the leagues of a cluster into the root to, for a backup. Logs, secrets, settings and records come from
// the cluster; the data of hosted agents comes from own, the files of the manager's data directory.
func Fetch(ctx context.Context, choice engines.Choice, own fs.FS, to *store.Root, logger *slog.Logger) error {
	disk, err := choice.Open(ctx, filepath.Join(to.Dir(), "data"), logger)
	if err != nil {
		return err
	}
	all, err := cluster.Leagues(ctx, disk)
	for _, l := range all {
		if err == nil {
			err = fetch(ctx, disk, l, own, to)
		}
	}
	if err == nil && len(all) == 0 {
		err = errors.New("the cluster has no leagues")
	}
	return errors.Join(err, disk.Close())
}

// fetch copies one league of a cluster. Its log is copied as a side effect of reading it.
func fetch(ctx context.Context, disk engines.Engine, l cluster.League, own fs.FS, to *store.Root) error {
	if err := to.PutFile("config/leagues/"+l.ID+".json", l.Settings, false); err != nil {
		return err
	}
	begun := false
	for _, err := range disk.Read(ctx, l.ID, 0) {
		if err != nil {
			return err
		}
		begun = true
	}
	if !begun {
		return nil
	}
	if err := fetchHosted(own, to, l.ID); err != nil {
		return err
	}
	if _, err := shelf.Open(ctx, disk, l.ID, to.Matches(l.ID)); err != nil {
		return err
	}
	for _, name := range secretNames(l.ID) {
		secret, err := disk.Secret(ctx, name)
		if err == nil {
			err = to.PutFile("data/secrets/"+name, []byte(hex.EncodeToString(secret)+"\n"), true)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// fetchHosted copies the data that exists only in the manager's data directory: data of hosted agents, records that are
// not in the cluster yet, and the players' final signatures.
func fetchHosted(own fs.FS, to *store.Root, id string) error {
	for _, name := range []string{"last_words.json", "records.log"} {
		name = "data/leagues/" + id + "/" + name
		if text, err := fs.ReadFile(own, name); err == nil {
			if err := to.PutFile(name, text, false); err != nil {
				return err
			}
		}
	}
	folders, _ := fs.Glob(own, "data/referees/*/"+id)
	for _, name := range append(folders, "data/identities/"+id, "data/seats/"+id, "data/matches/"+id) {
		if _, err := fs.Stat(own, name); err != nil {
			continue
		}
		part, err := fs.Sub(own, name)
		if err == nil {
			err = os.CopyFS(filepath.Join(to.Dir(), filepath.FromSlash(name)), part)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// RestoreTo restores all leagues of the backup into a data directory and, for a shared engine, into the cluster. No
// other process may have the data directory open.
func (a *Archive) RestoreTo(ctx context.Context, choice engines.Choice, root *store.Root, programs bool, logger *slog.Logger) (out []Restored, err error) {
	data := filepath.Join(root.Dir(), "data")
	if choice.Shared() { // a journal locks the data directory itself
		lock, err := journal.LockFolder(data)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, lock.Unlock()) }()
	}
	to, err := choice.Bare(ctx, data, logger)
	if err != nil {
		return nil, err
	}
	t := Target{Engine: to, Root: root, Programs: programs}
	if choice.Shared() {
		t.Shelf = func(ctx context.Context, id string) (Shelf, error) { return shelf.Open(ctx, to, id, root.Matches(id)) }
		t.Made = func(ctx context.Context, id string, settings []byte) error { return cluster.Add(ctx, to, id, settings) }
	}
	out, err = a.Restore(ctx, t)
	return out, errors.Join(err, to.Close())
}
