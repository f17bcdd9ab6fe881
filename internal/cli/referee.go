package cli

import (
	"github.com/spf13/cobra"

	"agentleague/host"
	"agentleague/protocol"
	"agentleague/referee"
)

// refereeCommand is `league referee`. On the manager's machine the root's secret tells that it is the organiser's;
// elsewhere it needs a copy, or is a guest.
func refereeCommand(a *app) *cobra.Command {
	var f agentFlags
	var maxMatches int
	cmd := a.managedBy(&cobra.Command{Use: "referee", Short: "Run a referee",
		Example: "  league referee --port 8001 --name \"Referee Alpha\"\n  league referee --port 0 --manager " +
			"http://localhost:8000/mcp --max-matches 8"})
	a.agentFlags(cmd, &f, 0, "Referee")
	configured(cmd, "port")
	cmd.Flags().Lookup("port").Usage += " (default: the first free one of network.default_referee_port_range in " +
		"config/system.json, 8001 to 8010)"
	cmd.Flags().IntVar(&maxMatches, "max-matches", 0, "matches at a time (default: that of its id in "+
		"config/agents/agents_config.json, or of config/defaults/referee.json, 2)")
	cmd.Flags().StringVar(&f.secretFile, "referee-secret", "", "a copy of data/secrets/referee from the manager's "+
		"root, for the organiser's referee on another machine")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		s, err := a.start(cmd, &f, protocol.RoleReferee)
		if err != nil {
			return err
		}
		secret, err := f.refereeSecret()
		if err != nil {
			return err
		}
		agent, err := f.agent()
		if err != nil {
			return err
		}
		agent.Shutdown = a.shutdown
		r := host.Referee{Agent: agent, MaxMatches: maxMatches, Secret: secret}
		if !a.json {
			r.Recorder = func(kept referee.Recorder) referee.Recorder { return &consoleRecorder{kept, a} }
		}
		err = s.env.RunReferee(cmd.Context(), r, a.manager, a.joined(f.Name))
		return a.ended(cmd.Context(), err)
	}
	return cmd
}
