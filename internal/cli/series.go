package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"agentleague/duel"
	"agentleague/game/catalog"
	"agentleague/host"
	"agentleague/internal/cli/show"
	"agentleague/internal/cli/usage"
	"agentleague/internal/term"
	"agentleague/player"
	"agentleague/rating"
)

// seriesFlags holds the flags of `league play` for a series of games.
type seriesFlags struct {
	games    int
	parallel int
	unpaired bool
	seed     string
	openings string
	sprt     string
}

// add adds the flags of a series of games.
func (f *seriesFlags) add(cmd *cobra.Command) {
	cmd.Flags().IntVar(&f.games, "games", 1, "how many games to play; the two swap seats from game to game")
	cmd.Flags().IntVar(&f.parallel, "parallel", 0, "how many games to play at the same time (default: two for each "+
		"core, one if a player is an endpoint, a program or a language model)")
	cmd.Flags().BoolVar(&f.unpaired, "unpaired", false, "draw anew for each game, not for each pair of games with "+
		"seats swapped")
	cmd.Flags().StringVar(&f.seed, "seed", "", "a text that draws, openings and built-in players follow from; with "+
		"--parallel 1 the same games are played again")
	cmd.Flags().StringVar(&f.openings, "openings", "", "how many first moves are drawn and not chosen, in "+
		"games in which both see everything, or a file with an opening a line, such as [3, 3, 4] (default: a tenth of "+
		"the longest game, at least 2)")
	cmd.Flags().StringVar(&f.sprt, "sprt", "", "stop once it is decided whether A is ahead by elo1 or by elo0, "+
		"such as elo0=0,elo1=20,alpha=0.05,beta=0.05")
}

// mostGames is how many one command plays.
const mostGames = 1_000_000

// check refuses contradictory flags.
func (f *seriesFlags) check(cmd *cobra.Command) (*rating.SPRT, error) {
	switch {
	case f.games < 1 || f.games > mostGames:
		return nil, usage.Wrong("--games: use a number from 1 to %d, got %d", mostGames, f.games)
	case f.parallel < 0 || f.parallel > 256:
		return nil, usage.Wrong("--parallel: use a number from 1 to 256, got %d", f.parallel)
	case f.games == 1:
		for _, name := range []string{"parallel", "unpaired", "sprt", "openings"} {
			if cmd.Flags().Changed(name) {
				return nil, usage.Wrong("--%s is for many games; say how many with --games", name)
			}
		}
	}
	if f.sprt == "" {
		return nil, nil
	}
	return readSPRT(f.sprt)
}

// readSPRT parses a sequential probability ratio test: two hypotheses, and the error rates.
func readSPRT(text string) (*rating.SPRT, error) {
	t := &rating.SPRT{Elo0: 0, Elo1: 20, Alpha: 0.05, Beta: 0.05}
	names := map[string]*float64{"elo0": &t.Elo0, "elo1": &t.Elo1, "alpha": &t.Alpha, "beta": &t.Beta}
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		x, err := strconv.ParseFloat(value, 64)
		if names[name] == nil || err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, usage.Wrong("--sprt: use elo0=0,elo1=20,alpha=0.05,beta=0.05, or a part of it; got %q", part)
		}
		*names[name] = x
	}
	if t.Elo0 >= t.Elo1 || t.Alpha <= 0 || t.Alpha >= 0.5 || t.Beta <= 0 || t.Beta >= 0.5 {
		return nil, usage.Wrong("--sprt: elo0 has to be below elo1, alpha and beta between 0 and 0.5; got %q", text)
	}
	return t, nil
}

// play plays many games and shows the result.
func (f *seriesFlags) play(ctx context.Context, a *app, game string, args []string, keep bool, sprt *rating.SPRT,
	strategy strategyMaker) error {
	sides, err := f.sides(args, strategy)
	if err != nil {
		return err
	}
	o, err := a.duelOptions(game, f.seed)
	if err != nil {
		return err
	}
	if o.Openings, err = f.opened(o.Rules, game); err != nil {
		return err
	}
	s := &duel.Series{Options: o, Sides: sides, Games: f.games, Tables: f.tables(args), Unpaired: f.unpaired, SPRT: sprt}
	if keep {
		if err := f.keep(a, game, s); err != nil {
			return err
		}
	}
	start, screen := time.Now(), &term.Screen{W: a.err}
	if !a.json && term.Is(a.err) {
		s.Progress = f.progress(screen, start)
	}
	t, err := s.Play(ctx)
	screen.Clear()
	if t.Games == 0 && err != nil {
		return err
	}
	r := show.Series{Series: s, Tally: t, Took: time.Since(start), Err: err}
	if keep {
		r.Replay = replayed(a.root, s.FirstID())
	}
	if a.json {
		if printErr := a.print(r.Object()); printErr != nil {
			return printErr
		}
	} else {
		r.Print(a.out)
	}
	switch {
	case errors.Is(err, duel.ErrInterrupted):
		a.complain(fmt.Errorf("interrupted after %d of %d games", t.Games, f.games), "", "")
		return errReported
	case err != nil && a.json:
		return errReported
	}
	return err
}

// sides parses the players. It creates each strategy once, to check it, and closes it again.
func (f *seriesFlags) sides(args []string, strategy strategyMaker) (out [2]duel.Side, err error) {
	seen, err := contestants(args, f.seed, strategy)
	if err != nil {
		return out, err
	}
	for i, c := range seen {
		err = errors.Join(err, host.CloseStrategy(c.Strategy))
		out[i] = duel.Side{Name: c.Name, Endpoint: c.Endpoint}
		if c.Strategy != nil {
			out[i].New = func(chance *rand.Rand) (player.Strategy, error) { return strategy(c.Name, chance) }
		}
	}
	return out, err
}

// opened reads which openings games begin with.
func (f *seriesFlags) opened(rules catalog.Catalog, gameType string) (o duel.Openings, err error) {
	g, err := rules.Lookup(gameType)
	if err != nil {
		return o, err
	}
	usual := duel.UsualOpenings(g)
	n, notANumber := strconv.Atoi(f.openings)
	switch {
	case f.openings == "":
		return usual, nil
	case f.openings != "0" && usual.Moves == 0:
		return o, usage.Wrong("--openings: games of %s differ by their draws or hidden moves; leave it out", gameType)
	case notANumber == nil && n >= 0 && n < g.Info().MaxTurns:
		return duel.Openings{Moves: n}, nil
	case notANumber == nil:
		return o, usage.Wrong("--openings: use a number of moves from 0 to %d, got %d", g.Info().MaxTurns-1, n)
	}
	file, err := os.Open(f.openings)
	if err != nil {
		return o, usage.Wrong("--openings: use a number of moves, or a file with openings: %w", err)
	}
	defer file.Close()
	if o, err = duel.ReadOpenings(file, g); err != nil {
		return o, fmt.Errorf("--openings: %s: %w", f.openings, err)
	}
	return o, nil
}

// tables returns the number of games that are played concurrently.
func (f *seriesFlags) tables(args []string) int {
	if f.parallel > 0 {
		return f.parallel
	}
	for _, arg := range args {
		if isEndpoint(arg) || host.IsPrivate(arg) {
			return 1
		}
	}
	return 2 * runtime.GOMAXPROCS(0)
}

// keep has the records saved below the data directory.
func (f *seriesFlags) keep(a *app, game string, s *duel.Series) error {
	h, err := a.open(duel.League)
	if err != nil {
		return err
	}
	if _, err = h.Config().Game(game); err != nil {
		return err
	}
	if s.Policy, err = h.Policy(); err != nil {
		return err
	}
	s.Keep = h.Matches(duel.League).Show
	return nil
}

// progress returns a callback that shows the score of the series on a terminal.
func (f *seriesFlags) progress(screen *term.Screen, start time.Time) func(duel.Tally) {
	var last time.Time
	return func(t duel.Tally) {
		if time.Since(last) < 100*time.Millisecond {
			return
		}
		last = time.Now()
		c := t.Results()
		screen.Note(fmt.Sprintf("%d of %d games: %d won, %d drawn, %d lost, %.3g a second", t.Games, f.games, c.Wins, c.Draws, c.Losses,
			float64(t.Games)/time.Since(start).Seconds()))
	}
}
