package league

import (
	"fmt"

	"agentleague/protocol"
)

// What follows is the part of the fold that is about who an agent is.

// keyName is under what an agent's public key is found.
func keyName(role protocol.Role, key string) string { return string(role) + " " + key }

// invite reserves a name.
func (s *State) invite(e Invited) error {
	names := s.invited[e.Role]
	if names == nil || e.Name == "" {
		return fmt.Errorf("%q was invited as a %q", e.Name, e.Role)
	}
	if names[e.Name] == nil {
		names[e.Name] = &Invitation{Invited: e}
	}
	return nil
}

// mayRegister returns what in a registration speaks against what is known of
// the agent. The manager decides by more than that; this is what nobody may do.
func (s *State) mayRegister(a *Agent, e Registered) error {
	invited := s.invited[e.Role][e.Invitation]
	reserved := s.invited[e.Role][e.Name]
	twin := s.keys[keyName(e.Role, e.Key)]
	switch {
	case e.Invitation != "" && (invited == nil || invited.Agent != "" && invited.Agent != e.ID):
		return fmt.Errorf("%q registered with the invitation of %q", e.ID, e.Invitation)
	case reserved != nil && e.Invitation != e.Name && (a == nil || a.Name != e.Name):
		return fmt.Errorf("%q registered under the name of the invited %q", e.ID, e.Name)
	case a != nil && a.Key != e.Key && a.Heir == nil && e.Invitation == "" && (a.Native() || s.Started()):
		return fmt.Errorf("%s registered with another key than its own", e.ID)
	case e.Key != "" && twin != nil && twin != a:
		return fmt.Errorf("%q registered with the key of %s", e.ID, twin.ID)
	}
	return nil
}

// yields reports whether an agent gives its name up to another that registers:
// before the start, to one that signs where it only says that it is.
func (s *State) yields(a *Agent, e Registered) bool {
	return !s.Started() && !a.Native() && a.Invitation == "" && e.Native() && collide(a.Registered, e)
}

// settle notes where an agent is found from now on, and who is not there any more.
func (s *State) settle(a *Agent) {
	if a.Native() {
		s.keys[keyName(a.Role, a.Key)] = a
	}
	if i := s.invited[a.Role][a.Invitation]; i != nil {
		i.Agent = a.ID
	}
	for _, other := range s.Agents {
		if other != a && collide(other.Registered, a.Registered) {
			other.Displaced = a.ID
		}
	}
}

// lostPlace reports whether somebody else is, or is to be, where an agent was:
// until it has registered anew nobody knows where it is.
func (a *Agent) lostPlace() bool { return a.Displaced != "" || a.Heir != nil }

// readmit takes an agent back, or lets another be it.
func (s *State) readmit(a *Agent, e Readmitted) {
	a.Forfeits, a.Unreachable = 0, false
	if a.State == protocol.AgentShutdown {
		a.State, a.Why = s.goodOrder(), ""
	}
	if e.Place != "" {
		a.Heir = &e
		a.Issued++
		a.Generation = a.Issued
	}
}

// turn changes how an agent stands. One that answers again starts anew: what
// it missed before no longer counts towards putting it out.
func (a *Agent) turn(e AgentState) {
	a.State, a.Why = e.State, e.Why
	if e.State == protocol.AgentActive {
		a.Forfeits, a.Unreachable = 0, false
	}
}

// inPlace lists the agents that an applicant would be in the way of.
func (s *State) inPlace(r Registered) (out []*Agent) {
	for _, role := range []protocol.Role{protocol.RoleReferee, protocol.RolePlayer} {
		for _, a := range s.roster[role] {
			if a.ID != r.ID && a.Displaced == "" && a.State != protocol.AgentShutdown && collide(a.Registered, r) {
				out = append(out, a)
			}
		}
	}
	return out
}
