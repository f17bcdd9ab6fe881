package league

import (
	"strings"
	"time"

	"agentleague/protocol"
)

// An Agent is a player or a referee in the league.
type Agent struct {
	Registered
	Issued       int // the newest generation of its token
	State        string
	Why          string          // it is in that state, for people
	RegisteredAt time.Time       // the newest registration
	Forfeits     int             // in a row
	Unreachable  bool            // the last of them because nobody answered at its endpoint
	Timing       protocol.Timing // over all of its matches
	Displaced    string          // who registered at its place since; "": nobody
	Heir         *Readmitted     // who may be this agent when it comes; nil: it is there
}

// Live reports whether the agent can be counted on.
func (a *Agent) Live() bool {
	return a.State == protocol.AgentRegistered || a.State == protocol.AgentActive
}

// LostPlace reports whether somebody else is, or is to be, where the agent was. Nobody knows then where it is,
// until it has registered again.
func (a *Agent) LostPlace() bool { return a.Displaced != "" || a.Heir != nil }

// maxGuestMatches is how many matches a guest has at a time.
const maxGuestMatches = 16

// Room is how many matches a referee takes at a time.
func (a *Agent) Room() int {
	if a.Organiser {
		return max(a.Capacity, 1)
	}
	return min(max(a.Capacity, 1), maxGuestMatches)
}

// turn changes how an agent stands. One that answers again starts anew: what
// it missed before no longer counts towards putting it out.
func (a *Agent) turn(e AgentState) {
	a.State, a.Why = e.State, e.Why
	if e.State == protocol.AgentActive {
		a.Forfeits, a.Unreachable = 0, false
	}
}

// Called returns the id of the agent that a person means, by its id or by a name that no other agent has. Who is not
// found is returned as it was.
func (s *State) Called(word string) (id string) {
	if s.Agents[word] != nil {
		return word
	}
	found := []string{}
	for id, a := range s.Agents {
		if strings.EqualFold(a.Name, strings.TrimSpace(word)) {
			found = append(found, id)
		}
	}
	if len(found) != 1 {
		return word
	}
	return found[0]
}
