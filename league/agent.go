package league

import (
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
	Silent       bool            // the last of them because it did not answer
	Timing       protocol.Timing // over all of its matches
	Displaced    string          // id of the agent that registered at its place since; "": none
	Heir         *Readmitted     // the agent that may take its place; nil: it has the place itself
	Merged       string          // id of the agent that it was merged into; "": none
	Fixed        bool            // its name is the organizer's: registrations do not change it
	Renames      int             // how often it has changed its name by registering
	Outdated     bool            // a native agent that has not registered since the league was upgraded
}

// Live reports whether the agent is registered or active, and not suspended or excluded.
func (a *Agent) Live() bool {
	return a.State == protocol.AgentRegistered || a.State == protocol.AgentActive
}

// LostPlace reports whether the manager must not call the agent until it registers again: another agent has, or is
// admitted to, its network address, or the league was upgraded to a newer log schema since.
func (a *Agent) LostPlace() bool { return a.Displaced != "" || a.Heir != nil || a.Outdated }

// LostWhy returns the reason for which [Agent.LostPlace] is true, as a sentence, or "".
func (a *Agent) LostWhy() string {
	switch {
	case a.Displaced != "":
		return a.Displaced + " has registered at its address; it has to register again"
	case a.Heir != nil:
		return "it was readmitted; it has to register again"
	case a.Outdated:
		return "it has not registered since the league was upgraded"
	}
	return ""
}

// Agreed reports whether the agent shares a secret token with the manager: it has a public key, and no other agent was
// admitted in its place since.
func (a *Agent) Agreed() bool { return a.AgreementKey != "" && a.Heir == nil && !a.Outdated }

// maxGuestMatches is the maximum number of matches that a guest referee has at a time.
const maxGuestMatches = 16

// Room returns the maximum number of concurrent matches of a referee.
func (a *Agent) Room() int {
	if a.Organiser {
		return max(a.Capacity, 1)
	}
	return min(max(a.Capacity, 1), maxGuestMatches)
}

// changeState sets the state of an agent and its reason. A change to active resets the agent's count of consecutive
// forfeits.
func (a *Agent) changeState(e AgentState) {
	a.State, a.Why = e.State, e.Why
	if e.State == protocol.AgentActive {
		a.Forfeits, a.Silent = 0, false
	}
}

// Guest reports whether the agent is a guest referee: a referee that is not the organizer's.
func (a *Agent) Guest() bool { return a.Role == protocol.RoleReferee && !a.Organiser }

// Label returns the id of an agent for display. The id of a guest referee has a mark, since that referee is not the
// organizer's.
func (a *Agent) Label() string {
	if a.Guest() {
		return a.ID + " (guest)"
	}
	return a.ID
}
