package cli

import (
	"github.com/spf13/cobra"

	"agentleague/protocol"
)

// drainCommand is `league drain`: for an update of the program, since matches in hand are finished and the log waits
// for the next manager.
func drainCommand(a *app) *cobra.Command {
	return a.orderCommand(&cobra.Command{Use: "drain", Short: "Start no further matches until the league is " +
		"resumed or its manager restarted",
		Example: "  league drain\n  league drain --league-id spring --admin-token-file admin.token"}, protocol.TypeDrainLeague, "the league is drained; matches in play will be finished")
}
