package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/spf13/cobra"

	"agentleague/config"
	"agentleague/duel"
	"agentleague/host"
	"agentleague/player"
)

func playCommand(a *app) *cobra.Command {
	var gameType string
	var llm llmFlags
	cmd := &cobra.Command{
		Use: "play A B", Short: "Play one match between two players: endpoints or built-in strategies",
		Long: "Play one match between two players. Each is the endpoint of a running player, or a built-in strategy\n" +
			"(see `league help strategies`). No manager is needed.\n\n" +
			"A `league player` that has registered with a manager answers only the referees of its own league.\n" +
			"Nothing is saved unless --root says where.",
		Example: "  league play random history\n" +
			"  league play http://localhost:8101/mcp alternate\n" +
			"  league play random random --game tic_tac_toe --json",
	}
	cmd.Flags().StringVar(&gameType, "game", "even_odd", gamesText)
	llm.add(cmd)
	a.trustFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if _, err := a.checkGame(gameType); err != nil {
			return err
		}
		players, err := contestants(args, func(spec string) (player.Strategy, error) {
			return llm.strategy(cmd.Context(), spec, gameType, a.llmSettings())
		})
		if err != nil {
			return err
		}
		return playMatch(cmd.Context(), a, gameType, players, cmd.Flags().Changed("root"))
	}
	return cmd
}

// playMatch plays a match, shows it and keeps it if that is wanted.
func playMatch(ctx context.Context, a *app, game string, players [2]*duel.Contestant, keep bool) (err error) {
	defer func() {
		for _, p := range players {
			err = errors.Join(err, host.CloseStrategy(p.Strategy))
		}
	}()
	rules, err := a.rules()
	if err != nil {
		return err
	}
	c := &commentary{app: a, players: players}
	m := duel.New(players, duel.Options{Game: game, Rules: rules, Caller: a.caller(), Logger: a.duelLogger, Observe: c.hear})
	c.match, m.Ready = m, func() { c.announce(m) }
	var h *host.Env
	if keep {
		if h, err = a.open(duel.League); err != nil {
			return err
		}
		if _, err = h.Config().Game(game); err != nil {
			return err
		}
		if m.Policy, err = h.Policy(); err != nil {
			return err
		}
	}
	doc, rec, err := m.Play(ctx)
	if err != nil {
		return err
	}
	var path string
	if keep {
		if err := h.Matches(duel.League).Save(m.ID, doc); err != nil {
			return fmt.Errorf("the match was played, but its record cannot be saved: %w", err)
		}
		path = fmt.Sprintf("%s/data/matches/%s/%s.json", h.Dir(), duel.League, m.ID)
	}
	if a.json {
		return a.print(duelObject(m, rec, path))
	}
	tellDuel(a, m, rec, path)
	return nil
}

// duelLogger tells on standard error what goes wrong, if that is asked for.
func (a *app) duelLogger(agent string) *slog.Logger {
	level := slog.LevelError
	_ = level.UnmarshalText([]byte(a.level))
	if level == slog.LevelWarn {
		level = slog.LevelError // what a warning tells is shown as part of the match
	}
	return slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: level})).With("agent", agent)
}

// llmSettings is how the configuration of the root has language models asked; one that cannot be read says nothing here.
func (a *app) llmSettings() config.LLM {
	settings, err := config.Peek(a.root, host.Games())
	if err != nil {
		return config.UsualLLM()
	}
	usual, err := settings.PlayerDefaults()
	if err != nil {
		return config.UsualLLM()
	}
	return usual.LLM
}
