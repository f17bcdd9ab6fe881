package recall_test

import (
	"math/rand/v2"
	"testing"

	"agentleague/game"
	"agentleague/game/memory"
	"agentleague/player"
	"agentleague/player/minds/mindtest"
	"agentleague/player/minds/recall"
)

func mind(t *testing.T, percent string, seed uint64) player.Strategy {
	t.Helper()
	s, err := recall.New(percent, rand.New(rand.NewPCG(seed, 0)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The more a mind remembers, the more matches it wins.
func TestWhoRemembersMoreWins(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name          string
		first, second player.Strategy
		least         float64
	}{
		{"all against random", mind(t, "", 1), player.Random(rand.New(rand.NewPCG(2, 0))), 0.95},
		{"all against 20 percent", mind(t, "100", 3), mind(t, "20", 4), 0.75},
		{"20 percent against none", mind(t, "20", 5), mind(t, "0", 6), 0.55},
	} {
		var ends mindtest.Points
		for seed := range uint64(15) {
			ends.Count(mindtest.Play(t, memory.Game{}, seed, mindtest.Two(c.first, c.second)), 0)
			ends.Count(mindtest.Play(t, memory.Game{}, seed, mindtest.Two(c.second, c.first)), 1)
		}
		if score := ends.Score(); score < c.least {
			t.Errorf("%s: %+v, a score of %.2f; want at least %.2f", c.name, ends, score, c.least)
		}
	}
}

// A pair that was seen is taken, also if the opponent turned it up; the cards of another match are not mixed up with it.
func TestAPairThatWasSeenIsTaken(t *testing.T) {
	t.Parallel()
	s := mind(t, "", 1)
	look := func(match uint64, turn int, context string, options ...string) string {
		v := game.View{Turn: turn, Context: []byte(context)}
		for _, o := range options {
			v.Options = append(v.Options, game.Move(o))
		}
		return string(mindtest.Ask(t, memory.Game{}, match, 0, v, s))
	}
	look(1, 2, `{"last":{"you":[],"opponent":[{"at":3,"card":"A"},{"at":7,"card":"B"}]}}`, "0")
	if got := look(1, 4, `{"last":{"you":[],"opponent":[{"at":9,"card":"A"},{"at":2,"card":"C"}]}}`, "1", "3", "7", "9"); got != "9" && got != "3" {
		t.Errorf("turned %s, want a card of the pair in cells 3 and 9", got)
	}
	if got := look(1, 5, `{"turned":[{"at":9,"card":"A"}],"last":{}}`, "1", "3", "7"); got != "3" {
		t.Errorf("turned %s, want the mate in cell 3", got)
	}
	if got := look(2, 5, `{"turned":[{"at":9,"card":"A"}],"last":{}}`, "1"); got != "1" {
		t.Errorf("in another match turned %s", got)
	}
	if got := look(1, 0, `{"turned":[{"at":9,"card":"A"}],"last":{"opponent":[{"at":3,"card":"D"},{"at":1,"card":"A"}]}}`, "1", "3"); got != "1" {
		t.Errorf("in a match that began again turned %s, want 1", got)
	}
}

func TestTheMindSaysWhatItCannotPlay(t *testing.T) {
	t.Parallel()
	for _, v := range []game.View{
		{}, {Context: []byte(`{}`)}, {Context: []byte(`{}`), Options: []game.Move{game.Move(`"even"`)}},
	} {
		if m, err := mind(t, "", 1).Choose(t.Context(), v); err == nil {
			t.Errorf("in %+v it played %s", v, m)
		}
	}
	for _, percent := range []string{"-1", "101", "half"} {
		if _, err := recall.New(percent, nil); err == nil {
			t.Errorf("%s percent was taken, want an error", percent)
		}
	}
}
