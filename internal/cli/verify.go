package cli

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"agentleague/client"
	"agentleague/internal/cli/show"
	"agentleague/internal/cli/usage"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/verify"
)

// verifyCommand is `league verify`. It exits with status 0 if the league is proven, 1 after a difference, and 3 if
// there is no difference but some doubt.
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
	a.admin.add(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := evidence.read(); err != nil {
			return err
		}
		v, done, err := verifying{a, leagueID}.verified(cmd.Context())
		if err != nil {
			return err
		}
		defer done()
		evidence.hold(v)
		if a.json {
			err = a.print(v)
		} else {
			show.Verification(a.out, v)
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

// A verifying is one run of the verb.
type verifying struct {
	app      *app
	leagueID string // "": the default league
}

// verified verifies a league of the data directory or, if a manager was given, a downloaded copy. The caller must call
// done, which removes the copy.
func (w verifying) verified(ctx context.Context) (v *verify.Result, done func(), err error) {
	a := w.app
	if !a.chosen {
		// The verification is read-only: it works on a read-only disk, and while the league is in play.
		root := os.DirFS(a.root)
		id, err := resolveLeagueID(a, root, w.leagueID, "--league-id")
		if err != nil {
			return nil, nil, err
		}
		return verify.Patiently(root, id), func() {}, nil
	}
	a.leagueID = w.leagueID
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
		z, err := w.archive(ctx, filepath.Join(dir, fmt.Sprintf("%d.zip", len(open))))
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

// archive downloads the log and the records of the manager's league to a zip file and opens it.
func (w verifying) archive(ctx context.Context, name string) (*zip.ReadCloser, error) {
	file, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(w.app.client().Export(ctx, "league.zip", file), file.Close()); err != nil {
		return nil, err
	}
	return zip.OpenReader(name)
}

// An evidenceFlags is evidence about a league that a third party noted: the text of the flags, and its parsed values.
type evidenceFlags struct {
	seal, head string
	witnesses  []string // files
	said       []player.Witness
}

// flags adds the flags for values that were noted during the league.
func (e *evidenceFlags) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&e.seal, "seal", "",
		"the seal that was written down when the league began: 32 digits or more")
	cmd.Flags().StringVar(&e.head, "head", "", "a head that was written down later, of any round: 32 digits or more")
	cmd.Flags().StringArrayVar(&e.witnesses, "witness", nil, "a player's witness.json; may be repeated")
}

// notedForm matches a hash, or a prefix of at least 32 digits: a shorter one could match by chance.
var notedForm = regexp.MustCompile(`^[0-9a-f]{32,64}$`)

// read reads the values of the flags.
func (e *evidenceFlags) read() error {
	for flag, value := range map[string]*string{"--seal": &e.seal, "--head": &e.head} {
		if *value = strings.ToLower(strings.TrimSpace(*value)); *value != "" && !notedForm.MatchString(*value) {
			return usage.Wrong("%s: want 32 to 64 hexadecimal digits, got %q", flag, *value)
		}
	}
	for _, file := range e.witnesses {
		text, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("--witness: %w; give the witness.json of a player", err)
		}
		var w player.Witness
		if err := protocol.StrictUnmarshal(text, &w); err != nil {
			return fmt.Errorf("--witness: %s: %w; give the witness.json of a player as it was written", file, err)
		}
		e.said = append(e.said, w)
	}
	return nil
}

// hold compares the evidence with a league.
func (e *evidenceFlags) hold(v *verify.Result) {
	v.Hold(verify.Evidence{Seal: e.seal, Head: e.head, Files: e.witnesses, Said: e.said})
	if v.Seal != "" && e.head == "" && len(e.said) == 0 {
		v.Notes = append(v.Notes, "the log alone cannot show whether it was rewritten as a whole; to check that, give "+
			"a seal and head that were written down (--seal, --head), or a player's witness.json (--witness)")
	}
}
