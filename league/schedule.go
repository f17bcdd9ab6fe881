package league

import (
	"iter"

	"agentleague/format"
	"agentleague/protocol"
)

// A Schedule holds the pairings of a league by round, counted from 1. A [Ring] computes all of them from the players.
// A league in another format decides one round after the other; its schedule holds the rounds that were paired.
type Schedule interface {
	// Rounds returns the number of rounds whose pairings are known.
	Rounds() int
	// Round lists the pairings of a round, in the order of its matches; nil if they are unknown.
	Round(round int) []Pairing
	// Match returns the n-th match of a round, counted from 1.
	Match(round, n int) (Pairing, bool)
	// Byes lists the players with a bye in a round.
	Byes(round int) []string

	// meetings yields the matches with a result in the first rounds between players of a group, and possibly others.
	meetings(rounds playedRounds, groups []level) iter.Seq[Played]
}

// A Ring is a round robin that computes its pairings on demand.
//
// It uses the circle method: the first player has a fixed place, and the others form a ring that rotates by one place
// each round. The first player meets the one at the head of the ring; the others are paired by folding the rest of the
// ring. For an odd number of players the ring has an empty place, and the player paired with it has a bye.
type Ring struct {
	Players     []string // in the order of the ring
	Cycles      int
	SeatMatters bool // keep the ring's order of seats, to balance first seats
	SwapsLater  bool // swap the sides of all rounds but the first
	Limit       int  // play no more rounds than this; 0: all
}

// A Pairing names the two players of a match in the schedule.
type Pairing = format.Pairing

// ringSize returns the number of places in the schedule, including the empty one.
func (s Ring) ringSize() int { return (len(s.Players) + 1) / 2 * 2 }

// Rounds returns the number of rounds.
func (s Ring) Rounds() int {
	if len(s.Players) < 2 {
		return 0
	}
	rounds := (s.ringSize() - 1) * max(s.Cycles, 1)
	if s.Limit > 0 {
		rounds = min(rounds, s.Limit)
	}
	return rounds
}

// MatchesPerRound returns the number of matches in each round.
func (s Ring) MatchesPerRound() int { return len(s.Players) / 2 }

// Matches returns the total number of matches.
func (s Ring) Matches() int { return s.Rounds() * s.MatchesPerRound() }

// Round lists the pairings of a round, counted from 1.
func (s Ring) Round(round int) []Pairing {
	out := make([]Pairing, 0, s.MatchesPerRound())
	for n := range s.MatchesPerRound() {
		if p, ok := s.Match(round, n+1); ok {
			out = append(out, p)
		}
	}
	return out
}

// Match returns the n-th match of a round, both counted from 1.
func (s Ring) Match(round, n int) (Pairing, bool) {
	if round < 1 || round > s.Rounds() || n < 1 || n > s.MatchesPerRound() {
		return Pairing{}, false
	}
	places := s.ringSize()
	turn := (round - 1) % (places - 1)
	if fold := s.byeFold(turn); fold >= 0 && n-1 >= fold {
		n++ // the pair with the empty place has no number
	}
	a, b := s.fold(turn, n-1)
	if s.swapped(round, turn, n-1, a, b) {
		a, b = b, a
	}
	return Pairing{A: s.Players[a], B: s.Players[b]}, true
}

// FindMatch returns the players and the round of a match; ok is false if the schedule has no match with that id.
func FindMatch(s Schedule, id string) (p Pairing, round int, ok bool) {
	round, n, ok := protocol.ParseMatchID(id)
	if !ok {
		return Pairing{}, 0, false
	}
	p, ok = s.Match(round, n)
	return p, round, ok
}

// Byes returns the player without a match in a round, if there is one.
func (s Ring) Byes(round int) []string {
	if len(s.Players)%2 == 0 || round < 1 || round > s.Rounds() {
		return nil
	}
	turn := (round - 1) % (s.ringSize() - 1)
	a, b := s.fold(turn, s.byeFold(turn))
	return []string{s.Players[min(a, b)]}
}

// fold returns the indexes of the two players of pair i, from 0, after the ring has rotated turn times.
func (s Ring) fold(turn, i int) (a, b int) {
	ring := s.ringSize() - 1
	at := func(k int) int { return 1 + (k+turn)%ring }
	if i == 0 {
		return 0, at(0)
	}
	return at(i), at(ring - i)
}

// byeFold returns the number of the pair without a second player, so that the first has a bye, or -1 if there is none.
func (s Ring) byeFold(turn int) int {
	if len(s.Players)%2 == 0 {
		return -1
	}
	ring := s.ringSize() - 1
	place := ring - 1 - turn
	return min(place, ring-place)
}

// swapped reports whether the pair a, b, which is number fold of a round, swaps seats in that round. turn is the
// rotation of the ring.
func (s Ring) swapped(round, turn, fold, a, b int) bool {
	second := (round-1)/(s.ringSize()-1)%2 == 1 // every other cycle
	if s.SwapsLater && turn > 0 {
		second = !second
	}
	if !s.SeatMatters {
		return (a > b) != second
	}
	return (fold == 0 && turn%2 == 1) != second
}
