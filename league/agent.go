package league

import (
	"slices"
	"time"

	"agentleague/protocol"
)

// An Agent is a player or a referee in the league.
type Agent struct {
	Registered
	Issued       int // the newest generation of its token
	State        string
	Why          string          // it is in that state, for people
	RegisteredAt time.Time       // the newest registration or readmission
	Forfeits     int             // in a row
	Unreachable  bool            // the last of them because its endpoint did not answer
	Timing       protocol.Timing // over all of its matches
	Displaced    string          // id of the agent that registered at its place since; "": none
	Heir         *Readmitted     // the agent that may take its place; nil: it has the place itself
	Merged       string          // id of the agent that it was merged into; "": none
	Fixed        bool            // its name is the organizer's: registrations do not change it
	Renames      int             // how often it has changed its name by registering
	Outdated     bool            // a native agent that has not registered since the league was upgraded
}

// Live reports whether the agent can be counted on.
func (a *Agent) Live() bool {
	return a.State == protocol.AgentRegistered || a.State == protocol.AgentActive
}

// LostPlace reports whether the agent cannot be called until it has registered again: another agent is, or is to be,
// where it was, or the league was upgraded since.
func (a *Agent) LostPlace() bool { return a.Displaced != "" || a.Heir != nil || a.Outdated }

// Agreed reports whether the agent shares a secret token with the manager alone: it is native, and no other agent was
// readmitted as it.
func (a *Agent) Agreed() bool { return a.AgreementKey != "" && a.Heir == nil && !a.Outdated }

// maxGuestMatches is how many matches a guest has at a time.
const maxGuestMatches = 16

// Room returns the number of matches that a referee takes at a time.
func (a *Agent) Room() int {
	if a.Organiser {
		return max(a.Capacity, 1)
	}
	return min(max(a.Capacity, 1), maxGuestMatches)
}

// turn changes an agent's state. An agent that answers again starts anew: earlier forfeits no longer count towards
// its exclusion.
func (a *Agent) turn(e AgentState) {
	a.State, a.Why = e.State, e.Why
	if e.State == protocol.AgentActive {
		a.Forfeits, a.Unreachable = 0, false
	}
}

// Called returns the id of the agent that a person means, by its id or by a name whose skeleton no other agent has. A
// word that names no agent, or several, is returned unchanged.
func (s *State) Called(word string) (id string) {
	if s.Agents[word] != nil {
		return word
	}
	skeleton := Skeleton(word)
	found := slices.Concat(s.names[protocol.RolePlayer][skeleton], s.names[protocol.RoleReferee][skeleton])
	if len(found) != 1 {
		return word
	}
	return found[0].ID
}

// Terms identify the parties of a token agreement between native agents and the manager.
type Terms struct{ League, Seal, ManagerKey string }

// TermsOf returns those of a league.
func TermsOf(s *State) Terms { return Terms{s.Created.LeagueID, s.Seal, s.ManagerKey} }

// Challenge returns the challenge that a native agent signed for a registration, as far as the log has it.
func (t Terms) Challenge(e Registered) protocol.Challenge {
	c := protocol.Challenge{
		Seal: t.Seal, ManagerKey: t.ManagerKey, Role: e.Role, ID: e.ID, Epoch: e.Generation, Endpoint: e.Endpoint,
		AgreementKey: e.AgreementKey,
	}
	if w := e.Welcome; w != nil {
		c.Manager, c.Nonce, c.AgentNonce = w.Manager, w.Challenge, w.Nonce
	}
	return c
}

// Agreement returns the context that the token of a native agent is bound to.
func (t Terms) Agreement(e Registered) protocol.Agreement {
	return protocol.Agreement{
		League: t.League, Seal: t.Seal, Role: e.Role, ID: e.ID, Epoch: e.Generation, ManagerKey: t.ManagerKey,
		PublicKey: e.Key, AgreementKey: e.AgreementKey,
	}
}
