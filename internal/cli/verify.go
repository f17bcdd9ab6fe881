package cli

import (
	"archive/zip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"agentleague/client"
	"agentleague/config"
	"agentleague/internal/term"
	"agentleague/league"
	"agentleague/verify"
)

// verifyCommand is `league verify`. Its exit status is part of the result: 0 proven, 1 a difference, 3 no difference
// and a doubt.
func verifyCommand(a *app) *cobra.Command {
	var leagueID string
	var evidence evidenceFlags
	cmd := &cobra.Command{Use: "verify", Short: "Derive the table and every draw again from the records, and show " +
		"every difference",
		Long: "Derive the table and every draw of a league again from its records alone: the journal, line by line, " +
			"the signatures of\n" +
			"the players, and the record of every match. It only reads, so it works on a root in use as well as on a " +
			"copy of one. A\n" +
			"seal or head that was written down while the league was played, or a player's witness.json, is checked " +
			"against it.\n" +
			"With --manager, the log and the records come from there: from anybody's when the league is over, before " +
			"only with the\n" +
			"admin token, because they tell where agents are.\n" +
			"Exit status 0: every result is proven or judged by the organiser's referees. 1: something differs; every " +
			"difference is\n" +
			"printed. 3: nothing differs, but a result rests only on the report of a guest referee, or is disputed.",
		Example: "  league verify\n  league verify --seal 3e6a825a8af7d403727aac7cd8bd7ca5 --head " +
			"65d3c07910e13182ece2cc4898302aeb\n" +
			"  league verify --root backup --league-id league_2025_even_odd_2 --witness witness.json --json\n" +
			"  league verify --manager http://localhost:8000/mcp"}
	cmd.Flags().StringVar(&leagueID, "league-id", "", "the league (default: the root's, or the manager's own)")
	evidence.flags(cmd)
	a.adminFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := evidence.read(); err != nil {
			return err
		}
		v, done, err := a.verified(cmd.Context(), leagueID)
		if err != nil {
			return err
		}
		defer done()
		evidence.hold(v)
		if a.json {
			err = a.print(v)
		} else {
			printVerification(a, v)
		}
		switch {
		case err == nil && !v.OK:
			return errReported
		case err == nil && v.InDoubt():
			return errDoubt
		}
		return err
	}
	return a.withAnyManager(cmd)
}

// verified verifies a league of the root, or copies of a manager's, which are gone when it is done.
func (a *app) verified(ctx context.Context, leagueID string) (v *verify.Result, done func(), err error) {
	if !a.chosen {
		// Read only: a copy on a disk that cannot be written will do, and a league in play is not disturbed.
		root := os.DirFS(a.root)
		id, err := leagueIn(a, root, leagueID)
		if err != nil {
			return nil, nil, err
		}
		return verify.Patiently(root, id), func() {}, nil
	}
	a.leagueID = leagueID
	id, _, err := client.Status(ctx, a.client())
	if err != nil {
		return nil, nil, err
	}
	dir, err := os.MkdirTemp("", "league-verify-")
	if err != nil {
		return nil, nil, err
	}
	var open []io.Closer
	done = func() {
		for _, z := range open {
			_ = z.Close()
		}
		_ = os.RemoveAll(dir)
	}
	// Files fetched from a running league may be inconsistent. Then they are fetched again, into another file,
	// because the first is still open.
	v, err = verify.Repeatedly(func() (fs.FS, error) {
		z, err := a.archive(ctx, filepath.Join(dir, fmt.Sprintf("%d.zip", len(open))))
		if err == nil {
			open = append(open, z)
		}
		return z, err
	}, id)
	if err != nil {
		done()
		return nil, nil, err
	}
	return v, done, nil
}

// archive fetches the log and the records of the manager's league into a file.
func (a *app) archive(ctx context.Context, name string) (*zip.ReadCloser, error) {
	file, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(a.client().Export(ctx, "league.zip", file), file.Close()); err != nil {
		return nil, err
	}
	return zip.OpenReader(name)
}

// leagueIn finds the league to verify. It creates no file, so that it works on a read-only root.
func leagueIn(a *app, root fs.FS, asked string) (string, error) {
	id := asked
	if id == "" {
		var system struct {
			League string `json:"default_league_id"`
		}
		text, err := fs.ReadFile(root, "config/system.json")
		if errors.Is(err, fs.ErrNotExist) {
			return "", a.nothingPlayed()
		}
		if err == nil {
			err = json.Unmarshal(text, &system)
		}
		if id = system.League; err != nil || id == "" {
			return "", fmt.Errorf("%s/config/system.json names no default league; choose one with --league-id, or "+
				"another folder with --root", a.root)
		}
		id = playedInstead(root, id)
	}
	if err := config.CheckID("--league-id", id); err != nil {
		return "", err
	}
	if _, err := fs.Stat(root, "data/leagues/"+id); errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("no league %s has been played in %s; play one with `league run`, or choose another with --league-id and --root", id, a.root)
	}
	return id, nil
}

// printVerification prints the findings, in sentences.
func printVerification(a *app, v *verify.Result) {
	for _, d := range v.Differences {
		fmt.Fprintln(a.out, term.Plain(d.String()))
	}
	// The table is shown only if it follows from the results.
	if v.OK {
		term.PrintTable(a.out, v.Standings, client.Table{TableAnswer: league.TableAnswer{Standings: v.Standings, Ranks: v.Ranks}}.Shared())
	}
	fmt.Fprintf(a.out, "%s: %d journal lines, %s; %s.\n", v.LeagueID, v.Lines, amount(v.Matches, "result", "each recorded once"), amount(v.Records, "record", "with the SHA-256 of the journal"))
	fmt.Fprintf(a.out, "%s: the result follows from the moves and the draw.\n", amount(v.Verified, "match", "verified"))
	if v.Revealed || v.Promised == 0 {
		fmt.Fprintf(a.out, "%s: the key follows from the revealed secret, which was committed to before anyone registered.\n", amount(v.Proven, "draw", "proven"))
	} else {
		fmt.Fprintf(a.out, "%s: the key was committed to before anyone chose; its secret is revealed when the league "+
			"is over.\n", amount(v.Promised, "draw", "promised"))
	}
	if len(v.Unproven) > 0 {
		fmt.Fprintf(a.out, "%s, by referees that do not commit to their draws: %s.\n", amount(len(v.Unproven), "draw", "unproven"), strings.Join(v.Unproven, ", "))
	}
	if len(v.Unplayed) > 0 {
		fmt.Fprintf(a.out, "%s: %s.\n", amount(len(v.Unplayed), "match", "never played because a player had left"), strings.Join(v.Unplayed, ", "))
	}
	printBasis(a, v)
	for _, note := range v.Notes {
		fmt.Fprintf(a.out, "Note: %s.\n", note)
	}
	switch {
	case v.OK && v.InDoubt():
		fmt.Fprintf(a.out, "The table follows from the results. Nothing differs, but %s.\n", doubts(v))
		return
	case v.OK:
		fmt.Fprintln(a.out, "The table follows from the results. Nothing differs.")
		return
	}
	fmt.Fprintf(a.out, "%s.\n", amount(len(v.Differences), "difference", "found"))
}

// amount counts things, such as: 6 matches verified.
func amount(n int, thing, what string) string {
	// The nouns that are counted here need no other plural.
	if n != 1 {
		thing += map[bool]string{true: "es", false: "s"}[strings.HasSuffix(thing, "ch") || strings.HasSuffix(thing, "ss")]
	}
	return fmt.Sprintf("%d %s %s", n, thing, what)
}
