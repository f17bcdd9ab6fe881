package cli

import (
	"github.com/spf13/cobra"

	"agentleague/internal/term"
	"agentleague/protocol"
)

// annulCommand is `league annul`. The old result stays in the log, with the person and the reason of the annulment.
func annulCommand(a *app) *cobra.Command {
	var why string
	cmd := &cobra.Command{Use: "annul MATCH", Short: "Annul the result of a match and have it played again",
		Long: "Annul the result of a match and have it played again with a new draw. This works until the league is " +
			"over. The log\n" +
			"keeps the old result, who annulled it and why.",
		Example: "  league annul R2M3 --why \"both players say that the referee changed a move\"\n  league annul R2M3 " +
			"--league-id spring --admin-token-file admin.token"}
	cmd.Flags().StringVar(&why, "why", "", "the reason, for the log")
	return a.orderOf(cmd, func(args []string) (protocol.Message, string) {
		return &protocol.AnnulMatch{Envelope: protocol.Envelope{MessageType: protocol.TypeAnnulMatch, MatchID: args[0]}, Reason: why},
			"the result of " + term.Brief(args[0]) + " is annulled; the match will be played again"
	})
}
