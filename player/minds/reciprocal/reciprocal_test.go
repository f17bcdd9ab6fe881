package reciprocal_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"agentleague/game"
	"agentleague/game/prisonersdilemma"
	"agentleague/player"
	"agentleague/player/minds/habit"
	"agentleague/player/minds/mindtest"
	"agentleague/player/minds/reciprocal"
)

// against plays steps against a list of actions, and returns the strategy's actions.
func against(t *testing.T, s player.Strategy, actions string) string {
	t.Helper()
	other := player.StrategyFunc(func(_ context.Context, v game.View) (game.Move, error) {
		if v.Turn < len(actions) && actions[v.Turn] == 'd' {
			return game.Move(`"defect"`), nil
		}
		return game.Move(`"cooperate"`), nil
	})
	var did strings.Builder
	watched := player.StrategyFunc(func(ctx context.Context, v game.View) (game.Move, error) {
		m, err := s.Choose(ctx, v)
		if len(m) > 0 {
			did.WriteByte(m[1])
		}
		return m, err
	})
	mindtest.Play(t, prisonersdilemma.Game{}, 1, mindtest.Two(watched, other))
	return did.String()[:len(actions)+1]
}

func TestEachAnswersWhatTheOpponentDid(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		mind player.Strategy
		want string
	}{
		{"tit-for-tat", reciprocal.TitForTat(), "ccddcc"},
		{"grim", reciprocal.Grim(), "ccdddd"},
		{"pavlov", reciprocal.Pavlov(), "ccdccc"},
	} {
		if got := against(t, c.mind, "cddcc"); got != c.want {
			t.Errorf("%s against c d d c c: got %s, want %s", c.name, got, c.want)
		}
	}
	var forgave, punished int
	mind := reciprocal.Generous(rand.New(rand.NewPCG(1, 2)))
	for range 10 {
		did := against(t, mind, strings.Repeat("d", 19))
		forgave, punished = forgave+strings.Count(did[1:], "c"), punished+strings.Count(did[1:], "d")
	}
	if share := float64(forgave) / float64(forgave+punished); share < 0.2 || share > 0.47 { // four standard deviations
		t.Errorf("generous forgave %.2f of the defections, want a third", share)
	}
}

// Axelrod's result: over a mixed field tit for tat scores more than unconditional defection, although it never scores
// more than its opponent in a match.
func TestTitForTatBeatsAlwaysDefectOverAMixedField(t *testing.T) {
	t.Parallel()
	always := func(move string) player.Strategy {
		s, err := habit.Always(move)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	names := []string{"tit-for-tat", "always-defect", "always-cooperate", "grim", "pavlov", "generous", "random"}
	field := []player.Strategy{reciprocal.TitForTat(), always("defect"), always("cooperate"), reciprocal.Grim(), reciprocal.Pavlov(),
		reciprocal.Generous(rand.New(rand.NewPCG(1, 2))), player.Random(rand.New(rand.NewPCG(3, 4)))}
	total := map[string]int{}
	for a := range field {
		for b := range field[:a+1] { // as in Axelrod's tournaments each also meets its twin
			for seed := range uint64(2) {
				o := mindtest.Play(t, prisonersdilemma.Game{}, seed, mindtest.Two(field[a], field[b]))
				if total[names[a]] += o.Scores[0]; a != b {
					total[names[b]] += o.Scores[1]
				}
				if names[b] == "tit-for-tat" && o.Scores[1] > o.Scores[0] {
					t.Errorf("tit-for-tat scored %d against %s's %d, which cannot be", o.Scores[1], names[a], o.Scores[0])
				}
			}
		}
	}
	for _, kind := range []string{"tit-for-tat", "grim", "generous"} {
		if total[kind] <= total["always-defect"] {
			t.Errorf("got %v, want more for %s than for always-defect", total, kind)
		}
	}
}

func TestTheMindSaysWhatItCannotPlay(t *testing.T) {
	t.Parallel()
	for _, v := range []game.View{{}, {Context: []byte(`{}`)}, {Context: []byte(`{}`), Options: []game.Move{game.Move(`"even"`)}}} {
		if m, err := reciprocal.TitForTat().Choose(t.Context(), v); err == nil {
			t.Errorf("in %+v it played %s", v, m)
		}
	}
}
