package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"agentleague/backup"
	"agentleague/engine"
	"agentleague/engine/engines"
	"agentleague/engine/journal"
	"agentleague/host"
	"agentleague/internal/cli/show"
	"agentleague/verify"
)

// restoreCommand is `league restore`.
func restoreCommand(a *app) *cobra.Command {
	var flags engineFlags
	var programs bool
	cmd := &cobra.Command{Use: "restore FILE", Short: "Bring leagues back from a file of league backup",
		Long: "Bring the leagues of a backup into --root, or with --engine onto a cluster, as they were: the log line by line with\n" +
			"the same hashes, records, settings, secrets. The league goes on where it was when a manager opens it; agents come back\n" +
			"by themselves if they find it at the address that they know.\n\n" +
			"A backup that was changed is refused, with the name of the file in it. So is a league that is there already, unless\n" +
			"its log is a beginning of the one in the backup: then it is brought forward. No manager may have the root open.\n\n" +
			"What happened after the backup is not in it, readmissions (league readmit) included. Settings in which a strategy\n" +
			"is a program (exec:PROGRAM) are restored only with --allow-exec, since a manager runs that program.",
		Example: "  league restore spring.zip --root new\n  league restore spring.zip --root m1 --engine 'nats://a:4222,b:4222,c:4222?creds=league.creds'"}
	flags.add(cmd, "")
	cmd.Flags().BoolVar(&programs, "allow-exec", false, "restore settings in which a strategy is a program of this machine (exec:PROGRAM)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		choice, err := flags.parse()
		if err != nil {
			return err
		}
		return restoreBackup(cmd.Context(), a, args[0], choice, programs)
	}
	return cmd
}

// restoreBackup checks the whole backup before it writes anything. It returns an error, and changes nothing, if a
// league exists with a different history.
func restoreBackup(ctx context.Context, a *app, file string, choice engines.Choice, programs bool) error {
	from, err := backup.Open(file)
	if err != nil {
		return fmt.Errorf("%w; nothing was restored", err)
	}
	defer from.Close()
	h, err := a.open("")
	if err != nil {
		return err
	}
	done, err := from.RestoreTo(ctx, choice, h.Root, programs, a.logger())
	inUse, runs := (*journal.InUseError)(nil), (*backup.ProgramError)(nil)
	switch {
	case errors.As(err, &inUse):
		err = fmt.Errorf("%w; stop the manager, or restore into another folder with --root", err)
	case errors.Is(err, engine.ErrTaken):
		err = fmt.Errorf("%w; restore into another place with --root or --engine", err)
	case errors.As(err, &runs):
		err = fmt.Errorf("%w; nothing was restored: if you trust the backup, restore it with --allow-exec", err)
	case err == nil && !choice.Shared():
		err = checkRestored(h, done)
	}
	if err == nil || len(done) > 0 { // the leagues before the one that failed are restored
		printRestored(a, h, from.Manifest.TakenAt, done, choice.Shared())
	}
	return err
}

// checkRestored verifies the restored leagues. It prints what a manager must still bring up to date.
func checkRestored(h *host.Env, done []backup.Restored) error {
	for i, l := range done {
		v := verify.League(os.DirFS(h.Dir()), l.ID, verify.Proofs{})
		switch {
		case v.Behind():
			done[i].Notes = append(done[i].Notes, fmt.Sprintf("%d files or records are missing or old, the first is %s; a manager "+
				"brings them up to date.", len(v.Differences), v.Differences[0].File))
		case !v.OK:
			return fmt.Errorf("league %s is restored, but league verify finds a difference: %s", l.ID, v.Differences[0])
		}
	}
	return nil
}

// logger prints the weaknesses of an engine.
func (a *app) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

// printRestored describes the restored leagues, and the next steps.
func printRestored(a *app, h *host.Env, taken time.Time, done []backup.Restored, shared bool) {
	if a.json {
		_ = a.print(map[string]any{"root": a.root, "taken_at": taken, "leagues": done})
		return
	}
	for _, l := range done {
		fmt.Fprintln(a.out, show.SavedLeague(l.League))
		for _, note := range l.Notes {
			fmt.Fprintln(a.out, "Note: "+note)
		}
	}
	fmt.Fprintf(a.out, "The backup is of %s. What happened after that is not in it: results, withdrawals, and readmissions, which have to\n"+
		"be ordered again (league readmit).\n", taken.UTC().Format("2006-01-02 15:04:05 UTC"))
	if shared {
		fmt.Fprintln(a.out, "The managers of the cluster play on at once.")
		return
	}
	unfinished := slices.DeleteFunc(done, func(l backup.Restored) bool { return show.Over(l.League) })
	if n := len(unfinished); n > 0 {
		fmt.Fprintf(a.out, "To play on: league manager --root %s --league-id %s\n", quoted(h.Dir()), unfinished[n-1].ID)
	}
}
