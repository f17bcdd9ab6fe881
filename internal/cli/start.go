package cli

import (
	"github.com/spf13/cobra"

	"agentleague/protocol"
)

// startCommand is `league start`, for a league that would wait for more agents.
func startCommand(a *app) *cobra.Command {
	return a.orderCommand(&cobra.Command{Use: "start", Short: "Start the league with the agents that have registered",
		Example: "  league start\n  league start --manager http://localhost:8000/mcp --admin-token-file admin.token"}, protocol.TypeStartLeague, "the league starts")
}
