package halving_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"agentleague/game"
	"agentleague/game/twentyonequestions"
	"agentleague/player"
	"agentleague/player/minds/halving"
	"agentleague/player/minds/mindtest"
)

// Of 32 things the secret is found within eight steps, whichever it is: five halvings would be perfect.
func TestTheSecretIsFoundInFewSteps(t *testing.T) {
	t.Parallel()
	idle := player.StrategyFunc(func(_ context.Context, v game.View) (game.Move, error) { return v.Options[0], nil }) // it asks all there is first
	for seed := range uint64(40) {
		steps := 0
		counted := player.StrategyFunc(func(ctx context.Context, v game.View) (game.Move, error) {
			steps++
			return halving.New().Choose(ctx, v)
		})
		if o := mindtest.Play(t, twentyonequestions.Game{}, seed, mindtest.Two(counted, idle)); o.Scores[0] <= o.Scores[1] || steps > 8 {
			t.Errorf("seed %d: %s after %d steps; want the secret within 8", seed, o.Reason, steps)
		}
	}
}

func TestHalvingBeatsRandom(t *testing.T) {
	t.Parallel()
	var ends mindtest.Points
	guess := player.Random(rand.New(rand.NewPCG(1, 2)))
	for seed := range uint64(40) {
		ends.Count(mindtest.Play(t, twentyonequestions.Game{}, seed, mindtest.Two(guess, halving.New())), 1)
	}
	if score := ends.Score(); score < 0.8 {
		t.Errorf("got %+v, a score of %.2f; want at least 0.8", ends, score)
	}
}

func TestTheMindSaysWhatItCannotPlay(t *testing.T) {
	t.Parallel()
	for _, v := range []game.View{
		{}, {Context: []byte(`{}`)}, {Context: []byte(`{}`), Options: []game.Move{game.Move(`"even"`), game.Move(`4`)}},
	} {
		if m, err := halving.New().Choose(t.Context(), v); err == nil {
			t.Errorf("in %+v it played %s", v, m)
		}
	}
}
