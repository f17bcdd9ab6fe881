package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"agentleague/client"
	"agentleague/internal/cli/show"
	"agentleague/internal/term"
)

// standingsCommand is `league standings`.
func standingsCommand(a *app) *cobra.Command {
	return a.withManager(&cobra.Command{Use: "standings", Short: "Show the table", Example: "  league standings\n  " +
		"league standings --json --manager http://localhost:8000/mcp",
		RunE: func(cmd *cobra.Command, _ []string) error { return showStandings(cmd.Context(), a) }})
}

// showStandings prints the manager's table or, if no manager answers, that of the data directory's log. If the manager
// truncated the table, a note on standard error reports it.
func showStandings(ctx context.Context, a *app) error {
	data, err := client.Standings(ctx, a.source())
	if err != nil {
		return err
	}
	if shown := len(data.Standings); shown < data.Total {
		fmt.Fprintf(a.err, "Top %d of %d shown.\n", shown, data.Total)
	}
	if a.json {
		out := map[string]any{"league_id": data.LeagueID, "round": data.CurrentRound, "standings": data.Standings, "ranks": data.Ranks, "results": data.Results, "ratings": data.Ratings}
		if data.Cancelled {
			out["status"] = "CANCELLED"
		}
		return a.print(out)
	}
	term.PrintRated(a.out, data.Standings, data.Shared(), data.Ratings)
	if words := show.BasisWords(data.Results); words != "" {
		fmt.Fprintln(a.out, words)
	}
	if data.Cancelled {
		fmt.Fprintln(a.out, show.Cancelled)
	}
	return nil
}
