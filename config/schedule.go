package config

import (
	"cmp"
	"errors"
	"strings"

	"agentleague/format"
)

// Schedule defines the pairings and their number. See [format.Settings] for the meaning of the members.
type Schedule struct {
	Format string `json:"format"`
	Cycles int    `json:"cycles"`           // of a round robin: how often each pair meets
	Rounds int    `json:"rounds,omitempty"` // play at most this many; 0: as many as the format has
	// PairedDraws makes every second cycle repeat the draws of the one before, with seats swapped.
	PairedDraws bool `json:"paired_draws,omitempty"`

	Legs       int               `json:"legs,omitempty"` // matches of each pairing; in a round robin another name of cycles
	Seeding    string            `json:"seeding,omitempty"`
	Bye        string            `json:"bye,omitempty"`
	Late       format.Late       `json:"late,omitzero"`
	Gauntlet   format.Gauntlet   `json:"gauntlet,omitzero"`
	Knockout   format.Knockout   `json:"knockout,omitzero"`
	Ladder     format.Ladder     `json:"ladder,omitzero"`
	Withdrawal format.Withdrawal `json:"withdrawal,omitzero"`
}

// Formats returns the names of the formats.
func Formats() (names []string) {
	for _, name := range format.Names() {
		bare, _, _ := strings.Cut(name, "/")
		names = append(names, bare)
	}
	return names
}

// IsRoundRobin reports whether each pair of players meets.
func (v Schedule) IsRoundRobin() bool {
	bare, _, _ := strings.Cut(v.Format, "/")
	return bare == "" || bare == "round_robin"
}

// IsEndless reports whether the seasons of the league follow each other without an order: it is a ladder without a number
// of rounds.
func (v Schedule) IsEndless() bool {
	bare, _, _ := strings.Cut(v.Format, "/")
	return bare == "ladder" && v.Rounds == 0
}

// Meetings returns how often each pair of a round robin meets.
func (v Schedule) Meetings() int { return cmp.Or(v.Legs, v.Cycles) }

// Settings returns the rules of package format. In grading mode no player joins late, unless the settings say when.
func (v Schedule) Settings(strict bool) format.Settings {
	s := format.Settings{
		Format: v.Format, Rounds: v.Rounds, Legs: v.Legs, Seeding: v.Seeding, Bye: v.Bye, Late: v.Late,
		Gauntlet: v.Gauntlet, Knockout: v.Knockout, Ladder: v.Ladder, Withdrawal: v.Withdrawal,
	}
	if v.IsRoundRobin() {
		s.Legs = v.Meetings()
	}
	if strict && s.Late.Until == 0 && v.lateAllowed() {
		s.Late.Until = 1
	}
	return s
}

// lateAllowed reports whether the format has a rule for players that join late.
func (v Schedule) lateAllowed() bool {
	return format.Settings{Format: v.Format, Late: format.Late{Until: 1}}.Check() == nil
}

// check validates the schedule.
func (v Schedule) check(s *source) error {
	err := errors.Join(
		s.within("schedule.cycles", v.Cycles, 1, 1000),
		s.within("schedule.rounds", v.Rounds, 0, many),
		s.must(!v.PairedDraws || v.Meetings()%2 == 0, "schedule.paired_draws", v.PairedDraws,
			"false, or an even number of schedule.cycles"),
		s.must(!v.PairedDraws || v.IsRoundRobin(), "schedule.paired_draws", v.PairedDraws, "false, or the format round_robin"),
		s.must(v.Cycles == 1 || v.IsRoundRobin(), "schedule.cycles", v.Cycles, "1; use schedule.legs in this format"),
	)
	if wrong := v.Settings(false).Check(); wrong != nil {
		key, why, _ := strings.Cut(strings.TrimPrefix(wrong.Error(), "schedule."), " ")
		err = errors.Join(err, s.errorf("schedule."+strings.TrimSuffix(key, ":"), "%s", why))
	}
	return err
}
