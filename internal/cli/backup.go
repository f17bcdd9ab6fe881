package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"agentleague/backup"
	"agentleague/config"
	"agentleague/engine/engines"
	"agentleague/engine/journal"
	"agentleague/host"
	"agentleague/internal/cli/show"
	"agentleague/internal/cli/usage"
	"agentleague/internal/term"
	"agentleague/store"
)

// backupCommand is `league backup`. It only reads the files of a data directory: it needs no manager, and does not
// disturb a running one.
func backupCommand(a *app) *cobra.Command {
	b := &backingUp{app: a}
	cmd := &cobra.Command{Use: "backup [ID]", Short: "Put a league into one file: settings, log, records, secrets",
		Long: "Put a league of --root, with all its seasons, into one file from which `league restore` brings it back: here, in\n" +
			"another root, or on a cluster. A manager may run meanwhile; the file is the league as it was at one moment.\n\n" +
			"The file holds the league's secrets and the keys of agents that the root hosts. Only you can read it (mode 0600);\n" +
			"keep it as you would keep a password.\n\n" +
			"With --move the league is closed here afterwards, so that it is not played at two places. The root must not be in\n" +
			"use then: stop its manager first.",
		Example: "  league backup\n  league backup spring --to spring.zip\n  league backup --all --root class --to /backups/class.zip\n" +
			"  league backup spring --move --to spring.zip\n  league backup spring --engine 'nats://a:4222,b:4222,c:4222?creds=league.creds'"}
	cmd.Flags().BoolVar(&b.all, "all", false, "all leagues of the root")
	cmd.Flags().StringVar(&b.to, "to", "", "the file to write, which must not be there yet (default: the league and the time, here)")
	cmd.Flags().BoolVar(&b.move, "move", false, "close the league here, because it is going to be played elsewhere")
	var engine engineFlags
	engine.add(cmd, "")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		choice, err := engine.parse()
		switch {
		case err != nil:
			return err
		case b.all && len(args) > 0:
			return usage.Wrong("give a league or --all, not both")
		case b.move && choice.Shared():
			return usage.Wrong("--move closes a league of a root; leave it out with --engine")
		case choice.Shared():
			return b.fromCluster(cmd.Context(), choice, args)
		}
		b.from = os.DirFS(b.app.root)
		return b.run(cmd.Context(), args)
	}
	return cmd
}

// fromCluster copies the leagues of a cluster into a temporary data directory, and backs them up from there.
func (b *backingUp) fromCluster(ctx context.Context, choice engines.Choice, args []string) error {
	dir, err := os.MkdirTemp("", "league-backup-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	root, err := store.Open(dir, host.Games())
	if err != nil {
		return err
	}
	if err := backup.Fetch(ctx, choice, os.DirFS(b.app.root), root, b.app.logger()); err != nil {
		return err
	}
	b.from = os.DirFS(dir)
	if len(args) == 0 && !b.all {
		return usage.Wrong("give a league of the cluster, or --all")
	}
	return b.run(ctx, args)
}

// backingUp is one run of it.
type backingUp struct {
	app       *app
	all, move bool
	to        string
	from      fs.FS // the files of the data directory, or a cluster's data in the same layout
}

// run writes the backup and, with --move, closes the leagues here once it is written.
func (b *backingUp) run(ctx context.Context, args []string) error {
	ids, err := b.leagues(args)
	if err != nil {
		return err
	}
	if b.to == "" {
		name := ids[0]
		if b.all {
			name = "leagues"
		}
		b.to = name + "-" + time.Now().Format("2006-01-02T150405") + ".zip"
	}
	if !b.move {
		m, err := b.write(ctx, ids)
		if err == nil {
			b.tell(m)
			err = b.damage(m)
		}
		return err
	}
	return b.moved(ctx, ids)
}

// leagues returns the ids of the leagues to back up: all of them, or every season of the one in args.
func (b *backingUp) leagues(args []string) ([]string, error) {
	if b.all {
		if _, err := fs.Stat(b.from, "data"); err != nil {
			return nil, b.app.nothingPlayed()
		}
		ids, err := backup.All(b.from)
		if err == nil && len(ids) == 0 {
			err = b.app.nothingPlayed()
		}
		return ids, err
	}
	var asked string
	if len(args) > 0 {
		asked = args[0]
	}
	id, err := resolveLeagueID(b.app, b.from, asked, "ID")
	if err != nil {
		return nil, err
	}
	return backup.Seasons(b.from, id)
}

// write writes the backup file and fsyncs it. After an error it removes the file.
func (b *backingUp) write(ctx context.Context, ids []string) (m backup.Manifest, err error) {
	file, err := os.OpenFile(b.to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return m, fmt.Errorf("%s is there already; choose another file with --to", b.to)
	}
	if err != nil {
		return m, fmt.Errorf("the backup cannot be written: %w; choose another file with --to", err)
	}
	m, err = backup.Take(ctx, b.from, ids, b.settings, file)
	if errors.Is(err, backup.ErrNoSecrets) {
		err = fmt.Errorf("%w; name it with --engine", err)
	}
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return m, errors.Join(err, os.Remove(b.to))
	}
	return m, nil
}

// settings returns the settings of a league that has no settings file: the defaults of the data directory.
func (b *backingUp) settings(id string) ([]byte, error) {
	r, err := config.Peek(b.app.root, host.Games())
	if err != nil {
		return nil, err
	}
	v, err := r.League(id)
	if err != nil {
		return nil, err
	}
	return config.Document(v)
}

// moved writes the backup and closes its leagues in this data directory. It holds the journal's lock, so that no
// manager can run concurrently.
func (b *backingUp) moved(ctx context.Context, ids []string) error {
	root, err := store.Open(b.app.root, host.Games())
	if err != nil {
		return err
	}
	disk, err := journal.Open(filepath.Join(b.app.root, "data"), journal.Options{})
	if inUse := (*journal.InUseError)(nil); errors.As(err, &inUse) {
		return fmt.Errorf("%w; a league that is moved must not go on here: stop the manager, or take a copy without --move", err)
	}
	if err != nil {
		return err
	}
	defer disk.Close()
	m, err := b.write(ctx, ids)
	if err == nil {
		err = b.damage(m)
	}
	if err != nil {
		return err
	}
	name, _ := filepath.Abs(b.to)
	for _, id := range ids {
		if err := root.Leagues().Move(id, "the backup "+name); err != nil {
			return fmt.Errorf("%s is written, but %s could not be closed here: %w", b.to, id, err)
		}
	}
	b.tell(m)
	return nil
}

// damage returns an error that names the damaged records in the backup; nil if it has none.
func (b *backingUp) damage(m backup.Manifest) error {
	for _, l := range m.Leagues {
		if len(l.Damaged) > 0 {
			return fmt.Errorf("%s is written, but the root is damaged, and so is the copy: %s: %s", b.to, l.ID, strings.Join(l.Damaged, "; "))
		}
	}
	return nil
}

// tell describes the content of the file, and warns that it is secret.
func (b *backingUp) tell(m backup.Manifest) {
	if b.app.json {
		_ = b.app.print(map[string]any{"file": b.to, "moved": b.move, "leagues": m.Leagues, "files": len(m.Files)})
		return
	}
	for _, l := range m.Leagues {
		fmt.Fprintf(b.app.out, "%s\n", show.SavedLeague(l))
		if l.Missing > 0 {
			fmt.Fprintf(b.app.out, "%s of its results %s not stored here; a manager fetches them from their referees.\n",
				term.Count(l.Missing, "record"), map[bool]string{true: "is", false: "are"}[l.Missing == 1])
		}
		if b.move {
			fmt.Fprintf(b.app.out, "%s is closed in %s: no manager opens it there any more.\n", l.ID, b.app.root)
		}
	}
	fmt.Fprintf(b.app.out, "%s holds %s and secrets of the league; only you can read it.\n", b.to, term.Count(len(m.Files), "file"))
}
