package duel

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"

	"agentleague/game"
	"agentleague/game/draw"
)

// Openings describes the first moves of games, which are drawn at random. Without an opening, two deterministic players
// would repeat the same game. The zero value leaves all moves to the players.
type Openings struct {
	Moves int           // number of random legal moves
	Lines [][]game.Move // or one of these
}

// UsualOpenings returns the default openings of a game. Games with chance or hidden information need none.
func UsualOpenings(g game.Game) Openings {
	if _, open := g.(game.Resumer); !open {
		return Openings{}
	}
	return Openings{Moves: max(2, g.Info().MaxTurns/10)}
}

// ReadOpenings reads a file with one opening per line, each a JSON array of moves such as [3, 3, 4]. It returns an
// error for an illegal opening and for an empty file.
func ReadOpenings(r io.Reader, g game.Game) (o Openings, err error) {
	for d := json.NewDecoder(r); ; {
		var line []game.Move
		if err := d.Decode(&line); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return o, fmt.Errorf("opening %d: want an array of moves, such as [3, 3, 4]: %w", len(o.Lines)+1, err)
		}
		if _, err := begun(g, line); err != nil {
			return o, fmt.Errorf("opening %d: %w", len(o.Lines)+1, err)
		}
		o.Lines = append(o.Lines, line)
	}
	if len(o.Lines) == 0 {
		return o, errors.New("there is no opening in it")
	}
	return o, nil
}

// Begin returns the position after the opening of the game whose draw has that key, in hex.
func (o Openings) Begin(g game.Game, key string) (game.State, error) {
	raw, err := hex.DecodeString(key)
	if err != nil {
		return nil, err
	}
	state, _, err := o.start(g, draw.New(raw))
	return state, err
}

// start begins a game and makes its first moves.
func (o Openings) start(g game.Game, rng *rand.Rand) (state game.State, moves []game.Move, err error) {
	if len(o.Lines) > 0 {
		moves = o.Lines[rng.IntN(len(o.Lines))]
		state, err = begun(g, moves)
		return state, moves, err
	}
	for range 100 { // an opening that ends the game is discarded
		if state, err = g.Start(2, rng); err != nil {
			return nil, nil, err
		}
		for moves = nil; len(moves) < o.Moves && len(state.ToMove()) == 1; {
			seat := state.ToMove()[0]
			options := state.View(seat).Options
			move := options[rng.IntN(len(options))]
			if err := state.Apply(map[game.Seat]game.Move{seat: move}); err != nil {
				return nil, nil, err
			}
			moves = append(moves, move)
		}
		if _, over := state.Outcome(); !over {
			return state, moves, nil
		}
	}
	return nil, nil, fmt.Errorf("every opening of %d moves ends the game", o.Moves)
}

// begun returns the position after some moves. It returns an error if a move is illegal or ends the game.
func begun(g game.Game, moves []game.Move) (game.State, error) {
	state, err := g.Start(2, rand.New(rand.NewPCG(0, 0)))
	if err != nil {
		return nil, err
	}
	for i, move := range moves {
		turn := state.ToMove()
		if len(turn) != 1 {
			return nil, fmt.Errorf("move %d: no single player is to move", i+1)
		}
		if err := state.Apply(map[game.Seat]game.Move{turn[0]: move}); err != nil {
			return nil, fmt.Errorf("move %d: %w", i+1, err)
		}
	}
	if _, over := state.Outcome(); over {
		return nil, errors.New("the game is over after it")
	}
	return state, nil
}

// An opened game begins with an opening.
type opened struct {
	game.Game
	Openings
}

// Start begins a match with a random opening.
func (g opened) Start(seats int, rng *rand.Rand) (game.State, error) {
	if err := g.Info().CheckSeats(seats); err != nil {
		return nil, err
	}
	state, _, err := g.start(g.Game, rng)
	return state, err
}
