package manager

import (
	"time"

	"agentleague/league"
)

// A Health is how an agent seems to be, as far as its manager knows. Nothing of
// it is in the log.
type Health struct {
	Seen      time.Time // when it last showed its token; zero: not since the manager was started
	Unreached string    // why it was not found at its endpoint; "": it was, or nobody has tried
	Waiting   int       // messages that it has yet to be sent
}

// Health returns how an agent seems to be.
func (m *Manager) Health(id string) (h Health) {
	m.Read(func(s *league.State) {
		if a := s.Agents[id]; a != nil {
			h.Seen = m.gate.lastUsed(m.keys.token(a))
		}
	})
	h.Unreached, h.Waiting = m.lobby.unreached(id), m.out.waiting(id)
	return h
}
