package cli

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"agentleague/cluster"
	"agentleague/cluster/shelf"
	"agentleague/engine/engines"
	"agentleague/host"
	"agentleague/store"
)

// fromCluster backs up leagues of a cluster: log, secrets, settings and records come from the cluster into a
// temporary root, and the data of hosted agents from the root of the manager.
func (b *backingUp) fromCluster(ctx context.Context, choice engines.Choice, args []string) (err error) {
	dir, err := os.MkdirTemp("", "league-backup-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	root, err := store.Open(dir, host.Games())
	if err != nil {
		return err
	}
	h := &host.Env{Root: root}
	disk, err := choice.Open(ctx, h.DataDir(), b.logger())
	if err != nil {
		return err
	}
	all, err := cluster.Leagues(ctx, disk)
	for _, l := range all {
		if err == nil {
			err = b.fetchLeague(ctx, h, disk, l)
		}
	}
	if err = errors.Join(err, disk.Close()); err != nil {
		return err
	}
	if len(all) == 0 {
		return errors.New("the cluster has no leagues")
	}
	b.from = os.DirFS(dir)
	if len(args) == 0 && !b.all {
		return wrongUsage("give a league of the cluster, or --all")
	}
	return b.run(ctx, args)
}

// fetchLeague copies a cluster's data of a league into a root. Reading a log copies it there.
func (b *backingUp) fetchLeague(ctx context.Context, h *host.Env, disk engines.Engine, l cluster.League) error {
	if err := h.PutFile("config/leagues/"+l.ID+".json", l.Settings, false); err != nil {
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
	if err := b.fetchHosted(h, l.ID); err != nil {
		return err
	}
	if _, err := shelf.Open(ctx, disk, l.ID, h.Matches(l.ID)); err != nil {
		return err
	}
	for _, name := range []string{"token." + l.ID, "draw." + l.ID, "invite." + l.ID, host.SecretName} {
		secret, err := disk.Secret(ctx, name)
		if err == nil {
			err = h.PutFile("data/secrets/"+name, []byte(hex.EncodeToString(secret)+"\n"), true)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// fetchHosted copies the data that only the manager of --root has: data of hosted agents, records that are not in the
// cluster yet, and the final signatures of players.
func (b *backingUp) fetchHosted(h *host.Env, id string) error {
	from := os.DirFS(b.root)
	for _, name := range []string{"last_words.json", "records.log"} {
		name = "data/leagues/" + id + "/" + name
		if text, err := fs.ReadFile(from, name); err == nil {
			if err := h.PutFile(name, text, false); err != nil {
				return err
			}
		}
	}
	folders, _ := fs.Glob(from, "data/referees/*/"+id)
	for _, name := range append(folders, "data/identities/"+id, "data/seats/"+id, "data/matches/"+id) {
		if _, err := fs.Stat(from, name); err != nil {
			continue
		}
		own, err := fs.Sub(from, name)
		if err == nil {
			err = os.CopyFS(filepath.Join(h.Dir(), filepath.FromSlash(name)), own)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}
