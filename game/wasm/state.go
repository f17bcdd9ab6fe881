package wasm

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"agentleague/game"
	"agentleague/game/draw"
)

// Limits on the random numbers that a module may request in one step.
const (
	maxDraws  = 1000
	maxAsking = 16 // times
)

// A state is a match of a module. Only Start and Apply call the module; its answer contains the views and legal moves,
// so that Check and Apply cannot disagree.
type state struct {
	game    *Game
	seats   int
	rng     *rand.Rand
	turn    int
	now     *position // the last position from the module; nil: none
	failure error     // of the module; the match is over
}

// ToMove returns the seats to move, or none if the match is over or the module has failed.
func (s *state) ToMove() []game.Seat {
	if s.failure != nil {
		return nil
	}
	return slices.Clone(s.now.toMove)
}

// View returns the module's view for a seat.
func (s *state) View(seat game.Seat) game.View {
	if s.failure != nil {
		return game.View{Seat: seat, Turn: s.turn, Context: json.RawMessage(`{}`)}
	}
	return s.now.view(seat)
}

// Check accepts the options of a seat to move, in any equivalent JSON notation.
func (s *state) Check(seat game.Seat, m game.Move) error {
	if !slices.Contains(s.ToMove(), seat) {
		return &game.IllegalMove{Seat: seat, Move: m, Why: "it is not this seat's turn"}
	}
	if _, ok := s.option(seat, m); !ok {
		return &game.IllegalMove{Seat: seat, Move: m, Why: "want " + listed(s.now.views[seat].Options)}
	}
	return nil
}

// option returns a move as the module writes it.
func (s *state) option(seat game.Seat, m game.Move) (json.RawMessage, bool) {
	text, ok := canonical(m)
	if !ok {
		return nil, false
	}
	option, ok := s.now.legal[seat][text]
	return option, ok
}

// listed shows some options in a sentence.
func listed(options []game.Move) string {
	const most, bytes = 12, 120
	var words []string
	long := 0
	for i, option := range options {
		if long += len(option); i == most || long > bytes {
			return fmt.Sprintf("one of the %d valid options", len(options))
		}
		words = append(words, string(option))
	}
	if len(words) == 1 {
		return words[0]
	}
	return "one of " + strings.Join(words, ", ")
}

// Apply sends the moves to the module. A failure of the module ends the match and is not returned as an error.
func (s *state) Apply(moves map[game.Seat]game.Move) error {
	if err := game.CheckMoves(s, moves); err != nil {
		return err
	}
	played := make([]json.RawMessage, s.seats)
	for i := range played {
		played[i] = json.RawMessage("null")
	}
	for seat, m := range moves {
		played[seat], _ = s.option(seat, m) // CheckMoves has seen that it is one
	}
	s.turn++
	s.step(request{Op: opApply, Seats: s.seats, State: s.now.state, Moves: played})
	return nil
}

// step requests the next position. Any error is stored as the module's failure.
func (s *state) step(r request) {
	next, err := s.next(r)
	if err == nil && next.outcome == nil && s.turn >= s.game.info.MaxTurns {
		err = failed("the match is not over after %d turns, the most that info says", s.turn)
	}
	if err != nil {
		s.failure = err
		return
	}
	s.now = next
}

// next calls the module until it returns a position. Each time that the module requests random numbers, the request is
// repeated with these.
func (s *state) next(r request) (*position, error) {
	r.Draws = []int{}
	for range maxAsking {
		var a answer
		if err := s.game.module.ask(r, &a); err != nil {
			return nil, err
		}
		switch {
		case a.Error != "":
			return nil, failed("it says %q", plain(a.Error))
		case len(a.Draw) == 0:
			return a.position(s.game.info, s.seats, s.turn)
		case len(r.Draws)+len(a.Draw) > maxDraws:
			return nil, failed("it asks for more than %d numbers in one step", maxDraws)
		}
		for _, highest := range a.Draw {
			if highest < 1 || highest > 1<<31-1 {
				return nil, failed("draw: want numbers of 1 or more, got %d", highest)
			}
			r.Draws = append(r.Draws, draw.Number(s.rng, highest))
		}
	}
	return nil, failed("it asks for chance more than %d times in one step", maxAsking)
}

// Outcome returns the result of the match. A match in which the module failed is a draw.
func (s *state) Outcome() (game.Outcome, bool) {
	if s.failure != nil {
		return game.Outcome{Scores: make([]int, s.seats), Reason: "the rules of the game failed: " + said(s.failure)}, true
	}
	if s.now.outcome == nil {
		return game.Outcome{}, false
	}
	out := *s.now.outcome
	out.Scores, out.Details = slices.Clone(out.Scores), maps.Clone(out.Details)
	for name, raw := range out.Details {
		out.Details[name] = slices.Clone(raw.(json.RawMessage))
	}
	return out, true
}

// Failed returns the module's failure, or nil.
func (s *state) Failed() error { return s.failure }

// said is the deterministic part of a failure.
func said(err error) string {
	if f := (*moduleError)(nil); errors.As(err, &f) {
		return f.What
	}
	return err.Error()
}

// plainReason is a reason in one line.
func plainReason(words string) string {
	if strings.ContainsAny(words, "\r\n") {
		return ""
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, words)
}
