package gametest

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"

	"agentleague/game"
	"agentleague/game/draw"
)

// A record is a match as it was played.
type record struct {
	steps   []step
	outcome game.Outcome
}

// A step holds the views of all seats before a step, and the moves made in it.
type step struct {
	views []game.View
	moves map[game.Seat]game.Move
}

// A chooser returns the moves of all seats to move.
type chooser func(position) map[game.Seat]game.Move

// checkMatch plays a match, checks every law in every position, and replays the match from its record.
func checkMatch(g game.Game, seed int, seen texts, shown public) error {
	played, err := play(g, seed, randomMoves(seed), func(p position) error {
		if err := checkPosition(p); err != nil {
			return err
		}
		return errors.Join(seen.look(p), shown.lookAll(p))
	})
	if err != nil {
		return err
	}
	replayed, err := play(g, seed, movesOf(played), func(position) error { return nil })
	if err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	if !reflect.DeepEqual(replayed, played) {
		return fmt.Errorf("replay differs from play: got %+v, want %+v", replayed, played)
	}
	if g.Info().GuestsMayJudge {
		if err := checkLateChance(g, seed, played); err != nil {
			return err
		}
	}
	return checkSealed(played)
}

// play starts the match of a seed and plays it to its end. It calls look before every step.
func play(g game.Game, seed int, choose chooser, look func(position) error) (record, error) {
	p, err := start(g, seed)
	if err != nil {
		return record{}, err
	}
	var r record
	for ; p.turn <= p.info.MaxTurns; p.turn++ {
		if err := look(p); err != nil {
			return r, fmt.Errorf("turn %d: %w", p.turn, err)
		}
		if outcome, over := p.state.Outcome(); over {
			r.outcome = outcome
			return r, nil
		}
		now := step{views: p.views(), moves: choose(p)}
		if err := p.apply(now.moves); err != nil {
			return r, fmt.Errorf("turn %d: %w", p.turn, err)
		}
		r.steps = append(r.steps, now)
	}
	return r, fmt.Errorf("no outcome after %d turns, want one", p.info.MaxTurns)
}

// start begins the match of a seed. Consecutive seeds cycle through the numbers of seats.
func start(g game.Game, seed int) (position, error) {
	info := g.Info()
	seats := info.MinSeats + seed%(info.MaxSeats-info.MinSeats+1)
	s, err := g.Start(seats, rngOf(seed))
	if err != nil {
		return position{}, fmt.Errorf("start: a match with %d seats is refused: %w", seats, err)
	}
	return position{info: info, seats: seats, state: s}, nil
}

// rngOf returns the random source of the match of a seed.
func rngOf(seed int) *rand.Rand {
	key := sha256.Sum256(fmt.Appendf(nil, "gametest\n%d", seed))
	return draw.New(key[:])
}

// randomMoves returns a chooser of random options.
func randomMoves(seed int) chooser {
	bot := rand.New(rand.NewPCG(uint64(seed), 0))
	return func(p position) map[game.Seat]game.Move { return p.moves(bot.IntN) }
}

// movesOf returns a chooser that repeats the moves of a record, and returns nil after its end.
func movesOf(r record) chooser {
	return func(p position) map[game.Seat]game.Move {
		if p.turn >= len(r.steps) {
			return nil
		}
		return r.steps[p.turn].moves
	}
}

// checkSealed requires that every detail of the outcome is new: no view before the end
// contains a field with the same name and value. Headings of a board are excepted.
func checkSealed(r record) error {
	details, _ := decode(r.outcome.Details).(map[string]any)
	delete(details, "board_rows")
	delete(details, "board_columns")
	for turn, now := range r.steps {
		for _, v := range now.views {
			if name := shared(decode(v), details); name != "" {
				return fmt.Errorf("turn %d: seat %d sees the outcome's %q before the end", turn, v.Seat, name)
			}
		}
	}
	return nil
}

// shared returns the name of a field at any depth of v that details also contains with the same value, or "".
func shared(v any, details map[string]any) string {
	switch v := v.(type) {
	case []any:
		for _, element := range v {
			if name := shared(element, details); name != "" {
				return name
			}
		}
	case map[string]any:
		for name, value := range v {
			if d := details[name]; d != nil && reflect.DeepEqual(d, value) {
				return name
			}
			if name := shared(value, details); name != "" {
				return name
			}
		}
	}
	return ""
}

// decode returns v after a round trip through JSON. Earlier checks ensure that v can be encoded.
func decode(v any) (out any) {
	b, _ := json.Marshal(v)
	_ = json.Unmarshal(b, &out)
	return out
}
