// Package halving is a strategy for 21 Questions that asks the question that halves
// the set of possible secrets, and guesses when at most two are left.
//
//	32 things ─ask─▶ 16 ─ask─▶ 8 ─ask─▶ 4 ─ask─▶ 2 ─guess
package halving

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"agentleague/game"
	"agentleague/game/twentyonequestions"
	"agentleague/player"
)

// How a move begins.
const (
	ask   = "ask:"
	guess = "guess:"
)

// New returns the strategy. It is deterministic: the same view always leads to the same move.
func New() player.Strategy { return player.StrategyFunc(choose) }

// choose asks while more than two things are possible and some question divides them, and guesses otherwise.
func choose(_ context.Context, v game.View) (game.Move, error) {
	var seen twentyonequestions.Seen
	if err := json.Unmarshal(v.Context, &seen); err != nil {
		return nil, fmt.Errorf("halving plays twenty_one_questions, and cannot read this view: %w", err)
	}
	questions, things, err := read(v.Options)
	if err != nil {
		return nil, err
	}
	left := possible(seen, things)
	if len(left) == 0 {
		left = things // the answers contradict each other: any guess is as good
	}
	if question, ok := halves(seen, questions, left); ok && len(left) > 2 {
		return move(ask + question), nil
	}
	return move(guess + left[0]), nil
}

// possible are the things that fit all answers.
func possible(seen twentyonequestions.Seen, things []string) []string {
	return slices.DeleteFunc(slices.Clone(things), func(thing string) bool {
		for attribute, yes := range seen.Answers {
			if has(seen, thing, attribute) != yes {
				return true
			}
		}
		return false
	})
}

// halves returns the question that leaves the fewest things in the worst case. It returns false if no question divides
// them.
func halves(seen twentyonequestions.Seen, questions, things []string) (best string, ok bool) {
	fewest := len(things)
	for _, q := range questions {
		yes := 0
		for _, t := range things {
			if has(seen, t, q) {
				yes++
			}
		}
		if most := max(yes, len(things)-yes); most < fewest {
			best, fewest, ok = q, most, true
		}
	}
	return best, ok
}

// has reports whether an attribute is true of a thing.
func has(seen twentyonequestions.Seen, thing, attribute string) bool {
	return slices.Contains(strings.Fields(seen.Attributes[attribute]), thing)
}

// read splits the legal moves into attributes to ask about and things to guess.
func read(options []game.Move) (questions, things []string, err error) {
	for _, o := range options {
		var text string
		_ = json.Unmarshal(o, &text) // a move that is no text has neither prefix
		if attribute, ok := strings.CutPrefix(text, ask); ok {
			questions = append(questions, attribute)
		} else if name, ok := strings.CutPrefix(text, guess); ok {
			things = append(things, name)
		}
	}
	if len(things) == 0 {
		return nil, nil, errors.New("halving plays twenty_one_questions, and there is nothing to guess")
	}
	return questions, things, nil
}

// move encodes text as a move, a JSON string.
func move(text string) game.Move {
	m, _ := json.Marshal(text) // a text always encodes
	return m
}
