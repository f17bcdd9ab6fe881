package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"agentleague/league"
	"agentleague/web"
)

// exportRows are the verbs that write a list of a league for a spreadsheet.
func exportRows(a *app, leagueID *string) []*cobra.Command {
	return []*cobra.Command{
		exportList(a, leagueID, "results", &cobra.Command{Short: "Write all matches as CSV, or as JSON with --json",
			Example: "  league export results --out results.csv\n  league export results --json"},
			func(s *league.State) any { return web.ResultRows(s) },
			func(w io.Writer, s *league.State) error { return web.WriteResults(w, web.ResultRows(s)) }),
		exportList(a, leagueID, "players", &cobra.Command{Short: "Write all players and why they forfeited as CSV, or as JSON with --json",
			Example: "  league export players --out players.csv\n  league export players --json"},
			func(s *league.State) any { return web.PlayerRows(s) },
			func(w io.Writer, s *league.State) error { return web.WritePlayers(w, web.PlayerRows(s)) }),
	}
}

func exportList(a *app, leagueID *string, name string, cmd *cobra.Command, rows func(*league.State) any, write func(io.Writer, *league.State) error) *cobra.Command {
	var out string
	cmd.Use = name
	cmd.Flags().StringVar(&out, "out", "", "the file to write (default: standard output)")
	cmd.RunE = func(*cobra.Command, []string) error {
		_, s, err := foldedLog(a, *leagueID)
		if err != nil {
			return err
		}
		if a.json {
			return a.print(map[string]any{"league_id": s.Created.LeagueID, name: rows(s)})
		}
		var text bytes.Buffer
		if err := write(&text, s); err != nil {
			return err
		}
		return writeOut(a, out, "the list", text.Bytes())
	}
	return cmd
}

// writeOut writes a text to a file, or to standard output.
func writeOut(a *app, file, what string, text []byte) error {
	if file == "" {
		_, err := a.out.Write(text)
		return err
	}
	if err := os.WriteFile(file, text, 0o644); err != nil {
		return fmt.Errorf("%s cannot be written: %w; choose another file with --out", what, err)
	}
	fmt.Fprintf(a.err, "%s is in %s.\n", capital(what), file)
	return nil
}

// capital is a text that begins a sentence.
func capital(text string) string { return string(bytes.ToUpper([]byte(text[:1]))) + text[1:] }
