package server

import (
	"fmt"

	"agentleague/seat"
)

// Limits on the seats of one process: in all, and per client address. The configuration has that per address in one
// league. They admit a class behind one address, and prevent one address from taking all seats.
const (
	maxSeats          = 256
	maxSeatsAtAddress = 128 // unless more are configured for one league
)

// add adds a seat. At a limit it first removes abandoned seats, and returns an error if that does not help.
func (s *seats) add(t *seat.Seat) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.room(t)
	if err != nil {
		s.clear()
		err = s.room(t)
	}
	if err == nil {
		s.taken[t.Key] = t
	}
	return err
}

// room returns an error if a limit is reached. The caller holds the lock.
func (s *seats) room(t *seat.Seat) error {
	address, here := 0, 0
	for _, other := range s.taken {
		if other.Saved.Address == t.Saved.Address {
			address++
			if other.League == t.League {
				here++
			}
		}
	}
	const own = "join with an agent of your own, such as `league seat` or `league player`"
	const instead = "leave one of them, " + own + ", or ask the organiser for a larger security.seats_per_address in config/system.json"
	switch {
	case len(s.taken) >= maxSeats:
		return fmt.Errorf("all %d seats are taken; "+own, maxSeats)
	case here >= s.perAddress:
		return fmt.Errorf("your address has %d seats in this league already; %s", here, instead)
	case address >= max(maxSeatsAtAddress, s.perAddress):
		return fmt.Errorf("your address has %d seats already; %s", address, instead)
	}
	return nil
}

// clear stops and removes the seats of finished leagues and of withdrawn players. The caller holds the lock.
func (s *seats) clear() {
	for key, old := range s.taken {
		if s.leagues[old.League].done(old.PlayerID()) {
			old.Stop()
			delete(s.taken, key)
		}
	}
}
