// Package gametest tests that a game keeps the contract of package game.
//
//	func TestContract(t *testing.T)  { gametest.Run(t, mygame.Game{}, 200) }
//	func FuzzCheck(f *testing.F)     { gametest.Fuzz(f, mygame.Game{}) }
//
// [Playouts] also plays all games of the catalog ten thousand times at random.
//
// Run plays seeded matches with random legal moves, checks every position against a
// table of laws, and plays each match again from its record:
//
//	Info, Start ─▶ position ─▶ laws ─▶ Apply ─┐           record ─▶ replay
//	                  ▲                       │              │         │
//	                  └───────────────────────┴── Outcome ───┘─ equal? ┘
//
// The laws of a position are in laws.go, boards.go and texts.go, those of a whole match in match.go and chance.go, and
// those of hidden information in hidden.go.
package gametest

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"agentleague/game"
)

// Run plays the given number of seeded matches of g and fails t with the first law that g breaks.
func Run(t *testing.T, g game.Game, matches int) {
	t.Helper()
	if err := check(g, matches); err != nil {
		t.Error(err)
	}
}

// check returns the first law that g breaks. A game with an invalid description is not played.
func check(g game.Game, matches int) error {
	if err := errors.Join(checkInfo(g), checkStart(g)); err != nil {
		return err
	}
	seen, shown := texts{}, public{}
	for seed := range matches {
		if err := checkMatch(g, seed, seen, shown); err != nil {
			return fmt.Errorf("seed %d: %w", seed, err)
		}
	}
	return checkOpenings(g)
}

// checkInfo requires a complete description that the caller may change without effect on the game.
func checkInfo(g game.Game) error {
	info := g.Info()
	before, _ := json.Marshal(info) // strings and numbers always encode
	err := errors.Join(checkNames(info), checkRules(info), checkBounds(info))
	for i := range info.MoveTypes {
		info.MoveTypes[i] = "spoilt"
	}
	clear(info.ValidChoices)
	if after, _ := json.Marshal(g.Info()); string(after) != string(before) {
		err = errors.Join(err, errors.New("info: changing what Info returned changes the game"))
	}
	return err
}

// maxRules is the maximum length of the rules text in bytes.
const maxRules = 1000

// checkNames requires a type, a name, a module, and choices for each move type.
func checkNames(info game.Info) error {
	if info.Type == "" || info.Name == "" || info.Module == "" {
		return fmt.Errorf("info: want type, name and module, got %q, %q, %q", info.Type, info.Name, info.Module)
	}
	if len(info.MoveTypes) == 0 {
		return errors.New("info: no move types, want one or more")
	}
	for _, ask := range info.MoveTypes {
		if len(info.ValidChoices[ask]) == 0 {
			return fmt.Errorf("info: no valid choices for move type %q, want one or more", ask)
		}
	}
	return nil
}

// checkRules requires rules in one paragraph, short enough to be shown with every turn.
func checkRules(info game.Info) error {
	switch text := info.Rules; {
	case strings.TrimSpace(text) == "":
		return errors.New("info: no rules, want them in a paragraph")
	case strings.ContainsAny(text, "\r\n") || text != strings.TrimSpace(text):
		return fmt.Errorf("info: rules %.40q, want one paragraph without line breaks or spaces around it", text)
	case len(text) > maxRules || !strings.HasSuffix(text, "."):
		return fmt.Errorf("info: rules of %d bytes, want sentences of at most %d", len(text), maxRules)
	}
	for _, ask := range info.MoveTypes {
		for _, choice := range info.ValidChoices[ask] {
			if missing := unsaid(info.Rules, choice); missing != "" {
				return fmt.Errorf("info: the rules do not say how %q is answered: want %q in them, for %q", ask, missing, choice)
			}
		}
	}
	return nil
}

// rangeOf matches a choice that stands for a range of numbers, such as 0-8.
var rangeOf = regexp.MustCompile(`^(\d+)-(\d+)$`)

// unsaid returns the part of a choice that the rules do not mention: the choice, or a bound of its range. It returns ""
// if the rules mention all.
func unsaid(rules, choice string) string {
	words := []string{choice}
	if ends := rangeOf.FindStringSubmatch(choice); ends != nil {
		words = ends[1:]
	}
	for _, word := range words {
		if !strings.Contains(rules, word) {
			return word
		}
	}
	return ""
}

// checkBounds requires positive limits on seats and turns.
func checkBounds(info game.Info) error {
	if info.MinSeats < 1 || info.MaxSeats < info.MinSeats {
		return fmt.Errorf("info: %d to %d seats, want 1 or more and no fewer at most than at least", info.MinSeats,
			info.MaxSeats)
	}
	if info.MaxTurns < 1 {
		return fmt.Errorf("info: at most %d turns, want 1 or more", info.MaxTurns)
	}
	return nil
}

// checkStart requires that Start refuses numbers of seats outside the bounds.
func checkStart(g game.Game) error {
	info := g.Info()
	for _, seats := range []int{-1, 0, info.MinSeats - 1, info.MaxSeats + 1} {
		if _, err := g.Start(seats, rngOf(0)); err == nil {
			return fmt.Errorf("start: a match with %d seats is allowed, want %d to %d", seats, info.MinSeats, info.MaxSeats)
		}
	}
	return nil
}
