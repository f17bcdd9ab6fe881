package cli

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"agentleague/client"
	"agentleague/internal/term"
)

// leaguesCommand is `league leagues`: the current and past leagues of a manager.
func leaguesCommand(a *app) *cobra.Command {
	var w client.Wanted
	cmd := &cobra.Command{Use: "leagues", Short: "List the leagues of a running manager",
		Example: "  league leagues\n  league leagues --state playing --search spring --json"}
	cmd.Flags().StringVar(&w.State, "state", "", "only those that are waiting, playing, over, or open (not over)")
	cmd.Flags().StringVar(&w.Search, "search", "", "only those whose id has this in it")
	cmd.Flags().BoolVar(&w.Away, "archived", false, "those that were put away with `league archive`, and no others")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		all, err := a.client().Leagues(cmd.Context(), w)
		if err != nil {
			return err
		}
		if a.json {
			return a.print(map[string]any{"leagues": all})
		}
		if len(all) == 0 {
			fmt.Fprintln(a.out, "No such league.")
			return nil
		}
		return printLeagues(a.out, all)
	}
	return a.withAnyManager(cmd)
}

// printLeagues prints one line for each league.
func printLeagues(out io.Writer, all []client.Listed) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "League\tState\tGame\tPlayers\tRound\tMatches")
	for _, l := range all {
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%d of %d\t%d of %d\n", term.Brief(l.ID),
			strings.ToLower(strings.ReplaceAll(term.Plain(l.State), "_", " ")), term.Plain(l.Game), l.Players, l.Round, l.Rounds,
			l.Recorded, l.Matches)
	}
	return t.Flush()
}
