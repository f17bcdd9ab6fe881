package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"agentleague/internal/cli/show"
	"agentleague/league/seasons"
	"agentleague/store"
)

// ratingsCommand is `league ratings`. It counts only finished leagues: those in play change with every match.
func ratingsCommand(a *app) *cobra.Command {
	return a.withAnyManager(&cobra.Command{Use: "ratings", Short: "Show how strong agents are by all leagues that are over",
		Long: "Show how strong agents are by all leagues of a root that are over, game by game, by Glicko-2: from the " +
			"logs of the\n" +
			"root, or as a running manager tells them. Ratings within one league stand in `league standings`.",
		Example: "  league ratings\n  league ratings --json --manager http://localhost:8000/mcp",
		RunE:    func(cmd *cobra.Command, _ []string) error { return showRatings(cmd.Context(), a) }})
}

// showRatings prints the ratings game by game: strength in one game does not predict strength in another.
func showRatings(ctx context.Context, a *app) error {
	games, err := ratingsOf(ctx, a)
	if err != nil {
		return err
	}
	if a.json {
		return a.print(map[string]any{"games": games})
	}
	if len(games) == 0 {
		fmt.Fprintln(a.out, "No league is over yet.")
	}
	for i, game := range games {
		if i > 0 {
			fmt.Fprintln(a.out)
		}
		show.Ratings(a.out, game)
	}
	return nil
}

// ratingsOf returns the ratings from the manager if one was given, and otherwise from the logs of the root.
func ratingsOf(ctx context.Context, a *app) ([]seasons.GameCareers, error) {
	if a.chosen {
		return a.client().Ratings(ctx)
	}
	h, err := a.visit("")
	if err != nil {
		return nil, err
	}
	return store.Careers(h.Root)
}
