package format

import "fmt"

// joinable returns an error if a round is too late to join a league with a number of pairings of these legs.
func (h *history) joinable(pairings, legs int) error {
	until := either(h.Late.Until, (pairings+1)/2)
	if now := (h.Round-1)/legs + 1; now > until {
		return fmt.Errorf("round %d is too late to join: players may join up to round %d", h.Round, max(until*legs, 1))
	}
	return nil
}

// discounted reports whether a player left before half of the rounds, and its matches then do not count.
func (h *history) discounted(p Player, rounds int) bool {
	return p.gone(h.Round) && h.Withdrawal.BeforeHalf != "keep" && 2*(p.Left-1) < rounds
}
