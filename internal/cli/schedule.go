package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"agentleague/client"
	"agentleague/internal/term"
	"agentleague/league"
	"agentleague/protocol"
)

// scheduleCommand is `league schedule`.
func scheduleCommand(a *app) *cobra.Command {
	return a.withManager(&cobra.Command{Use: "schedule", Short: "Show who meets whom", Example: "  league schedule\n  league schedule --json --manager http://localhost:8000/mcp",
		RunE: func(cmd *cobra.Command, _ []string) error { return showSchedule(cmd.Context(), a) }})
}

// showSchedule prints rounds as they arrive: that of 10,000 players comes in parts. As JSON it is one object.
func showSchedule(ctx context.Context, a *app) error {
	id, all := "", []protocol.ScheduledRound{}
	for part, err := range client.Schedule(ctx, a.source()) {
		if err != nil {
			return err
		}
		if a.json {
			id, all = part.LeagueID, append(all, part.Schedule...)
			continue
		}
		printRounds(a, part.Schedule)
	}
	if a.json {
		return a.print(map[string]any{"league_id": id, "schedule": all})
	}
	return nil
}

// printRounds prints the pairings, their results, and the proof status of each.
func printRounds(a *app, rounds []protocol.ScheduledRound) {
	for _, round := range rounds {
		fmt.Fprintf(a.out, "Round %d\n", round.RoundID)
		for _, m := range round.Matches {
			line := fmt.Sprintf("  %-8s %s - %s  %s  %s", term.Brief(m.MatchID), term.Brief(m.PlayerAID),
				term.Brief(m.PlayerBID), ending(m), term.Brief(m.Proof))
			if m.Hosted {
				line += ", " + league.HostedLabel
			}
			fmt.Fprintln(a.out, strings.TrimRight(line, " "))
		}
	}
}

// ending describes the result of a match, or that it is open.
func ending(m protocol.ScheduledMatch) string {
	winner := ""
	if m.Winner != nil {
		winner = term.Brief(*m.Winner)
	}
	switch {
	case m.Status == protocol.TechnicalLoss && winner == "":
		return "both forfeited"
	case m.Status == protocol.TechnicalLoss && m.PlayerAID == winner:
		return winner + " wins, " + term.Brief(m.PlayerBID) + " forfeited"
	case m.Status == protocol.TechnicalLoss:
		return winner + " wins, " + term.Brief(m.PlayerAID) + " forfeited"
	case winner != "":
		return winner + " wins"
	}
	return term.Brief(strings.ToLower(m.Status))
}
