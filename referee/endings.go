package referee

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"agentleague/game"
	"agentleague/game/draw"
	"agentleague/protocol"
)

// An ending is one way in which a match can end.
type ending struct {
	winner int // a seat; -1: a draw
	number int // that was drawn, if the game draws one
	parity string
}

// draws is the number of draw keys with which a match is simulated. If each ending occurred at least often times, the
// list of endings counts as complete.
const (
	draws = 128
	often = 3
)

// endings simulates a match of one step with many draw keys and returns the endings, with repetitions. For a seat
// without a reported choice it tries every possible one.
func (c *claim) endings() ([]ending, error) {
	opening, err := c.rules.Start(2, draw.New(nil))
	if err != nil {
		return nil, fmt.Errorf("game_type: %w", err)
	}
	options, err := c.options(opening)
	if err != nil {
		return nil, err
	}
	var out []ending
	for i := range uint32(draws) {
		key := binary.BigEndian.AppendUint32([]byte("plausible"), i)
		for _, a := range options[0] {
			for _, b := range options[1] {
				state, err := c.rules.Start(2, draw.New(key))
				if err != nil || state.Apply(map[game.Seat]game.Move{0: a, 1: b}) != nil {
					continue
				}
				if end, over := state.Outcome(); over {
					out = append(out, endingOf(end))
				}
			}
		}
	}
	return out, nil
}

// options returns the moves of each seat to simulate: the reported one, or all if none was reported.
func (c *claim) options(s game.State) (out [2][]game.Move, err error) {
	for seat := range out {
		if c.given[seat] == nil {
			out[seat] = s.View(game.Seat(seat)).Options
			continue
		}
		if err := s.Check(game.Seat(seat), c.given[seat]); err != nil {
			return out, c.noChoice(seat, c.given[seat], err)
		}
		out[seat] = []game.Move{c.given[seat]}
	}
	return out, nil
}

// noChoice returns the error for a reported choice that is not a legal move. It truncates and sanitizes the untrusted
// text in the message.
func (c *claim) noChoice(seat int, move game.Move, err error) error {
	why := err.Error()
	if illegal, ok := errors.AsType[*game.IllegalMove](err); ok {
		why = illegal.Why
	}
	return fmt.Errorf("result.details.choices: %.64s was reported for %s: %s", protocol.Plain(string(move)), c.ids[seat],
		why)
}

// saturated reports whether every ending came up often enough to assume that none is missing.
func saturated(ends []ending) bool {
	seen := map[ending]int{}
	for _, e := range ends {
		seen[e]++
	}
	for _, n := range seen {
		if n < often {
			return false
		}
	}
	return len(ends) > 0
}

// endingOf converts the outcome of a game into an ending.
func endingOf(o game.Outcome) ending {
	e := ending{winner: -1}
	if seat, won := o.Winner(); won {
		e.winner = int(seat)
	}
	e.number, _ = o.Details["drawn_number"].(int)
	e.parity, _ = o.Details["number_parity"].(string)
	return e
}

// checkReplay replays a game of more than one move per player from the two reported lists of moves, and returns an error
// for an illegal move or a wrong winner. It returns nil without a check if a list is missing, or if the game draws random
// numbers during play. If a list is incomplete, or the game draws a number after the last move, it checks only that the
// moves are legal.
func (c *claim) checkReplay() error {
	var lists [2][]json.RawMessage
	for seat, raw := range c.given {
		if raw == nil || json.Unmarshal(raw, &lists[seat]) != nil {
			return nil // it writes them in another way
		}
	}
	state, err := c.rules.Start(2, draw.New(nil))
	if err != nil || !c.rules.Info().GuestsMayJudge {
		return err
	}
	for len(state.ToMove()) > 0 {
		step := map[game.Seat]game.Move{}
		for _, seat := range state.ToMove() {
			if len(lists[seat]) == 0 {
				return nil // not all moves are there
			}
			step[seat], lists[seat] = lists[seat][0], lists[seat][1:]
			if err := state.Check(seat, step[seat]); err != nil {
				return c.noChoice(int(seat), step[seat], err)
			}
		}
		if err := state.Apply(step); err != nil {
			return fmt.Errorf("result.details.choices: %w", err)
		}
	}
	if left := slices.Concat(lists[0], lists[1]); len(left) > 0 {
		return fmt.Errorf("result.details.choices: %d more moves were reported than the match has", len(left))
	}
	end, _ := state.Outcome()
	if len(end.Details) > 0 && endingOf(end).number != 0 {
		return nil // chance decides
	}
	return c.follows([]ending{endingOf(end)})
}
