package league

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"agentleague/protocol"
)

// NewState returns the state of a league whose log is empty.
func NewState() *State {
	return &State{
		registry: newRegistry(), Matches: map[string]*Match{}, Announced: map[Announced]bool{}, of: map[string][]*Match{},
		sums: map[string]protocol.Standing{},
	}
}

// A Line is one entry of a league's log, in any storage: its number, counted from 1 without gaps, its hash, and the
// events that were written at once, as [DecodeBatch] reads them.
type Line interface {
	Line() (seq uint64, hash string, data []byte)
}

// Fold makes the state of a league from its log.
func Fold[L Line](entries iter.Seq2[L, error]) (*State, error) {
	s := NewState()
	for e, err := range entries {
		if err != nil {
			return nil, err
		}
		if err := s.applyEntry(e); err != nil {
			seq, _, _ := e.Line()
			return nil, &LogError{int(seq), err}
		}
	}
	return s, nil
}

// applyEntry adds a line of the log to the state.
func (s *State) applyEntry(l Line) error {
	seq, hash, data := l.Line()
	at, events, err := DecodeBatch(data)
	if err != nil {
		return err
	}
	for _, e := range events {
		if err := s.Apply(at, e); err != nil {
			return err
		}
	}
	s.Written(seq, hash, events)
	return nil
}

// Written records that applied events are in the log, in the line of that number and hash. The state keeps the hashes
// that the league publishes.
func (s *State) Written(seq uint64, hash string, events []Event) {
	if seq == 1 {
		s.Seal = hash
	}
	for _, e := range events {
		switch e := e.(type) {
		case Started:
			s.Heads = append(s.Heads, Head{"started", 0, hash})
		case RoundClosed:
			s.Heads = append(s.Heads, Head{"round", e.Round, hash})
		case Completed:
			s.Heads = append(s.Heads, Head{"completed", 0, hash})
		case Cancelled:
			s.Heads = append(s.Heads, Head{"cancelled", 0, hash})
		}
	}
}

// Apply changes the state by one event. It returns an error if the log contradicts itself; the state is invalid
// afterwards.
func (s *State) Apply(at time.Time, e Event) error {
	at = at.UTC().Round(0) // as the log has it: replay equals play
	if _, first := e.(Created); first != s.CreatedAt.IsZero() {
		return fmt.Errorf("a league is created once, before all else: %T", e)
	}
	if s.Completed() && !MayFollowEnd(e) && !(s.keyless && followedEnd(e)) {
		return fmt.Errorf("%s after the end of the league", Kind(e))
	}
	if at.Before(s.at) {
		return fmt.Errorf("time runs backwards: %s at %s, after an event at %s", Kind(e), at.Format(time.RFC3339Nano),
			s.at.Format(time.RFC3339Nano))
	}
	s.at = at
	s.note(at, e)
	s.changed.by(at, e)
	if changesTable(e) {
		s.tables++
	}
	switch e := e.(type) {
	case Created:
		return s.create(at, e)
	case Epoch:
		s.Epoch++
		s.Holder, s.HolderVersion = e.Holder, e.Version
	case Upgraded:
		return upgrade(s, e)
	case Found:
		return s.withAgent(e.ID, s.found)
	case Invited:
		return s.invite(e)
	case Registered:
		return s.register(at, e)
	case Readmitted:
		return takeBack(s, at, e)
	case Renamed:
		return rename(s, e)
	case Merged:
		return merge(s, e)
	case AgentState:
		return s.withAgent(e.ID, func(a *Agent) { a.turn(e) })
	case DialectLearned:
		return s.withAgent(e.ID, func(a *Agent) { a.Dialect = e.Dialect })
	case StartOrdered:
		s.Ordered = true
	case Started:
		return s.start(at, e)
	case RoundOpened:
		return s.openRound(at, e.Round)
	case MatchAssigned:
		return s.assign(e)
	case ResultRecorded:
		return s.record(at, e, aside{})
	case leanResult:
		return s.record(at, e.result(), e.aside())
	case Contested:
		return s.contest(e)
	case Annulled:
		return s.annul(e)
	case RoundClosed:
		return s.closeRound(at, e.Round)
	case Announced:
		s.Announced[e] = true
	case Paused:
		s.Paused = true
	case Resumed:
		s.Paused = false
	case Drained: // the manager alone acts on it
	case Withdrawn:
		return s.withAgent(e.ID, func(a *Agent) { a.State, a.Why = protocol.AgentShutdown, "withdrawn" })
	case Completed:
		return s.complete(at, e)
	case Cancelled:
		s.CompletedAt, s.DrawSecret, s.Cancelled = at, e.DrawSecret, true
	default:
		return fmt.Errorf("unknown event %T", e)
	}
	return nil
}

// MayFollowEnd reports whether an event may follow the end of the league in the log. Few may: the hash of the last
// line is published.
func MayFollowEnd(e Event) bool {
	switch e.(type) {
	case Announced, Epoch:
		return true
	}
	return false
}

// followedEnd reports whether managers of keyless logs also wrote an event after the end: agents came back, and nobody
// had received a hash of the end.
func followedEnd(e Event) bool {
	switch e := e.(type) {
	case Registered:
		return e.Keyless()
	case AgentState, DialectLearned, Paused, Resumed, Drained:
		return true
	}
	return false
}

// create begins the league. A log that a newer version began is refused as a whole rather than half understood.
func (s *State) create(at time.Time, e Created) error {
	if err := checkSchema(e.Schema, e.ManagerKey); err != nil {
		return err
	}
	s.Created, s.CreatedAt, s.Schema, s.ManagerKey = e, at, e.Schema, e.ManagerKey

	return nil
}

// upgrade continues the league under a newer schema. Earlier token agreements of its native agents become invalid.
func upgrade(s *State, e Upgraded) error {
	if e.Schema <= s.Schema {
		return fmt.Errorf("the log was upgraded from schema %d to %d", s.Schema, e.Schema)
	}
	if err := checkSchema(e.Schema, e.ManagerKey); err != nil {
		return err
	}
	s.Schema, s.ManagerKey = e.Schema, e.ManagerKey
	for _, a := range s.Agents {
		a.Outdated = a.Native()
	}
	return nil
}

// checkSchema returns an error for a schema that this program does not read, or that lacks the key it has to have.
func checkSchema(n int, managerKey string) error {
	switch {
	case n > Schema:
		return fmt.Errorf("schema %d: a newer version wrote this log", n)
	case n >= 2:
		if err := protocol.CheckAgreementKey(managerKey); err != nil {
			return fmt.Errorf("manager_key: %w", err)
		}
	case managerKey != "":
		return fmt.Errorf("a log of schema %d has a manager_key", n)
	}
	return nil
}

// register adds an agent, or moves an existing one. A name belongs to one agent; before the start a foreign agent
// yields it to a native one and gets another name.
func (s *State) register(at time.Time, e Registered) error {
	a, names := s.Agents[e.ID], s.names[e.Role]
	if e.Keyless() { // every referee of this program was the organizer's
		s.keyless, e.Organiser = true, e.MatchTokens && e.Role == protocol.RoleReferee
	}
	if names == nil || a != nil && a.Role != e.Role {
		return fmt.Errorf("%q registered as a %q", e.ID, e.Role)
	}
	if err := yieldName(s, a, e); err != nil {
		return err
	}
	if err := s.mayRegister(a, e, s.Started()); err != nil {
		return err
	}
	if a == nil {
		a = &Agent{State: protocol.AgentRegistered}
		s.Agents[e.ID] = a
		at, _ := slices.BinarySearchFunc(s.roster[e.Role], e.ID, func(a *Agent, id string) int {
			return protocol.CompareIDs(a.ID, id)
		})
		s.roster[e.Role] = slices.Insert(s.roster[e.Role], at, a)
	} else {
		e.Nonce = a.Nonce // given once
		if a.Name != e.Name && !e.Native() {
			a.Renames++
		}
		s.unsettle(a)
	}
	names.rename(a, e.Name)
	a.Registered, a.RegisteredAt, a.Heir, a.Displaced, a.Outdated = e, at, nil, "", false
	s.settle(a)
	a.Issued = max(a.Issued, e.Generation)
	if a.State == protocol.AgentSuspended {
		a.State, a.Why = s.goodOrder(), ""
	}
	for s.Agents[protocol.AgentID(e.Role, s.free[e.Role])] != nil {
		s.free[e.Role]++
	}
	return nil
}

// yieldName makes the agents that have the name of a registration give it up, or returns an error if one of them need
// not. An agent that keeps its name, or has it by invitation, may look like another in logs that began with schema 1.
func yieldName(s *State, a *Agent, e Registered) error {
	for _, other := range slices.Clone(s.namesakes(e.Role, e.Name)) {
		switch kept := a != nil && a.Name == e.Name || e.Invitation == e.Name; {
		case other == a || kept && other.Name != e.Name:
		case !yields(other, e, s.Started()):
			return fmt.Errorf("%q registered under the name of %s", e.ID, other.ID)
		default:
			s.names[e.Role].rename(other, s.freeName(e.Role, e.Name))
		}
	}
	return nil
}

// goodOrder is the state of an agent with which all is well.
func (s *State) goodOrder() string {
	if s.Started() {
		return protocol.AgentActive
	}
	return protocol.AgentRegistered
}

// start fixes the players. The schedule follows from them and is never stored.
func (s *State) start(at time.Time, e Started) error {
	if s.Started() {
		return errors.New("the league was started twice")
	}
	seen := map[string]bool{}
	for _, id := range e.Players {
		if a := s.Agents[id]; a == nil || a.Role != protocol.RolePlayer || seen[id] {
			return fmt.Errorf("the league was started with %q, which is no player or is there twice", id)
		}
		seen[id] = true
	}
	s.StartedAt, s.Schedule = at, s.schedule(e.Players)
	for _, a := range s.Agents {
		if a.State == protocol.AgentRegistered {
			a.State = protocol.AgentActive
		}
	}
	return nil
}

// openRound begins the round after the last one, with all of its matches.
func (s *State) openRound(at time.Time, round int) error {
	if s.RoundOpen || round != s.Round+1 || round > s.Schedule.Rounds() {
		return fmt.Errorf("round %d was opened after round %d of %d", round, s.Round, s.Schedule.Rounds())
	}
	s.Round, s.RoundOpen = round, true
	pairs := s.Schedule.Round(round)
	all, matches := make([]Match, len(pairs)), make([]*Match, len(pairs)) // they live as long as each other
	for n, p := range pairs {
		m := &all[n]
		*m = Match{ID: protocol.MatchID(round, n+1), Round: round, A: p.A, B: p.B}
		s.Matches[m.ID], matches[n] = m, m
		s.of[m.A], s.of[m.B] = append(s.of[m.A], m), append(s.of[m.B], m)
	}
	s.rounds, s.opened = append(s.rounds, matches), append(s.opened, at)
	s.left, s.moved, s.walked = len(matches), slices.Clone(s.again), append(s.walked, nil)
	return nil
}

// open returns a match that waits for its result.
func (s *State) open(id string) (*Match, error) {
	switch m := s.Matches[id]; {
	case m == nil:
		return nil, fmt.Errorf("event about match %q, whose round was never opened", id)
	case m.Outcome != nil:
		return nil, fmt.Errorf("event about match %s, which has been recorded", id)
	default:
		return m, nil
	}
}

// assign gives a match to a referee. Attempts are counted without a gap, so that each has one referee.
func (s *State) assign(e MatchAssigned) error {
	m, err := s.open(e.Match)
	if err != nil {
		return err
	}
	if ref := s.Agents[e.Referee]; ref == nil || ref.Role != protocol.RoleReferee {
		return fmt.Errorf("match %s was assigned to %q, which is no referee", m.ID, e.Referee)
	}
	if e.Attempt != m.next() {
		return fmt.Errorf("match %s: attempt %d was assigned after attempt %d", m.ID, e.Attempt, m.next()-1)
	}
	m.Assigned = append(m.Assigned, e)
	if e.Attempt > 1 && !slices.Contains(s.moved, m) {
		s.moved = append(s.moved, m)
	}
	return nil
}

// record settles a match. Only a referee that the match was assigned to can have reported it; attempt 0 is the
// manager's own, of an unplayable match.
func (s *State) record(at time.Time, e ResultRecorded, beside aside) error {
	m, err := s.open(e.Match)
	if err != nil {
		return err
	}
	if e.Attempt != 0 &&
		(e.Attempt <= m.void || !slices.Contains(m.Assigned, MatchAssigned{e.Match, e.Referee, e.Attempt})) {
		return fmt.Errorf("match %s: attempt %d was never assigned to %q", m.ID, e.Attempt, e.Referee)
	}
	if w := e.Result.Winner; w != "" && w != m.A && w != m.B {
		return fmt.Errorf("match %s of %s and %s was won by %q", m.ID, m.A, m.B, w)
	}
	m.Outcome, m.EndedAt, m.Proof = s.kept(e), at, restsOn(s, m, &e, beside)
	m.Hosted = s.Agents[m.A].Hosted() || s.Agents[m.B].Hosted()
	s.basis = counted(s.basis, m, 1)
	s.newest = append(s.newest[max(0, len(s.newest)+1-newestMost):], m)
	s.told = append(s.told, m)
	s.Recorded++
	if i := slices.Index(s.again, m); i >= 0 {
		s.again = slices.Delete(s.again, i, i+1)
		s.sumAnew(m)
	} else {
		s.left--
	}
	if e.Attempt == 0 && e.Result.Winner != "" {
		s.walked[m.Round-1] = append(s.walked[m.Round-1], m)
	}
	for _, id := range []string{m.A, m.B} {
		a := s.Agents[id]
		code, forfeited := e.Result.Forfeits[id]
		if forfeited {
			a.Forfeits++
		} else {
			a.Forfeits = 0
		}
		a.Unreachable = code == protocol.Connection.Code
		if t, ok := beside.timingOf(&e, id); ok {
			a.Timing = a.Timing.Plus(t)
			if ref := s.Agents[e.Referee]; ref != nil {
				ref.Timing = ref.Timing.Plus(t)
			}
		}
	}
	return nil
}

// closeRound ends the round once all of its matches are settled, and adds it up for good.
func (s *State) closeRound(at time.Time, round int) error {
	if !s.RoundOpen || round != s.Round || s.left > 0 {
		return fmt.Errorf("round %d was closed before its end", round)
	}
	s.sumRound(round)
	s.RoundOpen, s.closed = false, append(s.closed, at)
	return nil
}

// complete ends the league after the last round and reveals the secret of the draws, so that any reader can verify
// the commitment.
func (s *State) complete(at time.Time, e Completed) error {
	if !s.Started() || s.Completed() || s.RoundOpen || s.Round != s.Schedule.Rounds() || len(s.again) > 0 {
		return fmt.Errorf("the league was completed in round %d of %d", s.Round, s.Schedule.Rounds())
	}
	s.CompletedAt, s.DrawSecret = at, e.DrawSecret
	return nil
}

// A LogError names the line at which a log contradicts itself.
type LogError struct {
	Line int
	Err  error
}

func (e *LogError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns why.
func (e *LogError) Unwrap() error { return e.Err }
