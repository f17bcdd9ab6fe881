package cli

import (
	"github.com/spf13/cobra"

	"agentleague/protocol"
)

// howToResume is the hint for a league that was paused, maybe by another person and before a restart of the manager.
const howToResume = "The league is paused: no further match starts. Resume it with `league resume`."

// pauseCommand is `league pause`. A pause is in the log: it outlives the manager, as a drain does not.
func pauseCommand(a *app) *cobra.Command {
	return a.orderCommand(&cobra.Command{Use: "pause", Short: "Start no further matches until the league is resumed",
		Example: "  league pause\n  league pause --manager http://localhost:8000/mcp --admin-token-file admin.token"}, protocol.TypePauseLeague, "the league is paused; matches in play will be finished")
}
