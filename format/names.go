package format

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// formats lists all formats; of several versions the newest comes first.
var formats = []Format{roundRobin{}, swiss{}, gauntlet{}, knockout{}, ladder{}}

// ByName returns the format of a name with its version, or the newest version of a name without.
func ByName(name string) (Format, bool) {
	for _, f := range formats {
		if bare, _, _ := strings.Cut(f.Name(), "/"); name == f.Name() || name == bare {
			return f, true
		}
	}
	return nil, false
}

// Names returns the names of all formats with their versions.
func Names() (names []string) {
	for _, f := range formats {
		names = append(names, f.Name())
	}
	return names
}

// Seeds returns the players' ids in the order of the seeds by s.Seeding: by Seed, or by rating, or by lot.
func Seeds(s Settings, f Field) (ids []string) {
	players := f.sorted()
	switch s.Seeding {
	case "rating":
		slices.SortStableFunc(players, func(a, b Player) int { return cmp.Compare(b.Rating, a.Rating) })
	case "lot":
		lots := map[string]uint64{}
		for _, p := range players {
			lots[p.ID] = f.draw("seed " + p.ID)
		}
		slices.SortStableFunc(players, func(a, b Player) int { return cmp.Compare(lots[a.ID], lots[b.ID]) })
	}
	for _, p := range players {
		ids = append(ids, p.ID)
	}
	return ids
}

// Discounted returns the players whose matches the table must ignore, because they left before half of the rounds. In a
// format without a fixed number of rounds there are none.
func Discounted(s Settings, f Field) (ids []string) {
	of, _ := ByName(either(s.Format, "round_robin"))
	m, ok := of.(interface{ length(*history) int })
	if !ok {
		return nil
	}
	h := newHistory(s, f)
	rounds := m.length(h)
	for _, p := range h.players {
		if h.discounted(p, rounds) {
			ids = append(ids, p.ID)
		}
	}
	return ids
}

// Filled returns the settings with all defaults that do not depend on the number of players, and the format's name
// with its version. Where seats matter, a pairing of a Swiss league or a knockout has two legs. The settings of an
// unknown format are returned as they are.
func (s Settings) Filled(seatsMatter bool) Settings {
	f, ok := ByName(either(s.Format, "round_robin"))
	if !ok {
		return s
	}
	s.Format = f.Name()
	legs := 1
	if seatsMatter {
		legs = 2
	}
	switch f.(type) {
	case swiss:
		s.Legs, s.Bye = either(s.Legs, legs), either(s.Bye, "win")
	case knockout:
		s.Knockout.BestOf = either(s.Knockout.BestOf, legs)
		s.Knockout.Decide = either(s.Knockout.Decide, "seed")
	case ladder:
		s.Ladder.RestAfter = either(s.Ladder.RestAfter, 3)
		s.Ladder.Season, s.Ladder.Matches = either(s.Ladder.Season, "month"), either(s.Ladder.Matches, maxRounds)
	case gauntlet:
		s.Gauntlet.Challengers = either(s.Gauntlet.Challengers, 1)
	}
	s.Seeding = either(s.Seeding, "roster")
	s.Legs, s.Bye = either(s.Legs, 1), either(s.Bye, "zero")
	s.Late.Missed = either(s.Late.Missed, "zero")
	s.Withdrawal.BeforeHalf = either(s.Withdrawal.BeforeHalf, "discount")
	return s
}

// Check returns an error if the format is unknown or refuses the settings.
func (s Settings) Check() error {
	s.Format = either(s.Format, "round_robin")
	f, ok := ByName(s.Format)
	if !ok {
		return fmt.Errorf("schedule.format: unknown format %q, want one of %s", s.Format, strings.Join(Names(), ", "))
	}
	return f.Check(s)
}
