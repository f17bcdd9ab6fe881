package gametest

import (
	"fmt"

	"agentleague/game"
)

// Hidden information must not show in views. Only the game knows which part of a match
// is hidden, but two laws hold for every game:
//
//	a spectator knows no more than any seat:  one view of a seat ─▶ one view of a spectator
//	a seat does not know another's secret:    one view of a seat ─▶ several views of another, if that one has secrets
//
// The compared matches have the same moves under different keys.

// openings is the number of keys under which a match is begun to compare the views of its chance.
const openings = 64

// checkOpenings requires that initial chance is visible only to its owners.
func checkOpenings(g game.Game) error {
	info := g.Info()
	for seats := info.MinSeats; seats <= info.MaxSeats; seats++ {
		var begun []position
		for key := range openings {
			s, err := g.Start(seats, rngOf(-1-key)) // no match of this suite has that key
			if err != nil {
				return fmt.Errorf("start: %w", err)
			}
			begun = append(begun, position{info: info, seats: seats, state: s})
		}
		if err := secretsStay(begun, seats); err != nil {
			return fmt.Errorf("the opening: %w", err)
		}
	}
	return nil
}

// secretsStay compares positions that differ only in their chance. It returns an error if a view reveals the secret of
// another seat.
func secretsStay(all []position, seats int) error {
	for a := range game.Seat(seats) {
		seen := public{}
		for _, p := range all {
			if err := seen.look(p, a); err != nil {
				return err
			}
		}
		for b := range game.Seat(seats) {
			if a != b && varies(all, b, -1) && !varies(all, b, -1, a) {
				return fmt.Errorf("what seat %d alone may know follows from what seat %d sees", b, a)
			}
		}
	}
	return nil
}

// varies reports whether seat has different views in positions in which the views of all viewers are equal.
func varies(all []position, seat game.Seat, viewers ...game.Seat) bool {
	sees := map[string]string{}
	for _, p := range all {
		looks, own := "", string(p.state.View(seat).Context)
		for _, viewer := range viewers {
			looks += string(p.state.View(viewer).Context) + "\n"
		}
		if before, known := sees[looks]; known && before != own {
			return true
		}
		sees[looks] = own
	}
	return false
}

// public maps the views of the seats to that of a spectator, over all matches of a suite.
type public map[string]string

// lookAll calls look for every seat. It skips a finished match, in which everything is public.
func (s public) lookAll(p position) error {
	if len(p.state.ToMove()) == 0 {
		return nil
	}
	for seat := range game.Seat(p.seats) {
		if err := s.look(p, seat); err != nil {
			return err
		}
	}
	return nil
}

// look requires that equal views of seat imply equal views of a spectator.
func (s public) look(p position, seat game.Seat) error {
	key, now := fmt.Sprintf("%d %d %s", p.seats, seat, p.state.View(seat).Text()), string(p.state.View(-1).Context)
	if before, known := s[key]; known && before != now {
		return fmt.Errorf("a spectator sees more than seat %d: %s and %s, when the seat sees %s", seat, before, now, key)
	}
	s[key] = now
	return nil
}
