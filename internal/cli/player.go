package cli

import (
	"github.com/spf13/cobra"

	"agentleague/host"
	"agentleague/internal/cli/show"
	"agentleague/protocol"
)

// playerCommand is `league player`. It rejects an unknown strategy before it listens on a port.
func playerCommand(a *app) *cobra.Command {
	var f agentFlags
	var llm llmFlags
	var strategy string
	cmd := a.managedBy(&cobra.Command{Use: "player", Short: "Run a player",
		Example: "  league player --port 8101 --name \"Agent Alpha\"\n  league player --port 0 --strategy history --id P07"})
	f.add(a, cmd, 0, "Agent")
	configured(cmd, "port")
	cmd.Flags().Lookup("port").Usage += " (default: the first free one of network.default_player_port_range in " +
		"config/system.json, 8101 to 8200)"
	cmd.Flags().StringVar(&strategy, "strategy", "", "how it chooses, such as random or minimax:4; see `league help strategies` (default: that of config/defaults/player.json, random)")
	llm.add(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if strategy != "" { // before anything is opened
			if err := checkStrategy(strategy, ""); err != nil {
				return err
			}
		}
		s, err := f.start(cmd, protocol.RolePlayer)
		if err != nil {
			return err
		}
		mind, plays, err := llm.strategyOr(cmd.Context(), strategy, s.started, "")
		if err != nil {
			return err
		}
		if !a.json {
			mind = &show.Console{Strategy: mind, Err: a.err}
		}
		agent, err := f.agent()
		if err != nil {
			return err
		}
		agent.Shutdown = a.interrupt.drain
		err = s.env.RunPlayer(cmd.Context(), host.Player{Agent: agent, Strategy: mind, Plays: plays}, a.manager, a.joined(f.Name))
		return a.interrupt.ended(cmd.Context(), err)
	}
	return cmd
}
