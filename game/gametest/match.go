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

// A step is the view of every seat, and the moves of those to move.
type step struct {
	views []game.View
	moves map[game.Seat]game.Move
}

// A chooser picks the moves of all seats that are to move.
type chooser func(position) map[game.Seat]game.Move

// checkMatch plays a match under the laws, then again from its record.
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

// play starts the match of a seed and plays it to its end, checking each position first.
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

// start begins the match of a seed. Seeds go through every number of seats.
func start(g game.Game, seed int) (position, error) {
	info := g.Info()
	seats := info.MinSeats + seed%(info.MaxSeats-info.MinSeats+1)
	s, err := g.Start(seats, rngOf(seed))
	if err != nil {
		return position{}, fmt.Errorf("start: a match with %d seats is refused: %w", seats, err)
	}
	return position{info: info, seats: seats, state: s}, nil
}

// rngOf returns the chance of the match of a seed.
func rngOf(seed int) *rand.Rand {
	key := sha256.Sum256(fmt.Appendf(nil, "gametest\n%d", seed))
	return draw.New(key[:])
}

// randomMoves plays any of the options that a seat is offered.
func randomMoves(seed int) chooser {
	bot := rand.New(rand.NewPCG(uint64(seed), 0))
	return func(p position) map[game.Seat]game.Move { return p.moves(bot.IntN) }
}

// movesOf plays a recorded match's moves again, and none beyond its end.
func movesOf(r record) chooser {
	return func(p position) map[game.Seat]game.Move {
		if p.turn >= len(r.steps) {
			return nil
		}
		return r.steps[p.turn].moves
	}
}

// checkSealed wants every detail of the outcome to be news: no view before the end
// holds a field of the same name and value. The headings of a board are no news.
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

// shared returns the name of a field anywhere in v that details holds too, or "".
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

// decode returns v as its JSON reads. The laws have seen that it encodes.
func decode(v any) (out any) {
	b, _ := json.Marshal(v)
	_ = json.Unmarshal(b, &out)
	return out
}
