package league

import (
	"slices"
	"time"

	"agentleague/protocol"
)

// A Projector writes a view of a league outside its log, such as files or a page. The view is never read back.
type Projector interface {
	Project(Snapshot) error
}

// A Snapshot is an immutable view of a league at one moment.
type Snapshot struct {
	LeagueID        string
	State           string
	Paused          bool
	Version         int // results recorded
	RoundsCompleted int
	TotalRounds     int
	TotalMatches    int
	Standings       []protocol.Standing
	Rounds          []RoundView
	Agents          []AgentView
	Basis           protocol.Basis
	Seal            string
	Heads           []Head

	Holder, HolderVersion       string    // of the manager that took the log over last
	TableAt, RoundsAt, AgentsAt time.Time // of the newest event that each may have changed with
}

// A RoundView is the state of an opened round.
type RoundView struct {
	Round       int
	StartedAt   time.Time
	CompletedAt time.Time // zero while it is played
	Matches     []MatchView
	Byes        []string
	Summary     protocol.RoundSummary
}

// A MatchView is the state of a match in an opened round.
type MatchView struct {
	ID, A, B, Referee string
	Attempt           int
	Status            string // PENDING, or how it ended
	Winner            string
	Proof             string // the basis of the result; "": there is none
}

// An AgentView is the state of a registered agent.
type AgentView struct {
	Registered
	State, Why   string
	RegisteredAt time.Time
}

// Snapshot returns an immutable copy of the current state for display.
func (s *State) Snapshot() Snapshot {
	out := Snapshot{
		LeagueID: s.Created.LeagueID, State: s.Phase(s.Ordered), Paused: s.Paused, Version: s.Recorded,
		RoundsCompleted: s.Round,
		TotalRounds:     s.TotalRounds(), TotalMatches: s.TotalMatches(), Standings: s.Standings(),
		Basis: s.Basis(), Seal: s.Seal, Heads: slices.Clone(s.Heads), Holder: s.Holder, HolderVersion: s.HolderVersion,
		TableAt: s.changed.table, RoundsAt: s.changed.rounds, AgentsAt: s.changed.agents,
	}
	if s.RoundOpen {
		out.RoundsCompleted--
	}
	for round := 1; round <= s.Round; round++ {
		out.Rounds = append(out.Rounds, s.roundView(round))
	}
	for _, role := range []protocol.Role{protocol.RoleReferee, protocol.RolePlayer} {
		for _, a := range s.Roster(role) {
			out.Agents = append(out.Agents, AgentView{a.Registered, a.State, a.Why, a.RegisteredAt})
		}
	}
	return out
}

// RoundView returns the state of a round; ok is false if it was not opened yet.
func (s *State) RoundView(round int) (RoundView, bool) {
	if round < 1 || round > s.Round {
		return RoundView{}, false
	}
	return s.roundView(round), true
}

// roundView returns an immutable copy of an opened round.
func (s *State) roundView(round int) RoundView {
	v := RoundView{Round: round, StartedAt: s.opened[round-1], Byes: Byes(s, round), Summary: s.Summary(round)}
	if round <= len(s.closed) {
		v.CompletedAt = s.closed[round-1]
	}
	for _, m := range s.InRound(round) {
		view := MatchView{
			ID: m.ID, A: m.A, B: m.B, Referee: m.Attempt().Referee, Attempt: m.Attempt().Attempt, Status: "PENDING",
		}
		if m.Outcome != nil {
			view.Status, view.Winner = m.Outcome.Result.Status, m.Outcome.Result.Winner
			if !s.keyless {
				view.Proof = m.Proof
			}
		}
		v.Matches = append(v.Matches, view)
	}
	return v
}

// Byes lists the players with a bye in a round; it is never nil.
func Byes(s *State, round int) []string {
	return append([]string{}, s.Schedule.Byes(round)...)
}
