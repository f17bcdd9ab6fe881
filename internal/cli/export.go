package cli

import (
	"bytes"
	"fmt"

	"github.com/spf13/cobra"

	"agentleague/engine/journal"
	"agentleague/host"
	"agentleague/league"
	"agentleague/server"
	"agentleague/store"
	"agentleague/web"
)

func exportCommand(a *app) *cobra.Command {
	var leagueID, out string
	cmd := &cobra.Command{Use: "export", Short: "Export a match, the table, all results or a report of a league",
		Example: "  league export report --out report.html\n  league export standings > table.csv\n  league export results --out results.csv\n  league export match R1M1 > R1M1.json",
		RunE: func(*cobra.Command, []string) error {
			return wrongUsage("say what to export: match, players, report, results or standings")
		}}
	cmd.PersistentFlags().StringVar(&leagueID, "league-id", "", "the league (default: the root's)")
	report := &cobra.Command{Use: "report", Short: "Write a page about the league: one HTML file that needs no other files",
		Example: "  league export report > report.html\n  league export report --league-id league_2025_even_odd_2 --out report.html",
		RunE:    func(*cobra.Command, []string) error { return exportReport(a, leagueID, out) }}
	report.Flags().StringVar(&out, "out", "", "the file to write (default: standard output)")
	cmd.AddCommand(exportRows(a, &leagueID)...)
	cmd.AddCommand(report,
		&cobra.Command{Use: "match MATCH", Short: "Write the record of a match as JSON",
			Example: "  league export match R1M1 > R1M1.json",
			RunE:    func(_ *cobra.Command, args []string) error { return exportMatch(a, leagueID, args[0]) }},
		&cobra.Command{Use: "standings", Short: "Write the table as CSV, or as JSON with --json",
			Example: "  league export standings > table.csv\n  league export standings --json",
			RunE:    func(*cobra.Command, []string) error { return exportStandings(a, leagueID) }},
	)
	return cmd
}

// foldedLog reads a league from its journal, without disturbing a manager that has it open.
func foldedLog(a *app, leagueID string) (*host.Env, *league.State, error) {
	h, err := a.visit(leagueID)
	if err != nil {
		return nil, nil, err
	}
	s, err := league.Fold(store.Entries(journal.Path(h.DataDir(), h.League.LeagueID)))
	if err != nil {
		return nil, nil, err
	}
	if s.Created.LeagueID == "" {
		return nil, nil, fmt.Errorf("no league %s has been played in %s; play one with `league run`, or choose another with --league-id and --root", h.League.LeagueID, h.Dir())
	}
	return h, s, nil
}

func exportMatch(a *app, leagueID, match string) error {
	doc, err := storedRecord(a, leagueID, match)
	if err != nil {
		return err
	}
	_, err = a.out.Write(doc)
	return err
}

// exportReport writes the page whole or not at all.
func exportReport(a *app, leagueID, out string) error {
	if a.json {
		return wrongUsage("export report writes a page; for JSON use `league export standings --json`")
	}
	h, s, err := foldedLog(a, leagueID)
	if err != nil {
		return err
	}
	var page bytes.Buffer
	if err := server.Report(h, h.League.DisplayName, s).Write(&page); err != nil {
		return err
	}
	return writeOut(a, out, "the report", page.Bytes())
}

func exportStandings(a *app, leagueID string) error {
	h, s, err := foldedLog(a, leagueID)
	if err != nil {
		return err
	}
	table := s.Standings()
	if a.json {
		return a.print(map[string]any{"league_id": h.League.LeagueID, "round": s.Round, "standings": table})
	}
	return web.WriteCSV(a.out, table)
}
