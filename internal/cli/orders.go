package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"agentleague/internal/term"
	"agentleague/protocol"
)

// startCommand is `league start`. It starts a league that is still waiting for agents.
func startCommand(a *app) *cobra.Command {
	return orders{a}.command(&cobra.Command{Use: "start", Short: "Start the league with the agents that have registered",
		Example: "  league start\n  league start --manager http://localhost:8000/mcp --admin-token-file admin.token"}, protocol.TypeStartLeague, "the league starts")
}

// cancelCommand is `league cancel`. It ends a league that was started or created by mistake.
func cancelCommand(a *app) *cobra.Command {
	return orders{a}.command(&cobra.Command{Use: "cancel", Short: "End a league for good; its results stand, and there is no champion",
		Example: "  league cancel\n  league cancel --league-id spring\n  league create again --like spring    repeats its description"},
		protocol.TypeCancelLeague, "the league is cancelled; repeat it with `league create NEW --like ID`")
}

// pauseCommand is `league pause`. The log records a pause, so it survives a restart; a drain does not.
func pauseCommand(a *app) *cobra.Command {
	return orders{a}.command(&cobra.Command{Use: "pause", Short: "Start no further matches until the league is resumed",
		Example: "  league pause\n  league pause --manager http://localhost:8000/mcp --admin-token-file admin.token"}, protocol.TypePauseLeague, "the league is paused; matches in play will be finished")
}

// resumeCommand is `league resume`. It continues a league after a pause, a drain or a full disk.
func resumeCommand(a *app) *cobra.Command {
	return orders{a}.command(&cobra.Command{Use: "resume", Short: "Continue after a pause",
		Example: "  league resume\n  league resume --manager http://localhost:8000/mcp --admin-token-file admin.token"}, protocol.TypeResumeLeague, "the league continues")
}

// drainCommand is `league drain`. Before an update of the program it lets open matches finish and starts no new ones;
// the next manager continues the league.
func drainCommand(a *app) *cobra.Command {
	return orders{a}.command(&cobra.Command{Use: "drain", Short: "Start no further matches until the league is " +
		"resumed or its manager restarted",
		Example: "  league drain\n  league drain --league-id spring --admin-token-file admin.token"}, protocol.TypeDrainLeague, "the league is drained; matches in play will be finished")
}

// withdrawCommand is `league withdraw`. Recorded results stand; opponents win the player's other matches by forfeit.
func withdrawCommand(a *app) *cobra.Command {
	return orders{a}.command(&cobra.Command{Use: "withdraw PLAYER", Short: "Take a player out of the league",
		Example: "  league withdraw P03\n  league withdraw P03 --manager http://localhost:8000/mcp --admin-token-file " +
			"admin.token"}, protocol.TypeWithdrawPlayer, "the player is out; its results so far stand")
}

// restCommand is `league rest`. The player keeps its place and its points.
func restCommand(a *app) *cobra.Command {
	var rounds int
	cmd := &cobra.Command{Use: "rest PLAYER", Short: "Keep a player out of the next rounds, without forfeits",
		Example: "  league rest P03 --rounds 2\n  league rest P03 --rounds 0 --manager http://localhost:8000/mcp --admin-token-file admin.token"}
	cmd.Flags().IntVar(&rounds, "rounds", 1, "how many rounds it does not play; 0 ends its rest")
	return orders{a}.of(cmd, func(args []string) (protocol.Message, string) {
		done := fmt.Sprintf("%s rests for %s", term.Brief(args[0]), term.Count(rounds, "round"))
		if rounds == 0 {
			done = term.Brief(args[0]) + " plays again from the next round on"
		}
		return &protocol.RestPlayer{Envelope: protocol.Envelope{MessageType: protocol.TypeRestPlayer}, PlayerID: args[0], Rounds: rounds}, done
	})
}

// readmitCommand is `league readmit`. With the code of a refused agent, it gives that agent the place, and revokes the
// tokens of the previous owner. Without a code it takes back an agent that is out of the league.
func readmitCommand(a *app) *cobra.Command {
	return orders{a}.of(&cobra.Command{Use: "readmit AGENT [CODE]", Short: "Admit an agent that was refused, or take back one " +
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

// annulCommand is `league annul`. It has a match replayed; the log keeps the old result, with the actor and the reason.
func annulCommand(a *app) *cobra.Command {
	var why string
	cmd := &cobra.Command{Use: "annul MATCH", Short: "Annul the result of a match and have it played again",
		Long: "Annul the result of a match and have it played again with a new draw. This works until the league is " +
			"over. The log\n" +
			"keeps the old result, who annulled it and why.",
		Example: "  league annul R2M3 --why \"both players say that the referee changed a move\"\n  league annul R2M3 " +
			"--league-id spring --admin-token-file admin.token"}
	cmd.Flags().StringVar(&why, "why", "", "the reason, for the log")
	return orders{a}.of(cmd, func(args []string) (protocol.Message, string) {
		return &protocol.AnnulMatch{Envelope: protocol.Envelope{MessageType: protocol.TypeAnnulMatch, MatchID: args[0]}, Reason: why},
			"the result of " + term.Brief(args[0]) + " is annulled; the match will be played again"
	})
}

// renameCommand is `league rename`. The agent cannot undo it by registering under its old name.
func renameCommand(a *app) *cobra.Command {
	return orders{a}.of(&cobra.Command{Use: "rename AGENT NAME", Short: "Give an agent another name",
		Long: "Give an agent another name, before or during the league. The agent cannot change it by registering again. " +
			"Names that\n" +
			"look like another agent's, ids and the names of roles are refused.",
		Example: "  league rename P04 \"Team Fox\"\n  league rename P04 \"Team Fox\" --manager http://localhost:8000/mcp " +
			"--admin-token-file admin.token"}, func(args []string) (protocol.Message, string) {
		return &protocol.RenameAgent{Envelope: protocol.Envelope{MessageType: protocol.TypeRenameAgent}, AgentID: args[0],
			DisplayName: args[1]}, term.Brief(args[0]) + " is called " + term.Brief(args[1]) + " from now on"
	})
}

// mergeCommand is `league merge`. It merges two entries of an agent that registered twice without a key.
func mergeCommand(a *app) *cobra.Command {
	return orders{a}.of(&cobra.Command{Use: "merge AGENT OTHER", Short: "Make one agent of two that are the same program",
		Long: "Make one agent of two that registered without a key, before the league starts. AGENT remains, with its id and\n" +
			"name. If it does not answer, it moves to the endpoint of OTHER. OTHER leaves the league.",
		Example: "  league merge P04 P11\n  league merge P04 P11 --manager http://localhost:8000/mcp --admin-token-file " +
			"admin.token"}, func(args []string) (protocol.Message, string) {
		return &protocol.MergeAgents{Envelope: protocol.Envelope{MessageType: protocol.TypeMergeAgents}, KeptID: args[0],
			GoneID: args[1]}, term.Brief(args[1]) + " was merged into " + term.Brief(args[0])
	})
}

// orders builds commands that send an order to a manager and print a confirmation.
type orders struct{ app *app }

// command completes cmd for an order whose only argument, if any, is a player. It prints done as confirmation.
func (o orders) command(cmd *cobra.Command, order protocol.Type, done string) *cobra.Command {
	return o.of(cmd, func(args []string) (protocol.Message, string) {
		m := &protocol.Tool{Envelope: protocol.Envelope{MessageType: order}}
		if len(args) > 0 {
			m.PlayerID = args[0]
		}
		return m, done
	})
}

// of completes cmd for an order with several members. Read converts the arguments to the order and its confirmation.
func (o orders) of(cmd *cobra.Command, read func(args []string) (order protocol.Message, done string)) *cobra.Command {
	o.app.admin.add(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		m, done := read(args)
		return o.give(cmd.Context(), m, done)
	}
	return o.app.withManager(cmd)
}

// give gives an order and confirms it.
func (o orders) give(ctx context.Context, m protocol.Message, done string) error {
	ack, err := o.app.client().Order(ctx, m)
	if err != nil {
		return err
	}
	if o.app.json {
		return o.app.print(map[string]any{"league_id": ack.LeagueID, "status": ack.Status, "state": ack.State, "paused": ack.Paused})
	}
	fmt.Fprintln(o.app.out, done)
	return nil
}
