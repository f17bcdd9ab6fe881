package twentyonequestions

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"agentleague/game"
	"agentleague/game/draw"
	"agentleague/game/gametest"
)

func TestContract(t *testing.T) { gametest.Run(t, Game{}, 2) }

func TestLongContract(t *testing.T) { gametest.Run(t, Game{}, 20) }

func FuzzCheck(f *testing.F) { gametest.Fuzz(f, Game{}) }

func TestMatchesEndAsTheGuessesSay(t *testing.T) {
	for _, tt := range []struct {
		moves  [][2]string
		scores []int
		reason string
	}{
		{[][2]string{{"guess:duck", "ask:can_fly"}}, []int{1, 0}, "{0} guessed duck in step 1"},
		{[][2]string{{"ask:can_fly", "guess:bat"}, {"guess:eagle", "guess:duck"}}, []int{0, 1}, "{1} guessed duck in step 2"},
		{[][2]string{{"guess:duck", "guess:duck"}}, []int{0, 0}, "both guessed duck in step 1"},
	} {
		s := started(t, "duck")
		say(t, s, tt.moves...)
		if o, over := s.Outcome(); !over || !reflect.DeepEqual(o.Scores, tt.scores) || o.Reason != tt.reason {
			t.Errorf("%v: got %+v, over %v, want %v, %s", tt.moves, o, over, tt.scores, tt.reason)
		}
	}
}

func TestTwentyOneStepsWithoutARightGuessAreADraw(t *testing.T) {
	s := started(t, "violin")
	for i := range maxSteps {
		if _, over := s.Outcome(); over {
			t.Fatalf("the match is over after %d steps", i)
		}
		say(t, s, [2]string{"guess:" + things[i].name, "guess:" + things[i+1].name})
	}
	if o, over := s.Outcome(); !over || o.Reason != "nobody guessed violin in 21 steps" || !reflect.DeepEqual(o.Scores, []int{0, 0}) {
		t.Errorf("got %+v, over %v", o, over)
	}
}

func TestASeatIsToldTheAnswersToItsOwnQuestionsOnly(t *testing.T) {
	s := started(t, "duck")
	say(t, s, [2]string{"ask:can_fly", "guess:bat"}, [2]string{"ask:has_fur", "ask:lays_eggs"})
	for seat, want := range map[game.Seat]Seen{
		0: {
			Answers: map[string]bool{"can_fly": true, "has_fur": false}, Wrong: []string{}, BoardRows: []string{"you", "opponent"},
			Board: [][]string{{"can_fly: yes", "has_fur: no", ""}, {"guessed", "asked", ""}},
		},
		1: {
			Answers: map[string]bool{"lays_eggs": true}, Wrong: []string{"bat"}, BoardRows: []string{"you", "opponent"},
			Board: [][]string{{"bat? no", "lays_eggs: yes", ""}, {"asked", "asked", ""}},
		},
		-1: {
			Answers: map[string]bool{}, Wrong: []string{}, BoardRows: []string{"first", "second"},
			Board: [][]string{{"asked", "asked", ""}, {"guessed", "asked", ""}},
		},
	} {
		got := seenBy(t, s, seat)
		want.Step, want.Steps, want.Attributes, want.BoardColumns = 3, 21, public, []string{"1", "2", "3"}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("seat %d: got %+v, want %+v", seat, got, want)
		}
	}
}

func TestNoViewDependsOnWhatIsHiddenFromIt(t *testing.T) {
	one, other := started(t, "duck"), started(t, "eagle") // which differ in lives_in_water and is_edible
	for _, step := range [][2][2]string{
		{{"ask:can_fly", "ask:is_edible"}, {"ask:can_fly", "ask:is_edible"}},
		{{"guess:bat", "ask:lives_in_water"}, {"guess:bat", "ask:is_round"}},
		{{"ask:has_fur", "guess:oak"}, {"ask:has_fur", "guess:ball"}},
	} {
		say(t, one, step[0])
		say(t, other, step[1])
		for _, seat := range []game.Seat{0, -1} {
			if a, b := one.View(seat).Text(), other.View(seat).Text(); a != b {
				t.Errorf("seat %d sees a difference: %s and %s", seat, a, b)
			}
		}
	}
}

func TestTheEndRevealsTheSecretAndTheAnswers(t *testing.T) {
	s := started(t, "duck")
	say(t, s, [2]string{"ask:can_fly", "guess:bat"}, [2]string{"guess:duck", "ask:has_fur"})
	o, _ := s.Outcome()
	want := map[string]any{
		"secret": "duck", "board_rows": []string{"first", "second"}, "board_columns": []string{"1", "2"},
		"board": [][]string{{"can_fly: yes", "duck? yes"}, {"bat? no", "has_fur: no"}},
	}
	if !reflect.DeepEqual(o.Details, want) {
		t.Errorf("got %v, want %v", o.Details, want)
	}
}

func TestTheTableTellsEveryTwoThingsApart(t *testing.T) {
	seen := map[string]string{}
	for i, thing := range things {
		if i > 0 && things[i-1].name >= thing.name {
			t.Errorf("%s is not in the order of the alphabet", thing.name)
		}
		var truths []string
		for _, a := range attributes {
			if thing.has(a) {
				truths = append(truths, a)
			}
		}
		if len(truths) != len(strings.Fields(thing.truly)) {
			t.Errorf("%s: %q names an attribute twice, or one that there is not", thing.name, thing.truly)
		}
		key := strings.Join(truths, " ")
		if seen[key] != "" {
			t.Errorf("%s and %s differ in nothing", seen[key], thing.name)
		}
		seen[key] = thing.name
	}
	if len(things) != 32 || len(attributes) != 18 {
		t.Errorf("%d things and %d attributes: the rules say 32", len(things), len(attributes))
	}
	for _, a := range attributes {
		if n := len(strings.Fields(public[a])); n < 4 || n > len(things)-4 {
			t.Errorf("%s is true of %d things, want at least 4 and of at least 4 not", a, n)
		}
	}
}

// A message holds a view twice, a record every message, and a model reads all of it.
func TestAViewIsSmallEnoughForAModel(t *testing.T) {
	s := started(t, "violin")
	for i, attribute := range attributes {
		say(t, s, [2]string{asks + attribute, guesses + things[i].name})
		for seat := range game.Seat(2) {
			if n := len(s.View(seat).Text()); n > 3<<10 {
				t.Errorf("step %d: a view of %d bytes, want 3 KiB or fewer", i+1, n)
			}
		}
	}
}

func TestRefusedMoveSaysWhatIsWanted(t *testing.T) {
	s := started(t, "duck")
	say(t, s, [2]string{"ask:can_fly", "guess:bat"})
	for _, tt := range []struct {
		seat       game.Seat
		move, want string
	}{
		{0, `"ask:can_fly"`, `seat 0: illegal move "ask:can_fly": ask:can_fly was already said; ask or guess something else`},
		{1, `"guess:bat"`, `seat 1: illegal move "guess:bat": guess:bat was already said; ask or guess something else`},
		{0, `"guess:dragon"`, `seat 0: illegal move "guess:dragon": there is no such thing; the options name all of them`},
		{0, `"ask:duck"`, `seat 0: illegal move "ask:duck": there is no such attribute; the table names all of them`},
		{0, `"duck"`, `seat 0: illegal move "duck": use "ask:ATTRIBUTE" or "guess:THING"`},
		{0, `7`, `seat 0: illegal move 7: use "ask:ATTRIBUTE" or "guess:THING"`},
	} {
		if err := s.Check(tt.seat, game.Move(tt.move)); err == nil || err.Error() != tt.want {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
	if err := s.Check(1, game.Move(`"ask:can_fly"`)); err != nil {
		t.Errorf("what the other seat asked is refused: %v", err)
	}
}

// started begins a match with a secret.
func started(t *testing.T, secret string) *state {
	t.Helper()
	s, err := Game{}.Start(2, draw.New(nil))
	if err != nil {
		t.Fatal(err)
	}
	s.(*state).secret = things[slices.IndexFunc(things, func(t thing) bool { return t.name == secret })]
	return s.(*state)
}

// say plays moves of both seats, step by step.
func say(t *testing.T, s *state, steps ...[2]string) {
	t.Helper()
	for _, step := range steps {
		moves := map[game.Seat]game.Move{0: game.Move(`"` + step[0] + `"`), 1: game.Move(`"` + step[1] + `"`)}
		if err := s.Apply(moves); err != nil {
			t.Fatal(err)
		}
	}
}

// seenBy reads the context of a seat's view.
func seenBy(t *testing.T, s game.State, seat game.Seat) (v Seen) {
	t.Helper()
	if err := json.Unmarshal(s.View(seat).Context, &v); err != nil {
		t.Fatal(err)
	}
	return v
}
