package cli

import (
	"github.com/spf13/cobra"

	"agentleague/protocol"
)

// resumeCommand is `league resume`, after a pause, a drain or a full disk.
func resumeCommand(a *app) *cobra.Command {
	return a.orderCommand(&cobra.Command{Use: "resume", Short: "Continue after a pause",
		Example: "  league resume\n  league resume --manager http://localhost:8000/mcp --admin-token-file admin.token"}, protocol.TypeResumeLeague, "the league continues")
}
