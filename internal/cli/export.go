package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"agentleague/engine/journal"
	"agentleague/host"
	"agentleague/internal/cli/usage"
	"agentleague/internal/roster"
	"agentleague/league"
	"agentleague/league/sheet"
	"agentleague/league/view"
	"agentleague/protocol"
	"agentleague/server"
	"agentleague/store"
)

// exportCommand is `league export`. Without --out the export, and nothing else, goes to standard output.
func exportCommand(a *app) *cobra.Command {
	e := &exporting{app: a}
	cmd := &cobra.Command{Use: "export", Short: "Export a match, the table, all results or a report of a league",
		Long: "Export a match, the table, all results or a report of a league: of the root's, from its log and " +
			"records, or of a\n" +
			"running manager's.",
		Example: "  league export report --out report.html\n  league export standings > table.csv\n" +
			"  league export results --out results.csv --manager http://localhost:8000/mcp\n  league export match R1M1 > " +
			"R1M1.json",
		RunE: func(*cobra.Command, []string) error {
			return usage.Wrong("say what to export: conformance, gradebook, match, players, report, results or standings")
		}}
	cmd.AddCommand(
		e.verb(&cobra.Command{Use: "report", Short: "Write a page about the league: one HTML file that needs no other files",
			Example: "  league export report > report.html\n" +
				"  league export report --league-id league_2025_even_odd_2 --out report.html",
			RunE: func(cmd *cobra.Command, _ []string) error { return e.report(cmd.Context()) }}),
		e.verb(&cobra.Command{Use: "match MATCH", Short: "Write the record of a match as JSON",
			Example: "  league export match R1M1 > R1M1.json\n" +
				"  league export match R1M1 --manager http://localhost:8000/mcp --out R1M1.json",
			RunE: func(cmd *cobra.Command, args []string) error { return e.match(cmd.Context(), args[0]) }}),
		e.list("standings", "Write the table as CSV, or as JSON with --json", func(s *league.State) sheet.Sheet {
			return sheet.Standings(s.Round, view.RowsOf(s, league.RatedTable(s)))
		}),
		e.list("results", "Write all matches as CSV, or as JSON with --json", sheet.Results),
		e.verb(&cobra.Command{Use: "conformance",
			Short:   "Write the rules of the documents that agents of a strict league broke as CSV, or as JSON with --json",
			Example: "  league export conformance --out conformance.csv\n  league export conformance --json",
			RunE:    func(*cobra.Command, []string) error { return e.conformance() }}),
		e.gradebook(&cobra.Command{Use: "gradebook", Short: "Write the roster of a class with the results of its students as CSV",
			Example: "  league export gradebook --out grades.csv\n  league export gradebook --pass points=6,present=5 --out grades.csv"}),
		e.list("players", "Write all players and why they forfeited as CSV, or as JSON with --json", func(s *league.State) sheet.Sheet {
			return sheet.Players(s, league.RatedTable(s))
		}),
	)
	return cmd
}

// An exporting is shared by the verbs of export.
type exporting struct {
	app           *app
	leagueID, out string
}

// verb adds the flags that each of them has.
func (e *exporting) verb(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().StringVar(&e.leagueID, "league-id", "", "the league (default: the root's, or the manager's own)")
	cmd.Flags().StringVar(&e.out, "out", "", "the file to write (default: standard output)")
	return e.app.withAnyManager(cmd)
}

// foldedLog returns the state of a league from its journal. It is read-only, so a manager may have the league open.
func foldedLog(a *app, leagueID string) (*host.Env, *league.State, error) {
	h, err := a.visit(leagueID)
	if err != nil {
		return nil, nil, err
	}
	s, err := store.Fold(journal.Path(h.DataDir(), h.League.LeagueID))
	if err != nil {
		return nil, nil, err
	}
	if s.Created.LeagueID == "" {
		return nil, nil, fmt.Errorf("no league %s has been played in %s; play one with `league run`, or choose another with "+
			"--league-id and --root", h.League.LeagueID, h.Dir())
	}
	return h, s, nil
}

// match writes a match's record in the form that the admin may see.
func (e *exporting) match(ctx context.Context, match string) error {
	doc, err := storedRecord(ctx, e.app, e.leagueID, match)
	if err != nil {
		return err
	}
	if doc = protocol.RedactRecord(doc, protocol.RoleAdmin); protocol.OneLine(doc) {
		doc = store.Readable(doc)
	}
	return e.write("the record", doc)
}

// report writes the page whole or not at all.
func (e *exporting) report(ctx context.Context) error {
	if e.app.json {
		return usage.Wrong("export report writes a page; for JSON use `league export standings --json`")
	}
	if e.app.chosen {
		return e.fetched(ctx, "the report", "report.html")
	}
	h, s, err := foldedLog(e.app, e.leagueID)
	if err != nil {
		return err
	}
	var page bytes.Buffer
	if err := server.Report(h, h.League.DisplayName, s).Write(&page); err != nil {
		return err
	}
	return e.write("the report", page.Bytes())
}

// fetched writes a file as the manager has it.
func (e *exporting) fetched(ctx context.Context, what, file string) error {
	text, err := e.app.fetch(ctx, e.leagueID, file)
	if err != nil {
		return err
	}
	return e.write(what, text)
}

// write writes text to the file of --out, or to standard output. The error calls the text what.
func (e *exporting) write(what string, text []byte) error {
	if e.out == "" {
		_, err := e.app.out.Write(text)
		return err
	}
	if err := os.WriteFile(e.out, text, 0o644); err != nil {
		return fmt.Errorf("%s cannot be written: %w; choose another file with --out", what, err)
	}
	fmt.Fprintf(e.app.err, "%s is in %s.\n", capital(what), e.out)
	return nil
}

// capital is a text that begins a sentence.
func capital(text string) string { return string(bytes.ToUpper([]byte(text[:1]))) + text[1:] }

// conformance writes the broken rules of a league's agents. They are files of the data directory, not of the log.
func (e *exporting) conformance() error {
	if e.app.chosen {
		return usage.Wrong("export conformance reads the files of the root; use --root, without --manager")
	}
	h, s, err := foldedLog(e.app, e.leagueID)
	if err != nil {
		return err
	}
	rows, err := h.BrokenRules(s.Created.LeagueID)
	if err != nil {
		return err
	}
	list := conformanceRows(s, rows)
	var text bytes.Buffer
	if e.app.json {
		err = printJSON(&text, map[string]any{"league_id": s.Created.LeagueID, "conformance": list})
	} else {
		err = writeConformance(&text, list)
	}
	if err != nil {
		return err
	}
	return e.write("the list", text.Bytes())
}

// gradebook completes the verb that writes the stored roster with the results. The names of students are private, so that
// it reads only the files of the root.
func (e *exporting) gradebook(cmd *cobra.Command) *cobra.Command {
	var pass string
	cmd.Flags().StringVar(&pass, "pass", "", "minimums of present, points and wins, such as points=6,present=5, each with a column of yes or no")
	cmd.RunE = func(*cobra.Command, []string) error {
		minimums, err := roster.Thresholds(pass)
		if err != nil {
			return usage.Wrong("--pass: %w", err)
		}
		if e.app.chosen || e.app.json {
			return usage.Wrong("export gradebook writes the CSV of the root; use --root, without --manager and --json")
		}
		h, s, err := foldedLog(e.app, e.leagueID)
		if err != nil {
			return err
		}
		r, err := roster.Kept(h.DataDir(), s.Created.LeagueID)
		if err != nil {
			return err
		}
		var text bytes.Buffer
		if err := r.Gradebook(&text, s, s.Table(), minimums); err != nil {
			return err
		}
		return e.write("the gradebook", text.Bytes())
	}
	return e.verb(cmd)
}

// list is a verb that writes a list of a league.
func (e *exporting) list(name, short string, table func(*league.State) sheet.Sheet) *cobra.Command {
	return e.verb(&cobra.Command{Use: name, Short: short,
		Example: fmt.Sprintf("  league export %[1]s --out %[1]s.csv\n  league export %[1]s --json", name),
		RunE:    func(cmd *cobra.Command, _ []string) error { return e.rows(cmd.Context(), name, table) }})
}

// rows writes a list of the league as CSV or JSON, from the manager if one was given, otherwise from the data
// directory's log.
func (e *exporting) rows(ctx context.Context, name string, table func(*league.State) sheet.Sheet) error {
	if e.app.chosen {
		return e.fetched(ctx, "the list", name+map[bool]string{true: ".json", false: ".csv"}[e.app.json])
	}
	_, s, err := foldedLog(e.app, e.leagueID)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if e.app.json {
		err = printJSON(&text, table(s).Object(s.Created.LeagueID))
	} else {
		err = table(s).WriteCSV(&text)
	}
	if err != nil {
		return err
	}
	return e.write("the list", text.Bytes())
}
