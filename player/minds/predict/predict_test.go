package predict_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"agentleague/game"
	"agentleague/game/catalog"
	"agentleague/game/evenodd"
	"agentleague/game/kuhnpoker"
	"agentleague/game/prisonersdilemma"
	"agentleague/game/rockpaperscissors"
	"agentleague/game/tictactoe"
	"agentleague/game/twentyonequestions"
	"agentleague/player"
	"agentleague/player/minds/mindtest"
	"agentleague/player/minds/predict"
	"agentleague/protocol"
)

func mind(p predict.Predictor) player.Strategy {
	return predict.New(p, predict.Options{Lookup: catalog.Lookup, Chance: rand.New(rand.NewPCG(1, 2))})
}

func TestPredictorsExpectWhatWasPlayedBefore(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ before, frequency, markov, pattern string }{
		{"", "", "", ""},
		{"r", "r", "r", "r"},
		{"r p r s r", "r", "s", "s"},           // on r came p, then s: the newer of two
		{"r p s r p s r p", "p", "s", "s"},     // a cycle
		{"r r p r r p r r", "r", "r", "p"},     // only the pattern is long enough
		{"s s p p s s p p s s", "s", "s", "p"}, // on s came s more often than p
	} {
		before := strings.Fields(c.before)
		for name, p := range map[string]struct {
			expect predict.Predictor
			want   string
		}{"frequency": {predict.Frequency, c.frequency}, "markov": {predict.Markov, c.markov}, "pattern": {predict.Pattern, c.pattern}} {
			if got, ok := p.expect(before); got != p.want || ok != (p.want != "") {
				t.Errorf("%s after %q: got %q, %v; want %q", name, c.before, got, ok, p.want)
			}
		}
	}
}

// The winning reply follows from the rules of each game, and there is none where chance decides.
func TestRepliesFollowFromTheRules(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		g        game.Game
		expected string
		want     string // "": either
		context  string
	}{
		{rockpaperscissors.Game{}, "rock", `"paper"`, `{"throws":[{"you":"rock","opponent":"rock"}]}`},
		{rockpaperscissors.Game{}, "paper", `"scissors"`, `{"throws":[{"you":"rock","opponent":"paper"}]}`},
		{rockpaperscissors.Game{}, "scissors", `"rock"`, `{"throws":[{"you":"rock","opponent":"scissors"}]}`},
		{prisonersdilemma.Game{}, "cooperate", `"defect"`, `{"past":[{"you":"defect","opponent":"cooperate"}]}`},
		{evenodd.Game{}, "even", "", `{}`},
	} {
		s, err := c.g.Start(2, rand.New(rand.NewPCG(1, 2)))
		if err != nil {
			t.Fatal(err)
		}
		v := s.View(0)
		v.Context = []byte(c.context)
		played := map[string]int{}
		m := mind(predict.Pattern)
		for range 40 {
			played[string(mindtest.Ask(t, c.g, 1, 0, v, m))]++
		}
		if c.want != "" && played[c.want] != 40 || c.want == "" && len(played) < 2 {
			t.Errorf("%s, expecting %s: played %v, want %s", c.g.Info().Type, c.expected, played, c.want)
		}
	}
}

func TestOnlyGamesInWhichBothChooseAtOnceArePlayed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		g    game.Game
		want bool
	}{
		{evenodd.Game{}, true}, {rockpaperscissors.Game{}, true}, {prisonersdilemma.Game{}, true},
		{tictactoe.Game{}, false}, {kuhnpoker.Game{}, false}, {twentyonequestions.Game{}, false},
	} {
		if got := predict.Plays(c.g); got != c.want {
			t.Errorf("%s: got %v, want %v", c.g.Info().Type, got, c.want)
		}
	}
}

// A habit is detected where a choice matters: a player that cycles through its throws loses every match against the
// pattern and against the Markov chain; frequencies reveal little about a cycle.
func TestPatternBeatsCycleWhereAChoiceMatters(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]predict.Predictor{"pattern": predict.Pattern, "markov": predict.Markov} {
		var ends mindtest.Points
		for seed := range uint64(5) {
			ends.Count(mindtest.Play(t, rockpaperscissors.Game{}, seed, mindtest.Two(mind(p), player.Alternate())), 0)
			ends.Count(mindtest.Play(t, rockpaperscissors.Game{}, seed, mindtest.Two(player.Alternate(), mind(p))), 1)
		}
		if ends.Wins != 10 {
			t.Errorf("%s against cycle: %+v, want 10 wins", name, ends)
		}
	}
}

// played is a league that returns the opponent's earlier moves.
type played struct{}

func (played) Rules(context.Context, string) string      { return "" }
func (played) Table(context.Context) []protocol.Standing { return nil }
func (played) Played(_ context.Context, player string, _ int) []protocol.PlayerMatch {
	if player != "P02" {
		return nil
	}
	return []protocol.PlayerMatch{{MyChoice: []byte(`["scissors","scissors"]`)}, {MyChoice: []byte(`["rock","rock"]`)}} // the newest first
}

// The opponent's moves in earlier matches count from the first throw on.
func TestEarlierMatchesOfTheOpponentCount(t *testing.T) {
	t.Parallel()
	s, _ := rockpaperscissors.Game{}.Start(2, nil)
	for opponent, want := range map[string]string{"P02": `"rock"`, "P03": ""} {
		ctx := player.WithMatch(t.Context(), player.Match{ID: "R3M1", Game: "rock_paper_scissors", Opponent: opponent}, played{})
		thrown := map[string]int{}
		m := mind(predict.Frequency)
		for range 40 {
			move, err := m.Choose(ctx, s.View(0))
			if err != nil {
				t.Fatal(err)
			}
			thrown[string(move)]++
		}
		if want != "" && thrown[want] != 40 || want == "" && len(thrown) != 3 {
			t.Errorf("against %s: threw %v, want %s", opponent, thrown, want)
		}
	}
}

func TestNothingToPlayIsAnError(t *testing.T) {
	t.Parallel()
	if m, err := mind(predict.Pattern).Choose(t.Context(), game.View{}); err == nil {
		t.Errorf("played %s out of nothing", m)
	}
	v := game.View{Options: []game.Move{game.Move("1")}}
	if m, err := mind(predict.Pattern).Choose(t.Context(), v); err == nil || !strings.Contains(err.Error(), "unknown game") {
		t.Errorf("in no game it played %s, %v", m, err)
	}
}
