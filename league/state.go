package league

import (
	"fmt"
	"slices"
	"time"

	"agentleague/protocol"
)

// A State is a league as its log tells it.
type State struct {
	Created     Created
	CreatedAt   time.Time
	Epoch       int
	Agents      map[string]*Agent
	Ordered     bool // the admin wants it to start
	StartedAt   time.Time
	Schedule    Schedule
	Round       int // the newest round; 0 before the first
	RoundOpen   bool
	Matches     map[string]*Match // of every round that was opened
	Recorded    int               // results
	Announced   map[Announced]bool
	Paused      bool
	CompletedAt time.Time
	DrawSecret  string

	names map[protocol.Role]map[string]*Agent
}

// An Agent is a player or a referee in the league.
type Agent struct {
	Registered
	Issued       int // the newest generation of its token
	State        string
	Why          string
	RegisteredAt time.Time
	Forfeits     int // in a row
}

// Live reports whether the agent can be counted on.
func (a *Agent) Live() bool {
	return a.State == protocol.AgentRegistered || a.State == protocol.AgentActive
}

// A Match is a match of an opened round.
type Match struct {
	ID       string
	Round    int
	A, B     string
	Assigned []MatchAssigned // every attempt, oldest first
	Outcome  *ResultRecorded
}

// Attempt returns the newest assignment, or the zero one.
func (m *Match) Attempt() MatchAssigned {
	if len(m.Assigned) == 0 {
		return MatchAssigned{}
	}
	return m.Assigned[len(m.Assigned)-1]
}

// NewState returns the state of a league whose log is empty.
func NewState() *State {
	return &State{
		Agents: map[string]*Agent{}, Matches: map[string]*Match{}, Announced: map[Announced]bool{},
		names: map[protocol.Role]map[string]*Agent{protocol.RolePlayer: {}, protocol.RoleReferee: {}},
	}
}

// Apply changes the state by one event. An error says that the log contradicts itself.
func (s *State) Apply(at time.Time, e Event) error {
	switch e := e.(type) {
	case Created:
		s.Created, s.CreatedAt = e, at
	case Epoch:
		s.Epoch++
	case Registered:
		s.register(at, e)
	case AgentState:
		return s.withAgent(e.ID, func(a *Agent) { a.State, a.Why = e.State, e.Why })
	case DialectLearned:
		return s.withAgent(e.ID, func(a *Agent) { a.Dialect = e.Dialect })
	case StartOrdered:
		s.Ordered = true
	case Started:
		return s.start(at, e)
	case RoundOpened:
		return s.openRound(e.Round)
	case MatchAssigned:
		return s.withMatch(e.Match, func(m *Match) error { m.Assigned = append(m.Assigned, e); return nil })
	case ResultRecorded:
		return s.record(e)
	case RoundClosed:
		return s.closeRound(e.Round)
	case Announced:
		s.Announced[e] = true
	case Paused:
		s.Paused = true
	case Resumed:
		s.Paused = false
	case Withdrawn:
		return s.withAgent(e.ID, func(a *Agent) { a.State, a.Why = protocol.AgentShutdown, "withdrawn" })
	case Completed:
		s.CompletedAt, s.DrawSecret = at, e.DrawSecret
	default:
		return fmt.Errorf("unknown event %T", e)
	}
	return nil
}

func (s *State) register(at time.Time, e Registered) {
	a := s.Agents[e.ID]
	if a == nil {
		a = &Agent{State: protocol.AgentRegistered}
		s.Agents[e.ID] = a
	} else {
		e.Nonce = a.Nonce // given once
		delete(s.names[a.Role], a.Name)
	}
	s.names[e.Role][e.Name] = a
	a.Registered, a.RegisteredAt = e, at
	a.Issued = max(a.Issued, e.Generation)
	if a.State == protocol.AgentSuspended {
		a.State, a.Why = s.standing(), ""
	}
}

// standing is the state of an agent in good order.
func (s *State) standing() string {
	if s.Started() {
		return protocol.AgentActive
	}
	return protocol.AgentRegistered
}

func (s *State) withAgent(id string, f func(*Agent)) error {
	a := s.Agents[id]
	if a == nil {
		return fmt.Errorf("event about %q, which never registered", id)
	}
	f(a)
	return nil
}

func (s *State) withMatch(id string, f func(*Match) error) error {
	m := s.Matches[id]
	if m == nil {
		return fmt.Errorf("event about match %q, whose round was never opened", id)
	}
	return f(m)
}

func (s *State) start(at time.Time, e Started) error {
	if s.Started() {
		return fmt.Errorf("the league was started twice")
	}
	for _, id := range e.Players {
		if s.Agents[id] == nil {
			return fmt.Errorf("the league was started with %q, which never registered", id)
		}
	}
	s.StartedAt = at
	s.Schedule = Schedule{Players: e.Players, Cycles: s.Created.Cycles, SeatMatters: s.Created.SeatMatters, Limit: s.Created.Rounds}
	for _, a := range s.Agents {
		if a.State == protocol.AgentRegistered {
			a.State = protocol.AgentActive
		}
	}
	return nil
}

func (s *State) openRound(round int) error {
	if s.RoundOpen || round != s.Round+1 || round > s.Schedule.Rounds() {
		return fmt.Errorf("round %d was opened after round %d of %d", round, s.Round, s.Schedule.Rounds())
	}
	s.Round, s.RoundOpen = round, true
	for n, p := range s.Schedule.Round(round) {
		id := protocol.MatchID(round, n+1)
		s.Matches[id] = &Match{ID: id, Round: round, A: p.A, B: p.B}
	}
	return nil
}

func (s *State) record(e ResultRecorded) error {
	return s.withMatch(e.Match, func(m *Match) error {
		if m.Outcome != nil {
			return fmt.Errorf("match %s was recorded twice", e.Match)
		}
		m.Outcome = &e
		s.Recorded++
		for _, id := range []string{m.A, m.B} {
			a := s.Agents[id]
			if _, forfeited := e.Result.Forfeits[id]; forfeited {
				a.Forfeits++
			} else {
				a.Forfeits = 0
			}
		}
		return nil
	})
}

func (s *State) closeRound(round int) error {
	if !s.RoundOpen || round != s.Round || len(s.Open()) > 0 {
		return fmt.Errorf("round %d was closed before its end", round)
	}
	s.RoundOpen = false
	return nil
}

// Started reports whether the schedule is fixed.
func (s *State) Started() bool { return !s.StartedAt.IsZero() }

// Completed reports whether the league is over.
func (s *State) Completed() bool { return !s.CompletedAt.IsZero() }

// InRound lists the matches of an opened round in their order.
func (s *State) InRound(round int) (out []*Match) {
	for n := range s.Schedule.MatchesPerRound() {
		if m := s.Matches[protocol.MatchID(round, n+1)]; m != nil {
			out = append(out, m)
		}
	}
	return out
}

// Open lists the matches of the open round that have no result.
func (s *State) Open() (out []*Match) {
	if !s.RoundOpen {
		return nil
	}
	for _, m := range s.InRound(s.Round) {
		if m.Outcome == nil {
			out = append(out, m)
		}
	}
	return out
}

// Roster lists the agents of a role by their ids.
func (s *State) Roster(role protocol.Role) (out []*Agent) {
	for _, a := range s.Agents {
		if a.Role == role {
			out = append(out, a)
		}
	}
	slices.SortFunc(out, func(a, b *Agent) int { return protocol.CompareIDs(a.ID, b.ID) })
	return out
}

// Players lists who plays: those of the schedule, or before it exists those who may.
func (s *State) Players() (ids []string) {
	if s.Started() {
		return s.Schedule.Players
	}
	for _, a := range s.Roster(protocol.RolePlayer) {
		if a.State != protocol.AgentShutdown {
			ids = append(ids, a.ID)
		}
	}
	return ids
}

// Results lists the recorded matches in the order of the schedule.
func (s *State) Results() (out []Played) {
	for round := 1; round <= s.Round; round++ {
		for _, m := range s.InRound(round) {
			if m.Outcome != nil {
				out = append(out, Played{m.A, m.B, m.Outcome.Result})
			}
		}
	}
	return out
}

// Standings is the table as it stands.
func (s *State) Standings() []protocol.Standing {
	return Standings(s.Players(), s.name, s.Results(), s.Created.Scoring, s.Created.Tiebreakers)
}

func (s *State) name(id string) string {
	if a := s.Agents[id]; a != nil {
		return a.Name
	}
	return ""
}

// Phase is the state of the league in the protocol's words. Starting tells
// that registration has ended and the schedule is being made.
func (s *State) Phase(starting bool) string {
	switch {
	case s.Completed():
		return protocol.LeagueIsCompleted
	case s.Started():
		return protocol.RunningLeague
	case starting:
		return protocol.CreatingSchedule
	}
	return protocol.WaitingForRegistrations
}

// Fold makes the state of a league from its log.
func Fold(entries func(yield func(data []byte, err error) bool)) (*State, error) {
	s := NewState()
	for data, err := range entries {
		if err != nil {
			return nil, err
		}
		if err := s.applyBatch(data); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *State) applyBatch(data []byte) error {
	at, events, err := DecodeBatch(data)
	if err != nil {
		return err
	}
	for _, e := range events {
		if err := s.Apply(at, e); err != nil {
			return err
		}
	}
	return nil
}
