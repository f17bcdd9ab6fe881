package cli

import (
	"github.com/spf13/cobra"

	"agentleague/protocol"
)

func pauseCommand(a *app) *cobra.Command {
	return a.orderCommand(&cobra.Command{Use: "pause", Short: "Let no further match start",
		Example: "  league pause\n  league pause --manager http://localhost:8000/mcp --admin-token-file admin.token"}, protocol.TypePauseLeague, "the league is paused; matches in play are finished")
}
