// Package habit has strategies with a fixed pattern, independent of the opponent.
//
//	always:even   even, even, even …
//
// Better strategies are measured against them: each has a weakness that can be found.
package habit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"agentleague/game"
	"agentleague/player"
)

// Always plays one move whenever it is legal, and otherwise the first that is. The move is meant as a person writes
// it: even stands for "even", 4 for 4.
func Always(move string) (player.Strategy, error) {
	word := strings.TrimSpace(move)
	if word == "" {
		return nil, errors.New("name the move, such as always:even")
	}
	return player.StrategyFunc(func(_ context.Context, v game.View) (game.Move, error) {
		if len(v.Options) == 0 {
			return nil, errors.New("nothing may be played")
		}
		i := slices.IndexFunc(v.Options, func(o game.Move) bool { return strings.Trim(string(o), `" `) == word })
		return v.Options[max(i, 0)], nil
	}), nil
}

// CheckMove returns an error if a game has no move of that name. If the game's choices are not all single words, such
// as the numbers of cells, only a match can decide, and CheckMove accepts the name.
func CheckMove(info game.Info, move string) error {
	var words []string
	for _, kind := range info.MoveTypes {
		words = append(words, info.ValidChoices[kind]...)
	}
	word := strings.TrimSpace(move)
	if slices.Contains(words, word) || slices.ContainsFunc(words, func(w string) bool { return !isWord(w) }) {
		return nil
	}
	return fmt.Errorf("%s has no move %q; use one of %s", info.Type, word, strings.Join(words, ", "))
}

// isWord reports whether a choice is one move, and not a description of several.
func isWord(choice string) bool {
	return !strings.ContainsFunc(choice, func(r rune) bool { return (r < 'a' || r > 'z') && r != '_' })
}
