package wasm

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"agentleague/game"
)

// Bounds of a module's description of its game.
const (
	maxName     = 64     // bytes of a name or a type
	maxRules    = 1000   // bytes of the rules
	maxSeats    = 16     // at a table
	maxTurns    = 10_000 // of a match
	maxListed   = 100    // move types, and choices of one
	parityMoves = "choose_parity"
)

// wireName matches valid types of games and moves in messages.
var wireName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// told is a module's description of its game.
type told struct {
	Type           string              `json:"type"`
	Name           string              `json:"name"`
	Rules          string              `json:"rules"`
	MoveTypes      []string            `json:"move_types"`
	ValidChoices   map[string][]string `json:"valid_choices"`
	MinSeats       int                 `json:"min_seats"`
	MaxSeats       int                 `json:"max_seats"`
	MaxTurns       int                 `json:"max_turns"`
	SeatMatters    bool                `json:"seat_matters"`
	GuestsMayJudge bool                `json:"guests_may_judge"`
}

// info converts a module's description, or returns an error if it is invalid.
func (i told) info(file string) (game.Info, error) {
	out := game.Info{
		Type: i.Type, Name: i.Name, Module: file, Rules: i.Rules, MoveTypes: i.MoveTypes, ValidChoices: i.ValidChoices,
		MinSeats: i.MinSeats, MaxSeats: i.MaxSeats, MaxTurns: i.MaxTurns, SeatMatters: i.SeatMatters,
		GuestsMayJudge: i.GuestsMayJudge,
	}
	return out, errors.Join(i.checkWords(), i.checkMoves(), i.checkBounds())
}

// checkWords returns an error unless type, name and rules are short and printable.
func (i told) checkWords() error {
	switch {
	case len(i.Type) > maxName || !wireName.MatchString(i.Type):
		return failed("info: type: want a short name in small letters, digits and _, got %.40q", i.Type)
	case i.Name == "" || len(i.Name) > maxName || i.Name != plain(i.Name):
		return failed("info: name: want 1 to %d bytes in a line, got %.40q", maxName, i.Name)
	case len(i.Rules) > maxRules || i.Rules != strings.TrimSpace(i.Rules) || !strings.HasSuffix(i.Rules, ".") ||
		strings.ContainsAny(i.Rules, "\r\n"):
		return failed("info: rules: want one paragraph of sentences, at most %d bytes, got %.40q", maxRules, i.Rules)
	}
	return nil
}

// checkMoves returns an error unless there are move types and each has choices.
func (i told) checkMoves() error {
	if len(i.MoveTypes) == 0 || len(i.MoveTypes) > maxListed {
		return failed("info: move_types: want 1 to %d, got %d", maxListed, len(i.MoveTypes))
	}
	for _, name := range i.MoveTypes {
		switch choices := i.ValidChoices[name]; {
		case len(name) > maxName || !wireName.MatchString(name) || name == parityMoves:
			return failed("info: move_types: want short names in small letters, digits and _, and not %s, got %.40q", parityMoves, name)
		case len(choices) == 0 || len(choices) > maxListed:
			return failed("info: valid_choices: want 1 to %d for %s, got %d", maxListed, name, len(choices))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(i.ValidChoices)) {
		if !slices.Contains(i.MoveTypes, name) {
			return failed("info: valid_choices: %.40q is not in move_types", name)
		}
	}
	return nil
}

// checkBounds returns an error if the limits on seats or turns are out of range.
func (i told) checkBounds() error {
	switch {
	case i.MinSeats < 1 || i.MaxSeats < i.MinSeats || i.MaxSeats > maxSeats:
		return failed("info: min_seats and max_seats: want 1 to %d, got %d and %d", maxSeats, i.MinSeats, i.MaxSeats)
	case i.MaxTurns < 1 || i.MaxTurns > maxTurns:
		return failed("info: max_turns: want 1 to %d, got %d", maxTurns, i.MaxTurns)
	}
	return nil
}

// clone returns a deep copy of a description.
func clone(i game.Info) game.Info {
	i.MoveTypes = slices.Clone(i.MoveTypes)
	i.ValidChoices = maps.Clone(i.ValidChoices)
	for name, choices := range i.ValidChoices {
		i.ValidChoices[name] = slices.Clone(choices)
	}
	return i
}

// describe asks a module for its game.
func (m *module) describe(file string) (game.Info, error) {
	var said struct {
		Info  *told  `json:"info"`
		Error string `json:"error"`
	}
	if err := m.ask(request{Op: opInfo}, &said); err != nil {
		return game.Info{}, fmt.Errorf("info: %w", err)
	}
	if said.Info == nil {
		return game.Info{}, failed("info: it tells nothing of its game%s", because(said.Error))
	}
	return said.Info.info(file)
}

// because returns a module's error text as the end of a sentence; "" without a text.
func because(words string) string {
	if words = plain(words); words == "" {
		return ""
	}
	text, _ := json.Marshal(words) // a text
	return " and says " + string(text)
}
