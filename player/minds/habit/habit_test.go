package habit_test

import (
	"strings"
	"testing"

	"agentleague/game"
	"agentleague/player/minds/habit"
)

func TestAlwaysPlaysItsMoveWhereItMay(t *testing.T) {
	t.Parallel()
	s, err := habit.Always(" odd ")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ options, want string }{{`"even" "odd"`, `"odd"`}, {`"even"`, `"even"`}} {
		var v game.View
		for o := range strings.FieldsSeq(c.options) {
			v.Options = append(v.Options, game.Move(o))
		}
		if m, err := s.Choose(t.Context(), v); err != nil || string(m) != c.want {
			t.Errorf("of %s got %s, %v; want %s", c.options, m, err, c.want)
		}
	}
	if m, err := s.Choose(t.Context(), game.View{}); err == nil {
		t.Errorf("played %s out of nothing", m)
	}
	if _, err := habit.Always(" "); err == nil {
		t.Error("no move was taken for one")
	}
}

func TestAMoveThatAGameDoesNotHaveIsTold(t *testing.T) {
	t.Parallel()
	words := game.Info{Type: "even_odd", MoveTypes: []string{"p"}, ValidChoices: map[string][]string{"p": {"even", "odd"}}}
	cells := game.Info{Type: "grid", MoveTypes: []string{"p"}, ValidChoices: map[string][]string{"p": {"0-8"}}}
	for _, c := range []struct {
		info game.Info
		move string
		ok   bool
	}{{words, "even", true}, {words, "Even", false}, {words, "four", false}, {cells, "4", true}} {
		if err := habit.CheckMove(c.info, c.move); (err == nil) != c.ok {
			t.Errorf("%s in %s: got %v", c.move, c.info.Type, err)
		}
	}
}
