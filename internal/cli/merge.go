package cli

import (
	"github.com/spf13/cobra"

	"agentleague/internal/term"
	"agentleague/protocol"
)

// mergeCommand is `league merge`. It cleans up after an agent without a key that registered twice.
func mergeCommand(a *app) *cobra.Command {
	return a.orderOf(&cobra.Command{Use: "merge AGENT OTHER", Short: "Make one agent of two that are the same program",
		Long: "Make one agent of two that registered without a key, before the league starts. AGENT remains, with its id and\n" +
			"name. If it does not answer, it moves to the endpoint of OTHER. OTHER leaves the league.",
		Example: "  league merge P04 P11\n  league merge P04 P11 --manager http://localhost:8000/mcp --admin-token-file " +
			"admin.token"}, func(args []string) (protocol.Message, string) {
		return &protocol.MergeAgents{Envelope: protocol.Envelope{MessageType: protocol.TypeMergeAgents}, KeptID: args[0],
			GoneID: args[1]}, term.Brief(args[1]) + " was merged into " + term.Brief(args[0])
	})
}
