package cfr_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"agentleague/game"
	"agentleague/game/kuhnpoker"
	"agentleague/player"
	"agentleague/player/minds/cfr"
	"agentleague/player/minds/mindtest"
)

// Kuhn's result: with optimal play the first player loses an eighteenth of a chip per hand. With more rounds of
// training the policy comes nearer to that, and an opponent that knows it gains less.
func TestTrainingConvergesToKuhnsValue(t *testing.T) {
	t.Parallel()
	for rounds, near := range map[int]float64{10: 0.1, 100: 0.01, 1000: 0.001} {
		p := cfr.Train(rounds)
		if off := math.Abs(p.Value() + 1.0/18); off > near {
			t.Errorf("after %d rounds the first player wins %.5f, which is %.5f from -1/18; want at most %g", rounds, p.Value(), off, near)
		}
		if e := p.Exploitability(); e < -1e-12 || e > near {
			t.Errorf("after %d rounds an opponent wins %.5f a hand, want 0 to %g", rounds, e, near)
		}
	}
}

// The measure itself: a player that always bets and calls is highly exploitable, and equilibrium play is not.
func TestExploitabilityFindsWhatIsWeak(t *testing.T) {
	t.Parallel()
	weak := cfr.Policy{}
	for i, often := range cfr.Train(1) {
		for a := range often {
			bold := a == kuhnpoker.Bet || a == kuhnpoker.Call
			often[a] = map[bool]float64{true: 1, false: 0}[bold]
		}
		weak[i] = often
	}
	if e := weak.Exploitability(); e < 0.3 {
		t.Errorf("an opponent of who always bets and calls wins %.3f a hand, want more", e)
	}
}

// The equilibria are known: J is bet a third as often as K at first, and called with never; Q is bet first never.
func TestThePolicyBluffsAsKuhnSays(t *testing.T) {
	t.Parallel()
	p := cfr.Train(1000)
	at := func(card kuhnpoker.Card, actions string, a kuhnpoker.Action) float64 {
		return p[cfr.Info{Card: card, Actions: actions}][a]
	}
	bluff := at(kuhnpoker.J, "", kuhnpoker.Bet)
	for what, c := range map[string][2]float64{
		"first with K, bets":             {at(kuhnpoker.K, "", kuhnpoker.Bet), 3 * bluff},
		"first with Q, bets":             {at(kuhnpoker.Q, "", kuhnpoker.Bet), 0},
		"first with Q, calls":            {at(kuhnpoker.Q, "check bet ", kuhnpoker.Call), bluff + 1.0/3},
		"second with J, bets a check":    {at(kuhnpoker.J, "check ", kuhnpoker.Bet), 1.0 / 3},
		"second with Q, calls":           {at(kuhnpoker.Q, "bet ", kuhnpoker.Call), 1.0 / 3},
		"second with K, bets a check":    {at(kuhnpoker.K, "check ", kuhnpoker.Bet), 1},
		"second with J, calls":           {at(kuhnpoker.J, "bet ", kuhnpoker.Call), 0},
		"first with K, calls after that": {at(kuhnpoker.K, "check bet ", kuhnpoker.Call), 1},
	} {
		if math.Abs(c[0]-c[1]) > 0.03 {
			t.Errorf("%s %.3f of the time, want %.3f", what, c[0], c[1])
		}
	}
}

// In whole matches it plays legal moves, and wins chips from a random player.
func TestTheMindBeatsRandomInMatches(t *testing.T) {
	t.Parallel()
	mind, guess := cfr.New(rand.New(rand.NewPCG(1, 2))), player.Random(rand.New(rand.NewPCG(3, 4)))
	var ends mindtest.Points
	for seed := range uint64(40) {
		ends.Count(mindtest.Play(t, kuhnpoker.Game{}, seed, mindtest.Two(mind, guess)), 0)
		ends.Count(mindtest.Play(t, kuhnpoker.Game{}, seed, mindtest.Two(guess, mind)), 1)
	}
	if score := ends.Score(); score < 0.55 { // it is about 0.63
		t.Errorf("got %+v, a score of %.2f; want at least 0.55", ends, score)
	}
}

func TestTheMindSaysWhatItCannotPlay(t *testing.T) {
	t.Parallel()
	for _, v := range []game.View{{}, {Context: []byte(`{}`)}, {Context: []byte(`[]`)}, {Context: []byte(`{"card":"A","actions":[]}`)}} {
		if m, err := cfr.New(nil).Choose(t.Context(), v); err == nil {
			t.Errorf("in %s it played %s", v.Context, m)
		}
	}
}
