package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"agentleague/game/catalog"
	"agentleague/host"
)

func (a *app) playCommand() *cobra.Command {
	var gameType string
	cmd := &cobra.Command{
		Use: "play A B", Short: "Play one match between two players: endpoints or built-in host.Strategies",
		Long: "Play one match between two players. Each is the endpoint of a running player, or the name of a strategy that is played here: " +
			known() + ". No manager is needed.\n\n" +
			"A player of this program that has registered with a manager answers the referees of its own league only.\n" +
			"Nothing is kept unless --root says where.",
		Example: "  league play random history\n" +
			"  league play http://localhost:8101/mcp alternate\n" +
			"  league play random random --game tic_tac_toe --json",
	}
	cmd.Flags().StringVar(&gameType, "game", "even_odd", "the game")
	a.trustFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if _, err := catalog.Lookup(gameType); err != nil {
			return wrongUsage("--game: %w", err)
		}
		sides, err := newSides(args)
		if err != nil {
			return err
		}
		return a.play(cmd.Context(), newFriendly(a, gameType, sides), cmd.Flags().Changed("root"))
	}
	return cmd
}

// play plays a match, shows it and keeps it if that is wanted.
func (a *app) play(ctx context.Context, f *friendly, keep bool) error {
	var h *host.Env
	var err error
	if keep {
		if h, err = a.open(friendlies); err != nil {
			return err
		}
		f.policy = h.Policy()
	}
	doc, rec, err := f.play(ctx)
	if err != nil {
		return err
	}
	var path string
	if keep {
		if err := h.Matches(friendlies).Save(f.id, doc); err != nil {
			return fmt.Errorf("the match was played but cannot be kept: %w", err)
		}
		path = fmt.Sprintf("%s/data/matches/%s/%s.json", h.Dir(), friendlies, f.id)
	}
	if a.json {
		return a.print(f.object(rec, path))
	}
	f.tell(rec, path)
	return nil
}
