package cli

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"agentleague/duel"
	"agentleague/host"
	"agentleague/internal/cli/usage"
	"agentleague/player"
)

// testCommand is `league test`. It plays a player against each built-in player of a game and shows a lost game.
func testCommand(a *app) *cobra.Command {
	var gameType, seed string
	var games int
	cmd := &cobra.Command{
		Use: "test PLAYER", Short: "Play a player against every built-in player of a game, and show where it lost",
		Long: "Play some games against every built-in player of a game and show the score, the first lost position and the\n" +
			"losing move. PLAYER is the endpoint of a running player, a strategy, or a program that reads lines: a file that\n" +
			"can be run, or one in Python or JavaScript (see docs/guide/writing-a-player.md).",
		Example: "  league test mine.py --game connect_four\n  league test http://localhost:8101/mcp --game tic_tac_toe --games 20",
	}
	cmd.Flags().StringVar(&gameType, "game", "even_odd", gamesText)
	cmd.Flags().IntVar(&games, "games", 10, "how many games to play against each")
	cmd.Flags().StringVar(&seed, "seed", "1", "a text that draws, openings and the built-in players follow from")
	a.network.addTrust(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		g, err := a.checkGame(gameType)
		if err != nil {
			return err
		}
		if games < 1 || games > mostGames {
			return usage.Wrong("--games: use a number from 1 to %d, got %d", mostGames, games)
		}
		o, err := a.duelOptions(gameType, seed)
		if err != nil {
			return err
		}
		o.Openings = duel.UsualOpenings(g)
		t := trial{app: a, Trial: duel.Trial{Games: games, Options: o}}
		spec, err := programOf(args[0])
		if err != nil {
			return err
		}
		return t.play(cmd.Context(), args[0], spec)
	}
	return cmd
}

// programOf returns the strategy that runs a file, or word unchanged if it is not a file.
func programOf(word string) (string, error) {
	if info, err := os.Stat(word); err != nil || info.IsDir() {
		if ext := filepath.Ext(word); !isEndpoint(word) && !strings.Contains(word, ":") && (ext == ".py" || ext == ".js" || ext == ".mjs") {
			return "", usage.Wrong("there is no file %s", word)
		}
		return word, nil
	}
	if !strings.ContainsRune(word, filepath.Separator) {
		word = "." + string(filepath.Separator) + word
	}
	switch filepath.Ext(word) {
	case ".py":
		return "exec:python3 " + word, nil
	case ".js", ".mjs":
		return "exec:node " + word, nil
	}
	return "exec:" + word, nil
}

// A trial is a player against all built-in players of a game.
type trial struct {
	duel.Trial
	app *app
}

// A tested row holds the results against one built-in player.
type tested struct {
	Opponent string `json:"opponent"`
	Won      int    `json:"won"`
	Drawn    int    `json:"drawn"`
	Lost     int    `json:"lost"`
	Forfeits int    `json:"forfeits"`
	Why      string `json:"why,omitempty"` // why it forfeited last
}

// play plays against every built-in player in turn and prints the results and the first lost game.
func (t trial) play(ctx context.Context, name, spec string) error {
	var rows []tested
	var first *duel.LostGame
	for _, bot := range host.BotNames(t.Game) {
		f := seriesFlags{seed: t.Seed}
		sides, err := f.sides([]string{spec, bot}, func(spec string, chance *rand.Rand) (player.Strategy, error) {
			return host.SeededStrategy(spec, t.Game, chance)
		})
		if err != nil {
			return err
		}
		tally, lost, err := t.Against(ctx, sides)
		if err != nil {
			return err
		}
		c := tally.Results()
		rows = append(rows, tested{bot, c.Wins, c.Draws, c.Losses, tally.Forfeits[0], tally.Why[0]})
		if first == nil {
			first = lost
		}
	}
	if t.app.json {
		return t.app.print(map[string]any{"game_type": t.Game, "player": name, "seed": t.Seed, "results": rows, "first_lost": first})
	}
	t.tell(name, rows, first)
	return nil
}

// tell shows the results.
func (t trial) tell(name string, rows []tested, first *duel.LostGame) {
	out := t.app.out
	fmt.Fprintf(out, "%s, %d games of %s against each built-in player:\n", name, t.Games, t.Game)
	for _, r := range rows {
		fmt.Fprintf(out, "  %-12s won %d, drew %d, lost %d", r.Opponent, r.Won, r.Drawn, r.Lost)
		if r.Forfeits > 0 {
			fmt.Fprintf(out, ", %d of them by forfeit: %s", r.Forfeits, shown{errors.New(r.Why)}.Error())
		}
		fmt.Fprintln(out)
	}
	if first == nil {
		fmt.Fprintln(out, "It lost no game by the rules.")
		return
	}
	move := "its last move was"
	if first.Sure {
		move = "the losing move was"
	}
	fmt.Fprintf(out, "The first lost game, against %s from seat %d: %s %s (%s).\n", first.Opponent, first.Seat, move, first.Move,
		first.Reason)
	if first.Position == "" {
		return
	}
	fmt.Fprintln(out, "The position before it:")
	for line := range strings.Lines(strings.TrimRight(first.Position, "\n") + "\n") {
		fmt.Fprint(out, "      ", line)
	}
}
