package cli

import (
	"context"

	"github.com/spf13/cobra"

	"agentleague/client"
	"agentleague/internal/cli/show"
	"agentleague/protocol"
)

// scheduleCommand is `league schedule`.
func scheduleCommand(a *app) *cobra.Command {
	return a.withManager(&cobra.Command{Use: "schedule", Short: "Show who meets whom", Example: "  league schedule\n  league schedule --json --manager http://localhost:8000/mcp",
		RunE: func(cmd *cobra.Command, _ []string) error { return showSchedule(cmd.Context(), a) }})
}

// showSchedule prints rounds as they arrive, because a schedule of 10,000 players comes in parts. As JSON it prints one
// object at the end.
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
		show.Rounds(a.out, part.Schedule)
	}
	if a.json {
		return a.print(map[string]any{"league_id": id, "schedule": all})
	}
	return nil
}
