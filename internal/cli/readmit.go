package cli

import (
	"github.com/spf13/cobra"

	"agentleague/internal/term"
	"agentleague/protocol"
)

// readmitCommand is `league readmit`. A code decides the owner of a place; the previous owner loses its tokens.
func readmitCommand(a *app) *cobra.Command {
	return a.orderOf(&cobra.Command{Use: "readmit AGENT [CODE]", Short: "Admit an agent that was refused, or take back one " +
		"that is out",
		Long: "Admit an agent that registered under a taken id or name and could not prove that it is the same agent. " +
			"It was given\n" +
			"CODE when it was refused; `league status` lists it too. When it registers again it gets the place; whoever had the\n" +
			"place loses it, and older tokens stop working. Without CODE, take back an agent that was withdrawn or is out.",
		Example: "  league readmit P03 KXWT\n  league readmit P03 --manager http://localhost:8000/mcp " +
			"--admin-token-file admin.token"}, func(args []string) (protocol.Message, string) {
		m := &protocol.ReadmitAgent{Envelope: protocol.Envelope{MessageType: protocol.TypeReadmitAgent}, AgentID: args[0]}
		done := term.Brief(args[0]) + " is back in the league"
		if len(args) > 1 {
			m.Code, done = args[1], "the agent that was refused as "+term.Brief(args[0])+" with that code is admitted "+
				"when it registers again"
		}
		return m, done
	})
}
