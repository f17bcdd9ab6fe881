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
	"agentleague/game"
	"agentleague/host"
	"agentleague/player"
	"agentleague/player/minds/minimax"
	"agentleague/protocol"
)

// testCommand is `league test`: a player against each built-in player of a game, and where it lost.
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
	a.trustFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		g, err := a.checkGame(gameType)
		if err != nil {
			return err
		}
		if games < 1 || games > mostGames {
			return wrongUsage("--games: use a number from 1 to %d, got %d", mostGames, games)
		}
		t := trial{app: a, game: g, games: games, seed: seed}
		spec, err := programOf(args[0])
		if err != nil {
			return err
		}
		return t.play(cmd.Context(), args[0], spec)
	}
	return cmd
}

// programOf is the strategy that runs a file, or the word itself if it names none.
func programOf(word string) (string, error) {
	if info, err := os.Stat(word); err != nil || info.IsDir() {
		if ext := filepath.Ext(word); !isEndpoint(word) && !strings.Contains(word, ":") && (ext == ".py" || ext == ".js" || ext == ".mjs") {
			return "", wrongUsage("there is no file %s", word)
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
	app   *app
	game  game.Game
	games int
	seed  string
}

// A tested row is how it fared against one of them.
type tested struct {
	Opponent string `json:"opponent"`
	Won      int    `json:"won"`
	Drawn    int    `json:"drawn"`
	Lost     int    `json:"lost"`
	Forfeits int    `json:"forfeits"`
	Why      string `json:"why,omitempty"` // why it forfeited last
}

// A lostGame is the first game that it lost by the rules.
type lostGame struct {
	Opponent string    `json:"opponent"`
	Seat     int       `json:"seat"`     // from 1
	Position string    `json:"position"` // before the move, as it saw it
	Move     game.Move `json:"move"`     // the losing move, or the last one if unknown
	Sure     bool      `json:"sure"`     // no other move is known to lose
	Reason   string    `json:"reason"`
}

// play plays against one after the other and shows the rest.
func (t trial) play(ctx context.Context, name, spec string) error {
	var rows []tested
	var first *lostGame
	for _, bot := range host.BotNames(t.game.Info().Type) {
		row, lost, err := t.against(ctx, spec, bot)
		if err != nil {
			return err
		}
		rows = append(rows, row)
		if first == nil {
			first = lost
		}
	}
	if t.app.json {
		return t.app.print(map[string]any{"game_type": t.game.Info().Type, "player": name, "seed": t.seed, "results": rows, "first_lost": first})
	}
	t.tell(name, rows, first)
	return nil
}

// against plays against one built-in player. It returns the first game that was lost by the rules, if one was.
func (t trial) against(ctx context.Context, spec, bot string) (row tested, lost *lostGame, err error) {
	gameType := t.game.Info().Type
	rules, err := t.app.rules()
	if err != nil {
		return row, nil, err
	}
	f := seriesFlags{games: t.games, parallel: 1, seed: t.seed}
	sides, err := f.sides([]string{spec, bot}, func(spec string, chance *rand.Rand) (player.Strategy, error) {
		return host.SeededStrategy(spec, gameType, chance)
	})
	if err != nil {
		return row, nil, err
	}
	s := &duel.Series{
		Options: duel.Options{
			Game: gameType, Rules: rules, Caller: t.app.caller(), Logger: t.app.duelLogger, Seed: t.seed,
			Openings: duel.UsualOpenings(t.game),
		},
		Sides: sides, Games: t.games, Tables: 1,
	}
	s.Keep = func(_ string, doc []byte) error {
		rec, err := protocol.ParseRecord(doc)
		if err == nil && lost == nil && rec.Result.Status == protocol.Win && *rec.Result.WinnerPlayerID == other {
			lost, err = t.lostBy(ctx, rec, bot, s.Openings)
		}
		return err
	}
	tally, err := s.Play(ctx)
	c := tally.Results()
	return tested{bot, c.Wins, c.Draws, c.Losses, tally.Forfeits[0], tally.Why[0]}, lost, err
}

// own and other are the ids of the player that is tested and of the built-in one.
const own, other = "P01", "P02"

// farAhead is the search depth from each position of a lost game.
const farAhead = 6

// lostBy finds the move that lost a game.
func (t trial) lostBy(ctx context.Context, rec protocol.MatchRecord, bot string, o duel.Openings) (*lostGame, error) {
	out := &lostGame{Opponent: bot, Seat: 1, Reason: rec.Result.Reason}
	if rec.PlayerBID == own {
		out.Seat = 2
	}
	state, err := o.Begin(t.game, rec.Fairness.Key)
	if err != nil {
		return nil, err
	}
	turn, moves := -1, []game.Move{}
	for _, m := range rec.Moves {
		if moves = append(moves, m.Move); m.PlayerID == own {
			turn = m.Turn
		}
	}
	if open, ok := state.(game.Open); ok {
		at, found, err := minimax.Mistake(ctx, open, moves, game.Seat(out.Seat-1), farAhead)
		if err != nil {
			return nil, err
		}
		if out.Sure = found; found {
			turn = at
		}
	}
	return out, t.show(state, rec, turn, out)
}

// show plays a match again up to a turn, and records the player's view and move there.
func (t trial) show(state game.State, rec protocol.MatchRecord, turn int, out *lostGame) error {
	ids := map[string]game.Seat{rec.PlayerAID: 0, rec.PlayerBID: 1}
	for at := 0; at <= turn; at++ {
		step := map[game.Seat]game.Move{}
		for _, m := range rec.Moves {
			if m.Turn == at {
				step[ids[m.PlayerID]] = m.Move
			}
		}
		if at == turn {
			out.Position, out.Move = seenAt(state.View(ids[own])), step[ids[own]]
			return nil
		}
		if err := state.Apply(step); err != nil {
			return err
		}
	}
	return nil
}

// seenAt is a position as text: its board, or the game's context.
func seenAt(v game.View) string {
	if board, ok := protocol.ReadBoard(v.Context); ok {
		return board.Text()
	}
	return strings.Trim(string(v.Context), "{}")
}

// tell shows the results.
func (t trial) tell(name string, rows []tested, first *lostGame) {
	out := t.app.out
	fmt.Fprintf(out, "%s, %d games of %s against each built-in player:\n", name, t.games, t.game.Info().Type)
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
