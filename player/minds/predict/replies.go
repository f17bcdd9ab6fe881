package predict

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"

	"agentleague/game"
	"agentleague/game/draw"
	"agentleague/player"
)

// replies maps each move to its best reply, as text. Moves to which all replies are equally good are missing.
type replies map[string]string

// Limits of the games whose replies are computed.
const (
	mostMoves = 16 // that a player chooses from
	trials    = 8  // of chance
)

// Plays reports whether these strategies can play a game: both players move at
// once and have the same 2 to 16 moves in every step.
func Plays(g game.Game) bool {
	s, err := g.Start(2, chance(0))
	if err != nil {
		return false
	}
	options := choices(s)
	if len(options) < 2 || len(options) > mostMoves {
		return false
	}
	_, ok := meet(g, 0, options[0], options[0])
	return ok
}

// repliesOf computes the best replies by simulating matches: one side repeats a move, the other tries each of its own.
func repliesOf(g game.Game) replies {
	s, err := g.Start(2, chance(0))
	if err != nil {
		return nil
	}
	options := choices(s)
	out := replies{}
	for _, against := range options {
		best := slices.Clone(options)
		for seed := range uint64(trials) {
			good := bestAgainst(g, seed, options, against)
			best = slices.DeleteFunc(best, func(m game.Move) bool { return !slices.ContainsFunc(good, same(m)) })
		}
		if len(best) > 0 && len(best) < len(options) {
			out[player.Written(against)] = player.Written(best[0])
		}
	}
	return out
}

// bestAgainst returns the moves with the highest score against one move, in matches with a random seed.
func bestAgainst(g game.Game, seed uint64, options []game.Move, against game.Move) (best []game.Move) {
	most := 0
	for _, m := range options {
		won, ok := meet(g, seed, m, against)
		switch {
		case !ok:
			return nil
		case best == nil || won > most:
			best, most = []game.Move{m}, won
		case won == most:
			best = append(best, m)
		}
	}
	return best
}

// meet simulates a match in which seat 0 always plays own and seat 1 other, and returns the score of seat 0 minus that
// of seat 1. It returns false if a move is illegal or the match does not end.
func meet(g game.Game, seed uint64, own, other game.Move) (won int, ok bool) {
	s, err := g.Start(2, chance(seed))
	if err != nil {
		return 0, false
	}
	for range g.Info().MaxTurns + 1 {
		if o, over := s.Outcome(); over {
			return o.Scores[0] - o.Scores[1], true
		}
		if s.Apply(map[game.Seat]game.Move{0: own, 1: other}) != nil {
			return 0, false
		}
	}
	return 0, false
}

// choices returns the legal moves if both seats move at once and have the same ones, or nil.
func choices(s game.State) []game.Move {
	if len(s.ToMove()) != 2 {
		return nil
	}
	first, second := s.View(0).Options, s.View(1).Options
	if !slices.EqualFunc(first, second, func(a, b game.Move) bool { return string(a) == string(b) }) {
		return nil
	}
	return first
}

func same(m game.Move) func(game.Move) bool {
	return func(other game.Move) bool { return string(m) == string(other) }
}

// chance is the chance of one trial.
func chance(seed uint64) *rand.Rand { return draw.New(binary.BigEndian.AppendUint64(nil, seed)) }
