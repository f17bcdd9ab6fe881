package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"

	"github.com/spf13/cobra"

	"agentleague/config"
	"agentleague/duel"
	"agentleague/host"
	"agentleague/internal/cli/show"
	"agentleague/player"
)

// playCommand is `league play`. It plays a match without a league, a manager or a data directory.
func playCommand(a *app) *cobra.Command {
	var gameType string
	var series seriesFlags
	var llm llmFlags
	cmd := &cobra.Command{
		Use: "play A B", Short: "Play one match, or many, between two players: endpoints or strategies",
		Long: "Play one match between two players. Each is the endpoint of a running player, or a built-in strategy\n" +
			"(see `league help strategies`). No manager is needed.\n\n" +
			"A `league player` that has registered with a manager answers only the referees of its own league.\n" +
			"Nothing is saved unless --root says where.\n\n" +
			"With --games the two play many games and the result says how far A is ahead: its score, the difference in " +
			"Elo with a 95 % " +
			"interval, and how likely A is the stronger one. They swap seats from game to game, and both games of such a " +
			"pair have the same " +
			"draw, so that luck helps both alike. Where nothing is drawn, both begin with the same random opening, so that\n" +
			"players that always answer alike do not repeat one game. --sprt stops as soon as a question is decided.\n" +
			"--seed with --parallel 1 gives the same series again; minimax without a depth looks ahead by the clock, and\n" +
			"is not repeated.",
		Example: "  league play random history\n" +
			"  league play http://localhost:8101/mcp alternate\n" +
			"  league play random random --game tic_tac_toe --json\n" +
			"  league play minimax:4 minimax:2 --game connect_four --games 100\n" +
			"  league play pattern exec:./mine.py --game rock_paper_scissors --games 1000 --sprt elo0=0,elo1=20",
	}
	cmd.Flags().StringVar(&gameType, "game", "even_odd", gamesText)
	series.add(cmd)
	llm.add(cmd)
	a.network.addTrust(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if _, err := a.checkGame(gameType); err != nil {
			return err
		}
		sprt, err := series.check(cmd)
		if err != nil {
			return err
		}
		keep, strategy := cmd.Flags().Changed("root"), func(spec string, chance *rand.Rand) (player.Strategy, error) {
			if !host.IsLLM(spec) {
				return host.SeededStrategy(spec, gameType, chance)
			}
			return llm.strategy(cmd.Context(), spec, gameType, rootLLM(a.root))
		}
		if series.games > 1 {
			return series.play(cmd.Context(), a, gameType, args, keep, sprt, strategy)
		}
		players, err := contestants(args, series.seed, strategy)
		if err != nil {
			return err
		}
		return playMatch(cmd.Context(), a, gameType, series.seed, players, keep)
	}
	return cmd
}

// playMatch plays a match and prints it. With keep it also stores the record in the data directory.
func playMatch(ctx context.Context, a *app, game, seed string, players [2]*duel.Contestant, keep bool) (err error) {
	defer func() {
		for _, p := range players {
			err = errors.Join(err, host.CloseStrategy(p.Strategy))
		}
	}()
	o, err := a.duelOptions(game, seed)
	if err != nil {
		return err
	}
	c := &show.Commentary{Err: a.err, Players: players}
	if a.json {
		c.Err = io.Discard
	}
	o.Observe = c.Observe
	m := duel.New(players, o)
	c.Match, m.Ready = m, c.Announce
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
		if err := h.Matches(duel.League).Show(m.ID, doc); err != nil {
			return fmt.Errorf("the match was played, but its record cannot be saved: %w", err)
		}
		path = fmt.Sprintf("%s/data/matches/%s/%s.json", h.Dir(), duel.League, m.ID)
	}
	if a.json {
		return a.print(show.DuelObject(m, rec, path))
	}
	show.Duel(a.out, m, rec)
	if path != "" {
		fmt.Fprintf(a.out, "The record is in %s; see it again with:\n  %s\n", path, replayed(a.root, m.ID))
	}
	return nil
}

// replayed returns the command that shows a stored match again.
func replayed(root, match string) string {
	return fmt.Sprintf("league replay %s --league-id %s --root %s", match, duel.League, quoted(root))
}

// duelOptions returns the options of matches outside of a league. If logging was requested, it goes to standard error.
func (a *app) duelOptions(gameType, seed string) (duel.Options, error) {
	rules, err := a.rules()
	level := slog.LevelError
	_ = level.UnmarshalText([]byte(a.level))
	if level == slog.LevelWarn {
		level = slog.LevelError // warnings are shown as part of the match
	}
	log := slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: level}))
	return duel.Options{
		Game: gameType, Rules: rules, Caller: a.network.caller(), Seed: seed,
		Logger: func(agent string) *slog.Logger { return log.With("agent", agent) },
	}, err
}

// rootLLM returns the data directory's settings for language models; an unreadable configuration is ignored here.
func rootLLM(root string) config.LLM {
	settings, err := config.Peek(root, host.Games())
	if err != nil {
		return config.UsualLLM()
	}
	usual, err := settings.PlayerDefaults()
	if err != nil {
		return config.UsualLLM()
	}
	return usual.LLM
}
