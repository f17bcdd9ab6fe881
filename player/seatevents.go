package player

import (
	"context"
	"fmt"
	"slices"

	"agentleague/game"
	"agentleague/protocol"
)

// The ways in which a turn of a seat can end.
const (
	Played   = "played"   // by a move from outside
	Fallback = "fallback" // the fallback chose
	Late     = "late"     // no choice was made in time
	Dropped  = "dropped"  // the caller is gone, and may ask again
)

// An Ending describes how a turn ended.
type Ending struct {
	Turn  string
	Match Match
	How   string
	Move  game.Move // that was played, if any
}

// An Event is a change that the owner of a seat did not cause. Exactly one of its pointers is set.
type Event struct {
	Seq     uint64                    // of the change that it was
	Ending  *Ending                   // a turn ended without a move from outside
	Refused *protocol.GameError       // a referee complains
	Over    *protocol.PlayerMatch     // a match is over
	Final   *protocol.LeagueCompleted // the league is over
}

// maxEvents is the maximum number of events, of endings and of finished matches that a seat keeps.
const maxEvents = 64

// An Update is the current state of a seat.
type Update struct {
	Seq    uint64 // of the newest change
	Turns  []Turn // that are open, those first that are due first
	Events []Event
	Table  []protocol.Standing         // the last table from the manager
	Round  *protocol.RoundAnnouncement // the newest; nil: none was announced
	Final  *protocol.LeagueCompleted   // nil: the league is not over
}

// Look returns the current state, with the events whose sequence number is above after.
func (s *Seat) Look(after uint64) Update {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.here()
	return s.update(after)
}

// Wait waits until the seat's sequence number exceeds after, and returns the state as Look does. When ctx
// ends first, it returns the state and the cause.
func (s *Seat) Wait(ctx context.Context, after uint64) (Update, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.here()
	s.waiting++
	defer func() { s.waiting-- }()
	for s.seq <= after {
		changed := s.changed
		s.mu.Unlock()
		select {
		case <-changed:
			s.mu.Lock()
		case <-ctx.Done():
			s.mu.Lock()
			return s.update(after), context.Cause(ctx)
		}
	}
	return s.update(after), nil
}

// Ended returns how a closed turn ended. It returns false if the turn is open or no longer stored.
func (s *Seat) Ended(turn string) (Ending, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.closed, func(e Ending) bool { return e.Turn == turn })
	if i < 0 {
		return Ending{}, false
	}
	return s.closed[i], true
}

// Met returns the stored finished matches against an opponent, the newest first.
func (s *Seat) Met(opponent string) (out []protocol.PlayerMatch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range slices.Backward(s.past) {
		if m.OpponentID == opponent {
			out = append(out, m)
		}
	}
	return out
}

// Learn passes a finished match to the fallback, and records an event unless the match is from an earlier run.
func (s *Seat) Learn(m protocol.PlayerMatch) {
	if l, ok := s.fallback.(Learner); ok {
		l.Learn(m)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.past = newest(append(s.past, m))
	if s.registered {
		s.tell(Event{Over: &m})
	}
}

// Hear records the messages of the manager and the referees that concern the owner.
func (s *Seat) Hear(m protocol.Message) {
	if l, ok := s.fallback.(Listener); ok {
		l.Hear(m)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch m := m.(type) {
	case *protocol.LeagueRegisterResponse:
		s.registered = true
		s.change()
	case *protocol.RoundAnnouncement:
		s.round = m
		s.change()
	case *protocol.StandingsUpdate:
		s.table = m.Standings
		s.change()
	case *protocol.GameError:
		s.tell(Event{Refused: m})
	case *protocol.LeagueCompleted:
		if len(m.FinalStandings) > 0 {
			s.table = m.FinalStandings
		}
		s.final = m
		s.tell(Event{Final: m})
	}
}

// update returns the state with the events above after. The caller holds the lock.
func (s *Seat) update(after uint64) Update {
	u := Update{Seq: s.seq, Table: s.table, Round: s.round, Final: s.final}
	for _, t := range s.open {
		u.Turns = append(u.Turns, t.Turn)
	}
	for _, e := range s.events {
		if e.Seq > after {
			u.Events = append(u.Events, e)
		}
	}
	return u
}

// tell adds an event and wakes all waiting callers. The caller holds the lock.
func (s *Seat) tell(e Event) {
	s.change()
	e.Seq = s.seq
	s.events = newest(append(s.events, e))
}

// change increments the sequence number and wakes all waiting callers. The caller holds the lock.
func (s *Seat) change() {
	s.seq++
	close(s.changed)
	s.changed = make(chan struct{})
}

func newest[T any](list []T) []T {
	return slices.Delete(list, 0, max(len(list)-maxEvents, 0))
}

// name returns the id of a turn. In an agent it is the same for repeated questions, and different for all other turns;
// outside of an agent it is n, the count of the seat's turns.
func (t *openTurn) name(n int) string {
	m := t.Match
	if m.ID == "" {
		return fmt.Sprint(n)
	}
	id := fmt.Sprintf("%s-turn%d", m.ID, t.View.Turn+1)
	if m.Attempt > 1 {
		id += fmt.Sprintf("-attempt%d", m.Attempt)
	}
	if m.Refused != "" {
		id += fmt.Sprintf("-again%d", n)
	}
	return id
}
