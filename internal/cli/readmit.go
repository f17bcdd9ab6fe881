package cli

import (
	"github.com/spf13/cobra"

	"agentleague/internal/term"
	"agentleague/protocol"
)

func readmitCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{Use: "readmit AGENT [CODE]", Short: "Let an agent in that was refused, or take back one that is out",
		Long: "Let an agent in that registered as another and could not show that it is that one. The code is the one that it was\n" +
			"refused with: it was told to it, and `league status` lists it. It registers again and is in; whoever had the place has\n" +
			"it no longer, and older tokens end. Without a code, take back an agent that was withdrawn or is out of the league.",
		Example: "  league readmit P03 KXWT\n  league readmit P03 --manager http://localhost:8000/mcp --admin-token-file admin.token"}
	a.adminFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		m := &protocol.ReadmitAgent{Envelope: protocol.Envelope{MessageType: protocol.TypeReadmitAgent}, AgentID: args[0]}
		done := term.Brief(args[0]) + " is back in the league"
		if len(args) > 1 {
			m.Code, done = args[1], "whoever was refused as "+term.Brief(args[0])+" with that code is let in when it registers again"
		}
		return a.carried(cmd.Context(), m, done)
	}
	return a.withManager(cmd)
}
