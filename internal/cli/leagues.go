package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"agentleague/client"
	"agentleague/internal/cli/show"
)

// leaguesCommand is `league leagues`. It lists the current and finished leagues of a manager.
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
		return show.Leagues(a.out, all)
	}
	return a.withAnyManager(cmd)
}
