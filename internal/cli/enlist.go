package cli

import (
	"github.com/spf13/cobra"

	"agentleague/internal/term"
	"agentleague/protocol"
)

func enlistCommand(a *app) *cobra.Command {
	var role, name string
	cmd := &cobra.Command{Use: "enlist URL", Short: "Add an agent that does not register itself",
		Example: "  league enlist http://localhost:8107/mcp --name \"Agent Gamma\"\n  league enlist http://localhost:9001/mcp --role referee --league-id spring"}
	cmd.Flags().StringVar(&role, "role", "player", "role of the agent: player or referee")
	cmd.Flags().StringVar(&name, "name", "", "the name in the table (default: its address)")
	a.adminFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if role != string(protocol.RolePlayer) && role != string(protocol.RoleReferee) {
			return wrongUsage("--role: use player or referee, got %q", role)
		}
		ack, err := a.client().Order(cmd.Context(), &protocol.EnlistAgent{
			Envelope: protocol.Envelope{MessageType: protocol.TypeEnlistAgent}, Role: protocol.Role(role), Endpoint: args[0], DisplayName: name,
		})
		if err != nil {
			return err
		}
		a.say(map[string]any{"league_id": ack.LeagueID, "id": ack.AgentID, "role": role, "endpoint": args[0]},
			"%s is in %s; `league status` shows whether it answers", term.Brief(ack.AgentID), term.Brief(ack.LeagueID))
		return nil
	}
	return a.withManager(cmd)
}
