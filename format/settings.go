package format

import (
	"fmt"
	"slices"
	"strings"
)

// Settings is the member "schedule" of a league's settings. The zero value is a round robin. [Settings.Filled] fills in
// the defaults.
type Settings struct {
	Format     string     `json:"format,omitempty"`  // a name of [Names], or without its version; empty: round_robin
	Rounds     int        `json:"rounds,omitempty"`  // pairings, not legs; 0: the format's own number
	Legs       int        `json:"legs,omitempty"`    // matches of a pairing; 0: 1, or 2 in swiss where seats matter
	Seeding    string     `json:"seeding,omitempty"` // roster, rating or lot; empty: roster
	Bye        string     `json:"bye,omitempty"`     // worth of a bye: win, draw or zero; empty: win in swiss, else zero
	Late       Late       `json:"late,omitzero"`
	Gauntlet   Gauntlet   `json:"gauntlet,omitzero"`
	Knockout   Knockout   `json:"knockout,omitzero"`
	Ladder     Ladder     `json:"ladder,omitzero"`
	Withdrawal Withdrawal `json:"withdrawal,omitzero"`
}

// Late has the rules for players that join after the start.
type Late struct {
	Until  int    `json:"until,omitempty"`  // the last pairing to join with; 0: half of them; 1: none joins late
	Missed string `json:"missed,omitempty"` // the worth of each missed pairing: zero, half or win; empty: zero
}

// Gauntlet has the settings of a gauntlet.
type Gauntlet struct {
	Challengers int `json:"challengers,omitempty"` // the first seeds, which play all others; 0: 1
}

// Knockout has the settings of a knockout.
type Knockout struct {
	BestOf     int    `json:"best_of,omitempty"` // legs of a pair; 0: 1, or 2 where seats matter
	Extra      int    `json:"extra,omitempty"`   // more legs of a pair that is level after them
	Decide     string `json:"decide,omitempty"`  // a pair that is level after the extra legs: seed or lot; empty: seed
	ThirdPlace bool   `json:"third_place,omitempty"`
}

// Ladder has the settings of a ladder. The caller applies them.
type Ladder struct {
	RestAfter int    `json:"rest_after,omitempty"` // consecutive forfeits after which a player rests; 0: 3
	Season    string `json:"season,omitempty"`     // without rounds, the end of a season: month or none; empty: month
	Matches   int    `json:"matches,omitempty"`    // without rounds, the matches of a season at most; 0: 100,000
	Anchors   bool   `json:"anchors,omitempty"`    // the ratings of built-in players do not move
}

// Withdrawal has the rule for players that leave.
type Withdrawal struct {
	BeforeHalf string `json:"before_half,omitempty"` // matches of a player that left: discount or keep; empty: discount
}

const (
	maxLegs   = 1000
	maxBestOf = 99
	maxRounds = 100_000
)

// either returns a, or b if a is the zero value.
func either[T comparable](a, b T) T {
	var zero T
	if a == zero {
		return b
	}
	return a
}

// check returns an error for a wrong value, and for a value of a member that the format does not have.
func check(s Settings, without ...string) error {
	for _, m := range []struct {
		name string
		set  bool
	}{
		{"rounds", s.Rounds != 0}, {"legs", s.Legs > 1}, {"bye", s.Bye != "" && s.Bye != "zero"},
		{"late", s.Late.Until != 0 || s.Late.Missed != "" && s.Late.Missed != "zero"},
		{"gauntlet", s.Gauntlet != Gauntlet{}}, {"knockout", s.Knockout != Knockout{}}, {"ladder", s.Ladder != Ladder{}},
		{"withdrawal", s.Withdrawal.BeforeHalf == "keep"},
	} {
		if m.set && slices.Contains(without, m.name) {
			return fmt.Errorf("schedule.%s has no effect in the format %s: remove it", m.name, s.Format)
		}
	}
	return checkValues(s)
}

// checkValues checks the values of all members.
func checkValues(s Settings) error {
	for _, c := range []struct {
		name, value string
		allowed     []string
	}{
		{"seeding", s.Seeding, []string{"roster", "rating", "lot"}},
		{"bye", s.Bye, []string{"win", "draw", "zero"}},
		{"late.missed", s.Late.Missed, []string{"zero", "half", "win"}},
		{"knockout.decide", s.Knockout.Decide, []string{"seed", "lot"}},
		{"ladder.season", s.Ladder.Season, []string{"month", "none"}},
		{"withdrawal.before_half", s.Withdrawal.BeforeHalf, []string{"discount", "keep"}},
	} {
		if c.value != "" && !slices.Contains(c.allowed, c.value) {
			return fmt.Errorf("schedule.%s: want one of %s, got %q", c.name, strings.Join(c.allowed, ", "), c.value)
		}
	}
	for _, c := range []struct {
		name       string
		value, max int
	}{
		{"rounds", s.Rounds, maxRounds}, {"legs", s.Legs, maxLegs}, {"late.until", s.Late.Until, maxRounds},
		{"gauntlet.challengers", s.Gauntlet.Challengers, maxRounds},
		{"knockout.best_of", s.Knockout.BestOf, maxBestOf}, {"knockout.extra", s.Knockout.Extra, maxBestOf},
		{"ladder.rest_after", s.Ladder.RestAfter, maxRounds}, {"ladder.matches", s.Ladder.Matches, maxRounds},
	} {
		if c.value < 0 || c.value > c.max {
			return fmt.Errorf("schedule.%s: want 0 to %d, got %d", c.name, c.max, c.value)
		}
	}
	return nil
}

// clamped returns the settings with all numbers within their bounds.
func (s Settings) clamped() Settings {
	s.Rounds = min(max(s.Rounds, 0), maxRounds)
	s.Legs = min(max(s.Legs, 1), maxLegs)
	s.Late.Until = min(max(s.Late.Until, 0), maxRounds)
	s.Gauntlet.Challengers = max(s.Gauntlet.Challengers, 1)
	s.Knockout.BestOf = min(max(s.Knockout.BestOf, 1), maxBestOf)
	s.Knockout.Extra = min(max(s.Knockout.Extra, 0), maxBestOf)
	return s
}
