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

// Guest reports whether an agent is a referee that another party than the organizer runs.
func (a *Agent) Guest() bool { return a.Role == protocol.RoleReferee && !a.Organiser }

// Label returns the name of an agent where a guest must not be taken for a referee of the organizer.
func (a *Agent) Label() string {
	if a.Guest() {
		return a.ID + " (guest)"
	}
	return a.ID
}
