package cli

import (
	"github.com/spf13/cobra"

	"agentleague/host"
)

func playerCommand(a *app) *cobra.Command {
	var f agentFlags
	var strategy string
	cmd := a.managedBy(&cobra.Command{Use: "player", Short: "Run a player",
		Example: "  league player --port 8101 --name \"Agent Alpha\"\n  league player --port 0 --strategy history --id P07"})
	a.agentFlags(cmd, &f, 8101, "Agent")
	cmd.Flags().StringVar(&strategy, "strategy", "random", "how it chooses: random, alternate or history")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		mind, err := strategyNamed(strategy)
		if err != nil {
			return err
		}
		h, err := a.open(f.LeagueID)
		if err != nil {
			return err
		}
		if !a.json {
			mind = &console{Strategy: mind, app: a}
		}
		agent, err := f.agent()
		if err != nil {
			return err
		}
		agent.Shutdown = a.shutdown
		err = h.RunPlayer(cmd.Context(), host.Player{Agent: agent, Strategy: mind}, a.manager, a.joined(f.Name))
		return a.ended(cmd.Context(), err)
	}
	return cmd
}
