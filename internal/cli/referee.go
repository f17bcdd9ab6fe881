package cli

import (
	"github.com/spf13/cobra"

	"agentleague/host"
	"agentleague/referee"
)

func refereeCommand(a *app) *cobra.Command {
	var f agentFlags
	var maxMatches int
	cmd := a.managedBy(&cobra.Command{Use: "referee", Short: "Run a referee",
		Example: "  league referee --port 8001 --name \"Referee Alpha\"\n  league referee --port 0 --manager http://localhost:8000/mcp --max-matches 8"})
	a.agentFlags(cmd, &f, 8001, "Referee")
	cmd.Flags().IntVar(&maxMatches, "max-matches", 2, "matches at a time")
	cmd.Flags().StringVar(&f.secretFile, "referee-secret", "", "a copy of data/secrets/referee from the manager's root, for the organiser's referee on another machine")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		h, err := a.open(f.LeagueID)
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
		err = h.RunReferee(cmd.Context(), r, a.manager, a.joined(f.Name))
		return a.ended(cmd.Context(), err)
	}
	return cmd
}
