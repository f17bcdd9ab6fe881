package game_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"math/rand/v2"
	"slices"
	"strconv"

	"agentleague/game"
)

// Game has the rules of Last Stone: from a pile of twelve stones two players in turn take one, two or three, and the
// player that takes the last stone wins. Its zero value is ready to use.
type Game struct{}

const (
	moveType = "take_stones" // the one thing a player is asked for
	stones   = 12            // in the pile at the start
	most     = 3             // that a player may take in one turn
)

// Info describes Last Stone.
func (Game) Info() game.Info {
	return game.Info{
		Type:   "last_stone",
		Name:   "Last Stone",
		Module: "laststone",
		Rules: "There is a pile of twelve stones. In turn each player takes some of them: a move is how many, 1, 2 or 3. The " +
			"one that takes the last stone wins.",
		MoveTypes:    []string{moveType},
		ValidChoices: map[string][]string{moveType: {"1-3"}},
		MinSeats:     2,
		MaxSeats:     2,
		MaxTurns:     stones, // if both players take one at a time
		SeatMatters:  true,

		GuestsMayJudge: true,
	}
}

// Start begins a match with a full pile. There is no chance in it, so that the generator is not used.
func (g Game) Start(seats int, _ *rand.Rand) (game.State, error) {
	if err := g.Info().CheckSeats(seats); err != nil {
		return nil, err
	}
	return &state{left: stones}, nil
}

// state is a match: the number of stones that are left, and the number of moves.
type state struct {
	left int
	turn int
}

// ToMove returns the seat that moves next, and none once the pile is empty.
func (s *state) ToMove() []game.Seat {
	if s.left == 0 {
		return nil
	}
	return []game.Seat{game.Seat(s.turn % 2)}
}

// View shows the pile to both seats, and the legal moves to the seat that moves next.
func (s *state) View(seat game.Seat) game.View {
	v := game.View{Seat: seat, Turn: s.turn, Context: json.RawMessage(fmt.Sprintf(`{"stones":%d}`, s.left))}
	if slices.Contains(s.ToMove(), seat) {
		v.Ask = moveType
		for n := 1; n <= min(most, s.left); n++ {
			v.Options = append(v.Options, game.Move(strconv.Itoa(n)))
		}
	}
	return v
}

// Check accepts a number of stones that the pile has, from the seat that moves next.
func (s *state) Check(seat game.Seat, m game.Move) error {
	return game.CheckMove(s, seat, m, s.taken)
}

// taken returns the number of stones that a move takes.
func (s *state) taken(m game.Move) (n int, err error) {
	if err := json.Unmarshal(m, &n); err != nil || n < 1 || n > min(most, s.left) {
		return 0, errors.New("want a number from 1 to " + strconv.Itoa(min(most, s.left)))
	}
	return n, nil
}

// Apply takes the stones.
func (s *state) Apply(moves map[game.Seat]game.Move) error {
	if err := game.CheckMoves(s, moves); err != nil {
		return err
	}
	for _, m := range moves { // there is one
		n, _ := s.taken(m) // CheckMoves has seen that it is a number
		s.left -= n
	}
	s.turn++
	return nil
}

// Outcome returns the player that took the last stone as the winner.
func (s *state) Outcome() (game.Outcome, bool) {
	if s.left > 0 {
		return game.Outcome{}, false
	}
	winner := (s.turn - 1) % 2
	scores := make([]int, 2)
	scores[winner] = 1
	return game.Outcome{Scores: scores, Reason: fmt.Sprintf("{%d} took the last stone", winner)}, true
}

// A match of the game in this file: each seat sees its view and plays one of its options until the match is over. A
// referee does the same, with players to choose the moves.
func Example() {
	s, err := Game{}.Start(2, nil)
	if err != nil {
		log.Fatal(err)
	}
	for len(s.ToMove()) > 0 {
		seat := s.ToMove()[0]
		v := s.View(seat)
		move := v.Options[len(v.Options)-1] // the most that it may take
		fmt.Printf("seat %d sees %s and takes %s\n", seat, v.Context, move)
		if err := s.Apply(map[game.Seat]game.Move{seat: move}); err != nil {
			log.Fatal(err)
		}
	}
	outcome, _ := s.Outcome()
	fmt.Println(outcome.Sentence([]string{"P01", "P02"}))
	// Output:
	// seat 0 sees {"stones":12} and takes 3
	// seat 1 sees {"stones":9} and takes 3
	// seat 0 sees {"stones":6} and takes 3
	// seat 1 sees {"stones":3} and takes 3
	// P02 took the last stone
}
