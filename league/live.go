package league

import (
	"time"

	"agentleague/protocol"
)

// The types below hold facts about a running league that are not in its state, for packages that display them.

// Happened is one entry of a league's log, as followers of the log receive it: the events of one write. Receivers must
// not modify it.
type Happened struct {
	Seq    uint64 // counted from 1 without gaps
	At     time.Time
	Events []Event
}

// A Health is the manager's view of an agent's availability. The log does not record it.
type Health struct {
	Seen      time.Time // when it last showed its token; zero: not since the manager was started
	Unreached string    // why it was not found at its endpoint; "": it was, or it was not tried
	Way       string    // to an agent with a mailbox, in words; "": it is called at its endpoint
	Waiting   int       // messages that it has yet to be sent
}

// A Start is the start condition of a league that has not started. It is not in the log.
type Start struct {
	Players, Referees int       // that it needs
	ByNumber          bool      // it starts automatically when they have joined
	At                time.Time // it starts automatically then, with the minimum or more; zero: at no time
	InvitedOnly       bool      // only agents with a join key may join
	Unreachable       int       // players that have joined and cannot be reached
}

// Tell copies the start condition into out.
func (s Start) Tell(out *protocol.LeagueStatus) {
	out.PlayersWanted, out.RefereesWanted, out.Unreachable = s.Players, s.Referees, s.Unreachable
	out.StartsByNumber, out.StartsByItself = s.ByNumber, s.ByNumber || !s.At.IsZero()
	if !s.At.IsZero() {
		out.StartsAt = protocol.Stamp(s.At)
	}
}

// A Refusal is an applicant whose registration was refused.
type Refusal struct {
	AgentID  string // the agent that it would be
	Code     string // with which the organiser lets it in
	Name     string // that it gave
	Endpoint string
	Address  string // from which it called
	Alive    bool   // the agent that it would be still answers where it was
	At       time.Time
}
