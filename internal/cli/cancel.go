package cli

import (
	"github.com/spf13/cobra"

	"agentleague/protocol"
)

// cancelCommand is `league cancel`, for a league that was started or created by mistake.
func cancelCommand(a *app) *cobra.Command {
	return a.orderCommand(&cobra.Command{Use: "cancel", Short: "End a league for good; its results stand, and there is no champion",
		Example: "  league cancel\n  league cancel --league-id spring\n  league create again --like spring    repeats its description"},
		protocol.TypeCancelLeague, "the league is cancelled; repeat it with `league create NEW --like ID`")
}
