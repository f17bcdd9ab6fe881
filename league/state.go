package league

import (
	"slices"
	"strconv"
	"time"

	"agentleague/protocol"
)

// A State is the state of a league, as derived from its log.
type State struct {
	registry

	Created    Created
	CreatedAt  time.Time
	ManagerKey string // agreement key of the manager; "": schema 1
	Epoch      int    // counts the managers that have opened the log
	Holder     string // the last manager to take over the log
	// HolderVersion is the version of that manager; "": a version that did not log it, whose documents state the time
	// of writing.
	HolderVersion string
	Ordered       bool               // the admin wants it to start
	StartedAt     time.Time          // zero: not yet
	Schedule      Schedule           // follows from the players; never stored
	Round         int                // the newest round; 0 before the first
	RoundOpen     bool               // whether the round that Round names is being played
	Matches       map[string]*Match  // of every round that was opened
	Recorded      int                // results
	Announced     map[Announced]bool // the broadcasts that were sent
	Paused        bool
	CompletedAt   time.Time // zero: not yet
	Cancelled     bool      // it ended by order, before its last match
	DrawSecret    string    // "": it is not revealed yet
	Orders        []Order   // the admin's orders, oldest first
	Seal          string    // the hash of the first line of the log: of the rules and the commitments
	Heads         []Head    // the published hashes of the log, oldest first

	at      time.Time // of the newest event
	changed changes
	tables  int // counts the events that may have changed the table

	lean   bool                // see newLean
	newest []*Match            // that were recorded, the last at the end
	rounds [][]*Match          // the matches of each round that was opened, in their order
	left   int                 // matches of the open round without a result
	walked [][]*Match          // of each round, those that were won because the opponent had left
	moved  []*Match            // of the open round, those that had more than one referee
	of     map[string][]*Match // the matches of each player, in the order of the rounds
	opened []time.Time         // when each round was
	closed []time.Time
	told   []*Match                     // those with a result, in the order of their results
	sums   map[string]protocol.Standing // the sums of each player's matches in closed rounds, see sums.go

	keyless  bool     // the log was written by a version without agent keys
	again    []*Match // annulled ones of closed rounds that have no result yet
	annulled int      // results that were struck
	basis    protocol.Basis
}

// A Head is a line of the log with a published hash: a change of any line up to it changes the hash.
type Head struct {
	What  string // started, round, completed or cancelled
	Round int
	Hash  string
}

// A Match is a match of an opened round.
type Match struct {
	ID       string
	Round    int
	A, B     string
	Assigned []MatchAssigned // every attempt, oldest first
	Outcome  *ResultRecorded // nil: it is not over, or it was annulled
	EndedAt  time.Time       // when the result was recorded
	Proof    string          // the basis of the result; "": there is none
	Hosted   bool            // a player was one of the manager's process when the result was recorded
	Against  []Contested     // contests of the result
	Annulled int             // how often its result was struck
	void     int             // attempts up to this one no longer count
}

// Attempt returns the newest assignment that counts, or the zero one.
func (m *Match) Attempt() MatchAssigned {
	if len(m.Assigned) <= m.void {
		return MatchAssigned{}
	}
	return m.Assigned[len(m.Assigned)-1]
}

// next returns the number of the match's next attempt.
func (m *Match) next() int { return len(m.Assigned) + 1 }

// DrawName returns the name of the match in the formula of its draw key.
func (m *Match) DrawName() string { return protocol.DrawName(m.ID, m.Annulled) }

// Opponent returns the other player.
func (m *Match) Opponent(id string) string {
	if m.A == id {
		return m.B
	}
	return m.A
}

// Points returns a player's points in the match so far.
func (m *Match) Points(id string, scoring protocol.Scoring) int {
	if m.Outcome == nil {
		return 0
	}
	return m.Outcome.Result.Points(id, scoring)
}

// TableVersion changes with every event that may change the table. It identifies a table of the same State only.
func (s *State) TableVersion() int { return s.tables }

// Started reports whether the schedule is fixed.
func (s *State) Started() bool { return !s.StartedAt.IsZero() }

// Completed reports whether the league is over.
func (s *State) Completed() bool { return !s.CompletedAt.IsZero() }

// InRound lists the matches of an opened round in their order.
func (s *State) InRound(round int) []*Match {
	if round < 1 || round > len(s.rounds) {
		return nil
	}
	return s.rounds[round-1]
}

// newestMost is how many of the newest results are remembered in their order.
const newestMost = 32

// Newest lists the matches that were recorded last, the newest first, up to 32.
func (s *State) Newest() []*Match {
	out := slices.Clone(s.newest)
	slices.Reverse(out)
	return out
}

// MatchesOf lists a player's matches of every round that was opened, in the order of the rounds.
func (s *State) MatchesOf(id string) []*Match { return s.of[id] }

// Open lists the matches that wait for a result: those of the open round, and
// those of earlier ones that are played again.
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
		return s.Schedule.Players
	}
	for _, a := range s.roster[protocol.RolePlayer] {
		if a.State != protocol.AgentShutdown && !a.LostPlace() {
			ids = append(ids, a.ID)
		}
	}
	return ids
}

// draft returns the schedule, of the players registered so far if the league has not started.
func (s *State) draft() Schedule {
	if s.Started() {
		return s.Schedule
	}
	return s.schedule(s.Players())
}

// schedule returns the league's schedule with these players.
func (s *State) schedule(players []string) Schedule {
	return Schedule{Players: players, Cycles: s.Created.Cycles, SeatMatters: s.Created.SeatMatters,
		Limit: s.Created.Rounds}
}

// ResultsSince lists the matches with a result in the order in which they came,
// without the first n.
func (s *State) ResultsSince(n int) []*Match {
	return slices.Clone(s.told[min(max(n, 0), len(s.told)):])
}

// resultsUntil lists the results of the rounds up to one, in the order of the schedule.
func (s *State) resultsUntil(round int) []Played {
	return slices.AppendSeq(make([]Played, 0, s.Recorded), s.until(round).all())
}

// Phase returns the state of the league in the protocol's terms. Starting means that registration has ended and the
// schedule is under construction.
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

// Key names an attempt.
func (a MatchAssigned) Key() string { return a.Match + "#" + strconv.Itoa(a.Attempt) }

// At returns the time of the newest event.
func (s *State) At() time.Time { return s.at }

// Left returns the number of matches of the open round without a result.
func (s *State) Left() int { return s.left }

// Reassigned lists the matches of the open round, and those that are played again, that had more than one referee.
func (s *State) Reassigned() []*Match { return s.moved }

// Walkovers lists the matches of a round that were won because the opponent had left the league.
func (s *State) Walkovers(round int) []*Match {
	if round < 1 || round > len(s.walked) {
		return nil
	}
	return s.walked[round-1]
}

// An Order is something that the admin had done.
type Order struct {
	At   time.Time
	What string // created, enlisted, start, pause, resume, drain, cancel, withdraw, invite, readmit, rename, merge or annul
	ID   string // of the agent or match that it is about, if it is about one
	By   string // the requesting user; "": not in the log
}

// Head returns the newest published head, or the zero one before the league starts.
func (s *State) Head() Head {
	if len(s.Heads) == 0 {
		return Head{}
	}
	return s.Heads[len(s.Heads)-1]
}

// HeadOf returns the hash of the line that closed a round; 0: that of the start.
func (s *State) HeadOf(round int) string {
	for _, h := range s.Heads {
		if h.Round == round && (h.What == "round" || h.What == "started") {
			return h.Hash
		}
	}
	return ""
}
