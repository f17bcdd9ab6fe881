package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"agentleague/internal/term"
	"agentleague/protocol"
)

// createCommand is `league create`. It adds a league to a running manager, at a separate path.
func createCommand(a *app) *cobra.Command {
	var n protocol.CreateLeague
	var f leagueFlags
	cmd := &cobra.Command{Use: "create [ID]", Short: "Create another league on a running manager",
		Example: "  league create spring --players 4 --referees 1 --bots random,history,random,alternate\n  league create " +
			"--game tic_tac_toe    and start it with league start --league-id …\n  league create summer --like spring --title \"Summer\""}
	cmd.Flags().IntVar(&n.Players, "players", 0, "the same as --start-when players=N")
	cmd.Flags().IntVar(&n.Referees, "referees", 0,
		"start when this many referees have joined; with --bots built-in ones are added (default 1)")
	f.add(cmd)
	cmd.Flags().Var(f.values["bots"], "house", "the old name of --bots")
	_ = cmd.Flags().MarkHidden("house") // it is there
	a.admin.add(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if cmd.Flags().Changed("house") { // cobra's own notice would go to standard output, which may be JSON
			fmt.Fprintln(a.err, "--house is deprecated; use --bots")
		}
		n.MessageType = protocol.TypeCreateLeague
		if len(args) > 0 {
			n.LeagueID = args[0]
		}
		var err error
		if n.Settings, err = f.settings(); err != nil {
			return err
		}
		n.Like = f.like
		ack, err := a.client().Order(cmd.Context(), &n)
		if err != nil {
			return err
		}
		a.say(map[string]any{"league_id": ack.LeagueID, "endpoint": ack.Endpoint, "state": ack.State},
			"%s is at %s", term.Brief(ack.LeagueID), term.Plain(ack.Endpoint))
		return nil
	}
	return a.withAnyManager(cmd)
}
