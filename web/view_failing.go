package web

import (
	"cmp"

	"agentleague/league"
	"agentleague/league/view"
	"agentleague/protocol"
)

// A failing agent needs the organizer's attention.
type failing struct {
	NameView
	Role  protocol.Role `json:"role"`
	State string        `json:"state"`
	Cause string        `json:"cause"`
	Fix   string        `json:"fix"` // readmit or check, or "" if only its owner can help
}

// StateWords returns the agent's state for people.
func (f failing) StateWords() string { return view.Words(f.State) }

// failingOf lists the agents of a league that are out, suspended, unreachable, or lost their newest match by forfeit,
// with the cause and the order that helps.
func failingOf(s *league.State, agents agentsView, canCheck bool) []failing {
	out := []failing{}
	for _, list := range [][]agentView{agents.Referees, agents.Players} {
		for _, a := range list {
			cause := cmp.Or(a.Trouble, a.Why)
			if form := view.Form(s, a.ID, 1); a.Role == protocol.RolePlayer && len(form) == 1 && form[0].Letter == "F" {
				cause = cmp.Or(cause, "it lost "+form[0].Match+" by forfeit: "+protocol.ForfeitMeaning(shown(form[0].Code)))
			}
			if a.Well() && cause == "" {
				continue
			}
			f := failing{NameView: a.NameView, Role: a.Role, State: a.State, Cause: cmp.Or(cause, "its state is "+view.Words(a.State))}
			switch {
			case a.State == protocol.AgentShutdown && a.Role == protocol.RolePlayer:
				f.Fix = "readmit"
			case canCheck && a.Role == protocol.RolePlayer:
				f.Fix = "check"
			}
			out = append(out, f)
		}
	}
	return out
}
