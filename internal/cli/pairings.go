package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"agentleague/client"
	"agentleague/internal/cli/show"
	"agentleague/internal/cli/usage"
	"agentleague/protocol"
)

// pairingsCommand is `league pairings`.
func pairingsCommand(a *app) *cobra.Command {
	var next bool
	var player string
	cmd := a.withManager(&cobra.Command{Use: "pairings [ROUND]", Short: "Show the pairings of a round, and why",
		Args: cobra.MaximumNArgs(1),
		Long: "Show the pairings of a round with the reason of each. The default is the newest round. --next shows the round that\n" +
			"would be paired now, between two rounds of a league that pairs round by round.",
		Example: "  league pairings 3\n  league pairings --next\n  league pairings --why P03 --manager http://localhost:8000/mcp"})
	cmd.Flags().BoolVar(&next, "next", false, "the next round, as it would be paired now")
	cmd.Flags().StringVar(&player, "why", "", "only the pairing of this player")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		round, err := a.askedRound(cmd.Context(), args, next)
		if err != nil {
			return err
		}
		return a.showPairings(cmd.Context(), round, player)
	}
	return cmd
}

// askedRound returns the round of the arguments, or the newest or the next one.
func (a *app) askedRound(ctx context.Context, args []string, next bool) (int, error) {
	if len(args) > 0 {
		n, err := strconv.Atoi(args[0])
		if err != nil || n < 1 || next {
			return 0, usage.Wrong("want the number of a round, or --next; got %q", args[0])
		}
		return n, nil
	}
	_, status, err := client.Status(ctx, a.source())
	if err != nil {
		return 0, err
	}
	if next && protocol.IsOver(status.State) {
		return 0, errors.New("the league is over: no further round is paired")
	}
	if next {
		return status.CurrentRound + 1, nil
	}
	return max(status.CurrentRound, 1), nil
}

// showPairings prints a round, or only the match of a player.
func (a *app) showPairings(ctx context.Context, round int, player string) error {
	p, err := client.Round(ctx, a.source(), round)
	if err != nil {
		return err
	}
	if len(p.Schedule) == 0 {
		return fmt.Errorf("round %d is not paired; it is paired when the round before is over", round)
	}
	one := p.Schedule[0]
	if player != "" {
		one = show.PairingOf(one, player)
	}
	if a.json {
		return a.print(map[string]any{"league_id": p.LeagueID, "format": p.Format, "round": one})
	}
	show.Pairings(a.out, one)
	return nil
}
