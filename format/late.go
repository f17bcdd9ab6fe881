package format

import "fmt"

// A measured format has a number of rounds that follows from the settings and the initial field.
type measured interface {
	length(h *history) int
}

// length returns the number of rounds for the initial field, or 0 if the format does not fix it.
func (h *history) length() int {
	f, _ := ByName(h.Format)
	if m, ok := f.(measured); ok {
		return m.length(h)
	}
	return 0
}

// joinable returns an error if a round is too late to join a league with a number of pairings of these legs.
func (h *history) joinable(pairings, legs int) error {
	until := either(h.Late.Until, (pairings+1)/2)
	if now := (h.Round-1)/legs + 1; now > until {
		return fmt.Errorf("round %d is too late to join: players may join up to round %d", h.Round, max(until*legs, 1))
	}
	return nil
}

// discounted reports whether a player left before half of the rounds of the initial field, and its matches then do not
// count.
func (h *history) discounted(p Player) bool {
	if !p.gone(h.Round) || h.Withdrawal.BeforeHalf == "keep" {
		return false
	}
	return 2*(p.Left-1) < h.length()
}

// clamped returns the settings with all numbers within their bounds.
func (s Settings) clamped() Settings {
	s.Rounds = min(max(s.Rounds, 0), maxRounds)
	s.Legs = min(max(s.Legs, 1), maxLegs)
	s.Late.Until = min(max(s.Late.Until, 0), maxRounds)
	s.Gauntlet.Challengers = max(s.Gauntlet.Challengers, 1)
	s.Knockout.BestOf = min(max(s.Knockout.BestOf, 1), maxLegs)
	s.Knockout.Extra = min(max(s.Knockout.Extra, 0), maxLegs)
	return s
}
