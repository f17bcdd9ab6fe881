package cli

import (
	"github.com/spf13/cobra"

	"agentleague/protocol"
)

// withdrawCommand is `league withdraw`. Results so far stand; opponents win the rest by forfeit.
func withdrawCommand(a *app) *cobra.Command {
	return a.orderCommand(&cobra.Command{Use: "withdraw PLAYER", Short: "Take a player out of the league",
		Example: "  league withdraw P03\n  league withdraw P03 --manager http://localhost:8000/mcp --admin-token-file " +
			"admin.token"}, protocol.TypeWithdrawPlayer, "the player is out; its results so far stand")
}
