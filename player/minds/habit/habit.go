// Package habit has strategies with a fixed pattern, independent of the opponent.
//
//	always:even   even, even, even …
//
// They are baselines for better strategies, which should find and exploit the pattern.
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

// Always returns a strategy that plays one move whenever it is legal, and otherwise the first legal move. The move is
// given without JSON quotes: even means "even", 4 means 4.
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

// CheckMove returns an error if a game has no such move. It accepts any move if the game describes its moves other than
// by single words, such as by the numbers of cells.
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

// isWord reports whether a choice in a game's description is a single move, and not a description of several.
func isWord(choice string) bool {
	return !strings.ContainsFunc(choice, func(r rune) bool { return (r < 'a' || r > 'z') && r != '_' })
}
