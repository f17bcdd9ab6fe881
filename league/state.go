package league

import (
	"slices"
	"time"

	"agentleague/protocol"
)

// A State is the state of a league, derived from its log: its agents, its rounds, and the facts of the league itself.
type State struct {
	registry
	rounds
	timetable

	Created    Created
	CreatedAt  time.Time
	ManagerKey string // agreement key of the manager; "": schema 1
	Epoch      int    // counts the managers that have opened the log
	Holder     string // the last manager to take over the log
	// HolderVersion is the version of the manager that took over the log last, or "" if that version did not log it.
	// Documents of such old versions state the time of writing.
	HolderVersion string
	Ordered       bool               // the admin wants it to start
	StartedAt     time.Time          // zero: not yet
	Announced     map[Announced]bool // the broadcasts that were sent
	Paused        bool
	CompletedAt   time.Time // zero: not yet
	Cancelled     bool      // it ended by order, before its last match
	DrawSecret    string    // "": it is not revealed yet
	Orders        []Order   // the admin's orders, oldest first
	Seal          string    // the hash of the first line of the log: of the rules and the commitments
	Heads         []Head    // the published hashes of the log, oldest first

	decided decided
	at      time.Time // of the newest event
	changed changes
	tables  int // counts the events that may have changed the table
}

// A Head is the published hash of a log line, which covers all lines up to that one.
type Head struct {
	What  string // started, round, completed or cancelled
	Round int
	Hash  string
}

// TableVersion returns a number that changes with every event that may change the table. It is comparable only
// within the same State.
func (s *State) TableVersion() int { return s.tables }

// Started reports whether the schedule is fixed.
func (s *State) Started() bool { return !s.StartedAt.IsZero() }

// Completed reports whether the league is over.
func (s *State) Completed() bool { return !s.CompletedAt.IsZero() }

// Open lists the matches without a result: those of the open round, and annulled ones of earlier rounds.
func (s *State) Open() (out []*Match) {
	if s.Completed() {
		return nil // the open matches of a cancelled league are not played
	}
	if !s.RoundOpen || s.left == 0 {
		return slices.Clone(s.again)
	}
	out = append(make([]*Match, 0, s.left+len(s.again)), s.again...)
	for _, m := range s.InRound(s.Round) {
		if m.Outcome == nil {
			out = append(out, m)
		}
	}
	return out
}

// Players lists the players: those of the schedule, or before the start the eligible ones.
func (s *State) Players() (ids []string) {
	if s.Started() {
		return s.field
	}
	for _, a := range s.roster[protocol.RolePlayer] {
		if a.State != protocol.AgentShutdown && !a.LostPlace() {
			ids = append(ids, a.ID)
		}
	}
	return ids
}

// Draft returns the schedule of the league. Before the start it returns the schedule that would result from the players
// registered so far.
func (s *State) Draft() Schedule {
	if s.Started() {
		return s.Schedule
	}
	if s.rules != nil {
		return pairedRounds{}
	}
	return ringOf(s, s.Players())
}

// TotalRounds returns the number of rounds of the league, or the number so far if the total is unknown.
func (s *State) TotalRounds() int {
	n, _ := horizon(s)
	return n
}

// OpenEnd reports whether the total number of rounds is unknown, as in a ladder.
func (s *State) OpenEnd() bool {
	_, known := horizon(s)
	return !known
}

// horizon returns the total number of rounds; if that is unknown, known is false and rounds is the number so far.
func horizon(s *State) (rounds int, known bool) {
	if s.rules == nil || s.Completed() || !s.Started() {
		return s.Schedule.Rounds(), s.rules == nil || s.Started()
	}
	n, known := s.format().Horizon(*s.rules, bareField(s, s.Round+1, nil))
	if !known {
		return s.Schedule.Rounds(), false
	}
	return max(n, s.Schedule.Rounds()), true
}

// MayContinue reports whether a round may follow a closed one.
func MayContinue(s *State, round int) bool {
	if s.rules == nil {
		return round < s.Schedule.Rounds()
	}
	return round < s.Round || !s.Completed()
}

// TotalMatches returns the number of matches of the league, as far as its rounds are known. For a round that is not
// paired yet it assumes the current number of players.
func (s *State) TotalMatches() int {
	if s.rules == nil {
		return s.Schedule.Rounds() * (len(s.field) / 2)
	}
	n := len(s.Matches)
	if rounds, known := horizon(s); known && !s.Completed() && s.Round > 0 {
		n += (rounds - s.Round) * len(s.InRound(s.Round))
	}
	return n
}

// ringOf returns the round-robin schedule of players by the league's settings.
func ringOf(s *State, players []string) Ring {
	return Ring{Players: players, Cycles: s.Created.Cycles, SeatMatters: s.Created.SeatMatters,
		SwapsLater: s.Created.SwapsLaterRounds, Limit: s.Created.Rounds}
}

// Phase returns the state of the league in the protocol's terms. starting means that registration has ended and the
// schedule is being created.
func (s *State) Phase(starting bool) string {
	switch {
	case s.Cancelled:
		return protocol.LeagueIsCancelled
	case s.Completed():
		return protocol.LeagueIsCompleted
	case s.Started():
		return protocol.RunningLeague
	case starting:
		return protocol.CreatingSchedule
	}
	return protocol.WaitingForRegistrations
}

// At returns the time of the newest event.
func (s *State) At() time.Time { return s.at }

// Head returns the newest published head, or the zero one before the league starts.
func (s *State) Head() Head {
	if len(s.Heads) == 0 {
		return Head{}
	}
	return s.Heads[len(s.Heads)-1]
}

// HeadOf returns the hash of the line that closed a round; for round 0, of the line that started the league.
func (s *State) HeadOf(round int) string {
	for _, h := range s.Heads {
		if h.Round == round && (h.What == "round" || h.What == "started") {
			return h.Hash
		}
	}
	return ""
}

// changes holds the times of the last events that may have changed the table, the rounds and the agents. Documents that
// are derived from the log show these times, so that they can be reproduced.
type changes struct{ table, rounds, agents time.Time }

// by records that event e happened at time at.
func (c *changes) by(at time.Time, e Event) {
	switch e.(type) {
	case Created:
		*c = changes{at, at, at}
	case Epoch, AgentState, DialectLearned, Readmitted:
		c.agents = at
	case Registered, Withdrawn, playerJoined:
		c.agents, c.table = at, at
	case Started, Cancelled:
		c.table = at
	case playerRested:
		c.agents = at
	case calendarSet:
		c.rounds = at
	case MatchAssigned, Contested, RoundPaired:
		c.rounds = at
	case RoundOpened, ResultRecorded, leanResult, Annulled, RoundClosed:
		c.rounds, c.table = at, at
	}
}
