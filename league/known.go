package league

import (
	"fmt"
	"slices"

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
	if i := s.invited[a.Role][a.Invitation]; i != nil {
		i.Agent = a.ID
	}
	for _, other := range s.sharing(a.Registered) {
		if other != a {
			other.Displaced = a.ID
		}
	}
	if a.Native() {
		s.keys[keyName(a.Role, a.Key)] = a
		s.natives[a.Place] = append(s.natives[a.Place], a)
	} else {
		s.strange[port(a.Place)] = append(s.strange[port(a.Place)], a)
	}
}

// unsettle takes an agent out of where it was found so far.
func (s *State) unsettle(a *Agent) {
	without := func(list []*Agent) []*Agent {
		return slices.DeleteFunc(slices.Clone(list), func(other *Agent) bool { return other == a })
	}
	delete(s.keys, keyName(a.Role, a.Key))
	s.natives[a.Place], s.strange[port(a.Place)] = without(s.natives[a.Place]), without(s.strange[port(a.Place)])
	if a.Heir != nil {
		delete(s.heirs, a.Heir.name(a.Role))
	}
}

// sharing lists the agents that cannot be where they say if this one is there.
func (s *State) sharing(r Registered) []*Agent {
	out := slices.Clone(s.strange[port(r.Place)])
	if r.Native() {
		return append(out, s.natives[r.Place]...)
	}
	for place, list := range s.natives { // a stranger takes all of its port, and strangers are few
		if port(place) == port(r.Place) {
			out = append(out, list...)
		}
	}
	return out
}

// name is under what an heir is found: by its key, and where it is.
func (r Readmitted) name(role protocol.Role) string {
	return keyName(role, r.Key) + " " + r.Place
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
		if a.Heir != nil {
			delete(s.heirs, a.Heir.name(a.Role))
		}
		a.Heir = &e
		s.heirs[e.name(a.Role)] = a
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

// inPlace lists the agents that an applicant would be in the way of, by their ids.
func (s *State) inPlace(r Registered) []*Agent {
	out := slices.DeleteFunc(s.sharing(r), func(a *Agent) bool {
		return a.ID == r.ID || a.Displaced != "" || a.State == protocol.AgentShutdown
	})
	slices.SortFunc(out, func(a, b *Agent) int { return protocol.CompareIDs(a.ID, b.ID) })
	return out
}
