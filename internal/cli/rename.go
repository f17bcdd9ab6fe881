package cli

import (
	"github.com/spf13/cobra"

	"agentleague/internal/term"
	"agentleague/protocol"
)

// renameCommand is `league rename`. The agent cannot change the name by registering again.
func renameCommand(a *app) *cobra.Command {
	return a.orderOf(&cobra.Command{Use: "rename AGENT NAME", Short: "Give an agent another name",
		Long: "Give an agent another name, before or during the league. The agent cannot change it by registering again. " +
			"Names that\n" +
			"look like another agent's, ids and the names of roles are refused.",
		Example: "  league rename P04 \"Team Fox\"\n  league rename P04 \"Team Fox\" --manager http://localhost:8000/mcp " +
			"--admin-token-file admin.token"}, func(args []string) (protocol.Message, string) {
		return &protocol.RenameAgent{Envelope: protocol.Envelope{MessageType: protocol.TypeRenameAgent}, AgentID: args[0],
			DisplayName: args[1]}, term.Brief(args[0]) + " is called " + term.Brief(args[1]) + " from now on"
	})
}
