package league

import (
	"errors"
	"fmt"
	"iter"
	"time"

	"agentleague/protocol"
)

// NewState returns the state of a league whose log is empty.
func NewState() *State {
	return &State{
		registry: newRegistry(), Announced: map[Announced]bool{},
		rounds: rounds{
			Schedule: Ring{}, pairing: pairing{entries: map[string]entry{}}, Matches: map[string]*Match{}, of: map[string][]*Match{}, sums: map[string]protocol.Standing{},
		},
	}
}

// A foldable is one entry of a league's log in any storage. It consists of its number, from 1 without gaps, its hash,
// and the encoded events of one write, see [DecodeBatch].
type foldable interface {
	Line() (seq uint64, hash string, data []byte)
}

// Fold applies all entries of a league's log to an empty state and returns the result.
func Fold[L foldable](entries iter.Seq2[L, error]) (*State, error) {
	s := NewState()
	for e, err := range entries {
		if err != nil {
			return nil, err
		}
		if err := applyEntry(s, e); err != nil {
			seq, _, _ := e.Line()
			return nil, &LogError{int(seq), err}
		}
	}
	return s, nil
}

// applyEntry adds a line of the log to the state.
func applyEntry(s *State, l foldable) error {
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

// Written records that events, which were applied before, are in the log, in line number seq with that hash. The state
// keeps the hashes of the lines that the league publishes.
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
	if o, ok := orderOf(at, e); ok {
		s.Orders = append(s.Orders, o)
	}
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
		return s.upgrade(e)
	case Found:
		return s.withAgent(e.ID, s.endDisplacement)
	case Invited:
		return s.invite(e)
	case Registered:
		return s.register(at, e)
	case Readmitted:
		return s.readmit(at, e)
	case Renamed:
		return s.rename(e)
	case mergedEvent:
		return s.merge(e)
	case AgentState:
		return s.withAgent(e.ID, func(a *Agent) { a.changeState(e) })
	case DialectLearned:
		return s.withAgent(e.ID, func(a *Agent) { a.Dialect = e.Dialect })
	case StartOrdered:
		s.Ordered = true
	case Started:
		return s.start(at, e)
	case RoundPaired:
		return s.pair(e, s.Agents)
	case playerJoined:
		return s.join(e, s.Agents)
	case playerRested:
		return s.rest(e)
	case calendarSet:
		return s.timetable.set(e)
	case RoundOpened:
		s.timetable.begin(at)
		return s.openRound(at, e.Round)
	case MatchAssigned:
		return s.assign(e, s.Agents[e.Referee])
	case ResultRecorded:
		return s.record(at, &e, aside{})
	case leanResult:
		r := e.result()
		return s.record(at, &r, e.aside())
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

// MayFollowEnd reports whether an event may follow the end of the league in the log. Few may, because the hash of
// the line that ends the league is published.
func MayFollowEnd(e Event) bool {
	switch e.(type) {
	case Announced, Epoch:
		return true
	}
	return false
}

// followedEnd reports whether e may follow the end of the league in a log of a version without agent keys. Such
// versions also logged agents that registered again, and published no hash of the end.
func followedEnd(e Event) bool {
	switch e := e.(type) {
	case Registered:
		return e.Keyless()
	case AgentState, DialectLearned, Paused, Resumed, Drained:
		return true
	}
	return false
}

// create applies the first event of a log. It rejects the log of a newer version.
func (s *State) create(at time.Time, e Created) error {
	if err := checkSchema(e.Schema, e.ManagerKey); err != nil {
		return err
	}
	s.Created, s.CreatedAt, s.Schema, s.ManagerKey, s.scoring = e, at, e.Schema, e.ManagerKey, e.Scoring
	return s.setRules(e.Schema, e.Schedule)
}

// upgrade changes the league to a newer log schema. Earlier tokens of its native agents become invalid.
func (s *State) upgrade(e Upgraded) error {
	if e.Schema <= s.Schema {
		return fmt.Errorf("the log was upgraded from schema %d to %d", s.Schema, e.Schema)
	}
	if err := checkSchema(e.Schema, e.ManagerKey); err != nil {
		return err
	}
	if s.Started() && s.Created.PairedDraws && e.Schema >= FormatSchema {
		return errors.New("the log was upgraded, and the draws of its ring are paired")
	}
	s.ManagerKey = e.ManagerKey
	s.registry.upgrade(e.Schema)
	return s.setRules(e.Schema, e.Schedule)
}

// checkSchema returns an error for a schema that this program does not support, or for a missing or unexpected
// manager key.
func checkSchema(n int, managerKey string) error {
	switch {
	case n > FormatSchema:
		return fmt.Errorf("schema %d: %w", n, ErrNewer)
	case n >= 2:
		if err := protocol.CheckAgreementKey(managerKey); err != nil {
			return fmt.Errorf("manager_key: %w", err)
		}
	case managerKey != "":
		return fmt.Errorf("a log of schema %d has a manager_key", n)
	}
	return nil
}

// start fixes the initial players. The schedule of a fixed round robin is computed from them and never stored.
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
	s.StartedAt, s.field = at, e.Players
	s.registry.start()
	if s.rules == nil {
		s.Schedule = ringOf(s, e.Players)
		return nil
	}
	seeds := e.Seeds
	if len(seeds) == 0 {
		seeds = e.Players
	}
	if err := s.enter(seeds, e.Ratings, e.Deviations); err != nil || !ratesPairings(s) {
		return err
	}
	s.rateField(s.Agents)
	return nil
}

// record sets the result of a match, and updates the statistics of its players.
func (s *State) record(at time.Time, e *ResultRecorded, beside aside) error {
	m, err := s.rounds.record(at, e, beside, s.Agents)
	if err != nil {
		return err
	}
	s.registry.count(m, e, beside)
	return nil
}

// complete ends the league after the last round. It stores the revealed secret of the draws, with which readers of the
// log verify the commitment.
func (s *State) complete(at time.Time, e Completed) error {
	if !s.Started() || s.Completed() || s.RoundOpen || s.Round != s.Schedule.Rounds() || len(s.again) > 0 {
		return fmt.Errorf("the league was completed in round %d of %d", s.Round, s.TotalRounds())
	}
	s.CompletedAt, s.DrawSecret = at, e.DrawSecret
	return nil
}

// A LogError reports the line at which a log contradicts itself.
type LogError struct {
	Line int
	Err  error
}

func (e *LogError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns the cause, for errors.Is and errors.As.
func (e *LogError) Unwrap() error { return e.Err }

// changesTable reports whether an event may change the table. It returns false only for the frequent kinds of events
// that never change it.
func changesTable(e Event) bool {
	switch e.(type) {
	case Epoch, DialectLearned, MatchAssigned, Contested, Announced:
		return false
	}
	return true
}

// NewSummaryState returns the state of an empty log for a manager with many results in memory. Unlike [NewState], it drops data
// that is needed only to verify a result again, such as signatures.
func NewSummaryState() *State {
	s := NewState()
	s.lean = true
	return s
}
