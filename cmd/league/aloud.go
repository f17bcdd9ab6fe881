package main

import (
	"fmt"
	"sync"

	"agentleague/player"
	"agentleague/protocol"
)

// aloud is a strategy that tells the person at its terminal how its matches end, and the league.
type aloud struct {
	player.Strategy
	app *app

	mu sync.Mutex
	id string // "": not registered yet; what is learned is the past
}

// Learn tells how a match ended.
func (s *aloud) Learn(m protocol.PlayerMatch) {
	if l, ok := s.Strategy.(player.Learner); ok {
		l.Learn(m)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.id != "" {
		s.tell(overNews(&m))
	}
}

// Hear tells what its referees complain of, and how the league ended.
func (s *aloud) Hear(m protocol.Message) {
	if l, ok := s.Strategy.(player.Listener); ok {
		l.Hear(m)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch m := m.(type) {
	case *protocol.LeagueRegisterResponse:
		if m.PlayerID != nil {
			s.id = *m.PlayerID
		}
	case *protocol.GameError:
		s.tell(complaintNews(m))
	case *protocol.LeagueCompleted:
		s.tell(finalNews(m, s.id))
	}
}

func (s *aloud) tell(n seatNews) { fmt.Fprintln(s.app.err, n.Text) }
