// Package game is the contract between a referee and the rules of a game.
//
// The referee handles seats, views and moves; the rules give them their meaning.
// Both are independent of networks, clocks and the names of players.
//
//	Game ─Start─▶ State ─▶ ToMove ─▶ View ─▶ (a player chooses) ─▶ Check ─▶ Apply ─┐
//	                ▲                                                              │
//	                └──────────────────── until Outcome ◀──────────────────────────┘
//
// A new game implements [Game] and [State], passes gametest.Run, and is one row
// in package catalog.
package game

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
)

// A Seat identifies a player of a match, counted from 0.
type Seat int

// A Move is one seat's choice, in JSON that the game defines.
type Move = json.RawMessage

// A Game holds the rules from which matches are started. It has no mutable state
// and is safe for concurrent use.
type Game interface {
	// Info describes the game. The caller owns the result and may change it.
	Info() Info
	// Start begins a match. It returns an error for a number of seats outside of Info's bounds.
	// All randomness of the match comes from rng, by draw.Number, so that the
	// same key and the same moves reproduce the match.
	Start(seats int, rng *rand.Rand) (State, error)
}

// Info describes a game to leagues, players and the page.
type Info struct {
	Type         string              // wire name, such as "even_odd"
	Name         string              // name for people, such as "Even/Odd"
	Module       string              // package of the rules, such as "evenodd"
	Rules        string              // all rules in one paragraph, for a player without prior knowledge
	MoveTypes    []string            // every Ask that a View may carry
	ValidChoices map[string][]string // for each move type, its choices as a person writes them
	MinSeats     int                 // fewest seats a match has
	MaxSeats     int                 // most seats a match has
	MaxTurns     int                 // the maximum number of calls of Apply in a match
	SeatMatters  bool                // whether the seats have different chances or moves

	// GuestsMayJudge allows third-party referees. It requires that early knowledge of chance or of another's move does
	// not help a player, and that all chance comes after the last move, so that the manager can draw it. The seat to
	// move, the views and the legal moves must then never depend on chance.
	GuestsMayJudge bool
}

// CheckSeats returns an error if the number of seats is outside the bounds of the game.
func (i Info) CheckSeats(seats int) error {
	if seats >= i.MinSeats && seats <= i.MaxSeats {
		return nil
	}
	if i.MinSeats == i.MaxSeats {
		return fmt.Errorf("%s: %d seats, want %d", i.Type, seats, i.MinSeats)
	}
	return fmt.Errorf("%s: %d seats, want %d to %d", i.Type, seats, i.MinSeats, i.MaxSeats)
}

// A State is one match in progress. It is not safe for concurrent use. The caller owns the results of its methods and
// keeps the arguments of Apply.
type State interface {
	// ToMove returns the seats that must move next: several if moves are simultaneous,
	// none if the match is over.
	ToMove() []Seat
	// View returns everything that seat may know and, when it is to move, its legal moves. For a seat outside the match
	// it returns a spectator's view.
	View(seat Seat) View
	// Check returns an [*IllegalMove] unless seat may play m now. It does not change the state.
	Check(seat Seat, m Move) error
	// Apply plays one move for every seat in ToMove. If a move is missing, illegal, or of
	// another seat, it returns an error and does not change the state; see [CheckMoves].
	Apply(moves map[Seat]Move) error
	// Outcome returns the result and true, or false while the match is in progress.
	Outcome() (Outcome, bool)
}

// A View is a match as one seat sees it.
type View struct {
	Seat    Seat            `json:"seat"`
	Turn    int             `json:"turn"`                    // calls of Apply so far
	Ask     string          `json:"move_type,omitempty"`     // kind of move wanted; empty when not to move
	Options []Move          `json:"valid_options,omitempty"` // moves that Check accepts; empty when not to move
	Context json.RawMessage `json:"context"`                 // the visible state, in the game's own JSON
}

// Text returns the view as one line, which a player signs together with its
// move. It is deterministic: the same position always has the same text.
func (v View) Text() string {
	b, _ := json.Marshal(v) // the laws of gametest want JSON in every view
	return string(b)
}
