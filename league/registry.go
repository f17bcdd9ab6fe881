package league

import (
	"fmt"
	"slices"

	"agentleague/protocol"
)

// A registry indexes the agents of a league by all their identities. It is the part of the state that registrations,
// invitations and readmissions change.
type registry struct {
	Agents map[string]*Agent // by id

	Schema int // of the log, as it was created or upgraded; from 2 on names are compared by their skeletons

	names   map[protocol.Role]index
	roster  map[protocol.Role][]*Agent               // by their ids
	free    map[protocol.Role]int                    // the lowest number that no agent of a role has
	invited map[protocol.Role]map[string]*Invitation // by name
	// reserved lists the names of invitations by their skeletons.
	reserved map[protocol.Role]map[string][]string
	keys     map[string]*Agent   // native agents by role and public key
	natives  map[string][]*Agent // native agents by place
	strange  map[string][]*Agent // foreign agents by port
	heirs    map[string]*Agent   // agents that were readmitted under another identity, by that identity
}

// An Invitation is a name that is reserved for the holder of its join key.
type Invitation struct {
	Invited
	Agent string // the id of the agent that used the key; "": none yet
}

// newRegistry returns a registry without agents. Numbers of ids begin at 1.
func newRegistry() registry {
	return registry{
		Agents:   map[string]*Agent{},
		names:    map[protocol.Role]index{protocol.RolePlayer: {}, protocol.RoleReferee: {}},
		roster:   map[protocol.Role][]*Agent{},
		free:     map[protocol.Role]int{protocol.RolePlayer: 1, protocol.RoleReferee: 1},
		invited:  map[protocol.Role]map[string]*Invitation{protocol.RolePlayer: {}, protocol.RoleReferee: {}},
		reserved: map[protocol.Role]map[string][]string{protocol.RolePlayer: {}, protocol.RoleReferee: {}},
		keys:     map[string]*Agent{}, natives: map[string][]*Agent{}, strange: map[string][]*Agent{},
		heirs: map[string]*Agent{},
	}
}

// Roster lists the agents of a role by their ids.
func (r *registry) Roster(role protocol.Role) []*Agent { return slices.Clone(r.roster[role]) }

// ByKey returns the native agent of a role with that public key, or nil.
func (r *registry) ByKey(role protocol.Role, key string) *Agent {
	if key == "" {
		return nil
	}
	return r.keys[keyName(role, key)]
}

// Invitation returns the invitation of that name, or nil.
func (r *registry) Invitation(role protocol.Role, name string) *Invitation {
	return r.invited[role][name]
}

// Invited calls f with each name that is reserved for an agent of a role, in no order.
func (r *registry) Invited(role protocol.Role, f func(name string)) {
	for name := range r.invited[role] {
		f(name)
	}
}

// InvitedAny reports whether a name is reserved for an agent of a role.
func (r *registry) InvitedAny(role protocol.Role) bool { return len(r.invited[role]) > 0 }

// InvitedNames lists the names that are reserved for agents of a role, without those that one inviter reserved.
func (r *registry) InvitedNames(role protocol.Role, without string) []string {
	names := []string{}
	for name, i := range r.invited[role] {
		if i.By != without {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// InPlace lists the agents that an applicant would be in the way of, by their ids.
func (r *registry) InPlace(applicant Registered) []*Agent {
	out := slices.DeleteFunc(r.sharing(applicant), func(a *Agent) bool {
		return a.ID == applicant.ID || a.Displaced != "" || a.State == protocol.AgentShutdown
	})
	slices.SortFunc(out, func(a, b *Agent) int { return protocol.CompareIDs(a.ID, b.ID) })
	return out
}

func (r *registry) name(id string) string { return r.Agents[id].Name }

// withAgent lets f change an agent; it returns an error if there is none with that id.
func (r *registry) withAgent(id string, f func(*Agent)) error {
	a := r.Agents[id]
	if a == nil {
		return fmt.Errorf("event about %q, which never registered", id)
	}
	f(a)
	return nil
}

// freeID grants the first id that is wanted, well-formed and free, or else the lowest that is free.
func (r *registry) freeID(role protocol.Role, wanted ...string) string {
	for _, id := range wanted {
		if protocol.ValidID(role, id) && r.Agents[id] == nil {
			return id
		}
	}
	return protocol.AgentID(role, r.free[role])
}

// keyName returns the index key of an agent's public key.
func keyName(role protocol.Role, key string) string { return string(role) + " " + key }

// name returns the index key of an heir: its key and its place.
func (r Readmitted) name(role protocol.Role) string {
	return keyName(role, r.Key) + " " + r.Place
}

// invite reserves a name.
func (r *registry) invite(e Invited) error {
	names := r.invited[e.Role]
	if names == nil || e.Name == "" {
		return fmt.Errorf("%q was invited as a %q", e.Name, e.Role)
	}
	if names[e.Name] != nil {
		return nil
	}
	if other := r.Reservation(e.Role, e.Name); other != nil {
		return fmt.Errorf("%q was invited beside %q, which looks alike", e.Name, other.Name)
	}
	names[e.Name] = &Invitation{Invited: e}
	skeleton := Skeleton(e.Name)
	r.reserved[e.Role][skeleton] = append(r.reserved[e.Role][skeleton], e.Name)
	return nil
}

// mayRegister returns an error if a registration contradicts the agent's earlier ones. The manager applies further
// checks; these hold for every log.
func (r *registry) mayRegister(a *Agent, e Registered, started bool) error {
	invited := r.invited[e.Role][e.Invitation]
	reserved := r.Reservation(e.Role, e.Name)
	twin := r.keys[keyName(e.Role, e.Key)]
	switch {
	case a != nil && a.Merged != "":
		return fmt.Errorf("%s registered, and was merged into %s", e.ID, a.Merged)
	case a != nil && a.Fixed && a.Name != e.Name:
		return fmt.Errorf("%s registered as %q, and the organizer has named it %q", e.ID, e.Name, a.Name)
	case e.Invitation != "" && (invited == nil || invited.Agent != "" && invited.Agent != e.ID):
		return fmt.Errorf("%q registered with the invitation of %q", e.ID, e.Invitation)
	case reserved != nil && e.Invitation != e.Name && (a == nil || a.Name != e.Name):
		return fmt.Errorf("%q registered under the name of the invited %q", e.ID, e.Name)
	case a != nil && a.Key != e.Key && a.Heir == nil && (a.Native() || started) &&
		(e.Invitation == "" || r.Schema >= 2 && a.Native()):
		return fmt.Errorf("%s registered with another key than its own", e.ID)
	case e.Key != "" && twin != nil && twin != a:
		return fmt.Errorf("%q registered with the key of %s", e.ID, twin.ID)
	}
	return r.mayAgree(a, e)
}

// mayAgree returns an error for wrong keys or a wrong epoch in a registration under schema 2.
func (r *registry) mayAgree(a *Agent, e Registered) error {
	epoch := 1
	if a != nil {
		epoch = a.Generation
	}
	switch {
	case r.Schema < 2 && e.AgreementKey == "", r.Schema >= 2 && !e.Native() && e.AgreementKey == "":
		return nil
	case r.Schema < 2 || !e.Native():
		return fmt.Errorf("%q registered with an agreement key, and agrees on nothing", e.ID)
	case protocol.CheckAgreementKey(e.AgreementKey) != nil:
		return fmt.Errorf("%q registered a key without an agreement key", e.ID)
	case a != nil && a.Key == e.Key && a.AgreementKey != "" && a.AgreementKey != e.AgreementKey:
		return fmt.Errorf("%s registered with another agreement key than its own", e.ID)
	case e.Generation != epoch:
		return fmt.Errorf("%s registered in epoch %d, and is in epoch %d", e.ID, e.Generation, epoch)
	}
	return nil
}

// yields reports whether an agent gives up its name to another that registers: before the start, to one that signs at
// the place that it only claims.
func yields(a *Agent, e Registered, started bool) bool {
	return !started && !a.Native() && a.Invitation == "" && e.Native() && collide(a.Registered, e)
}

// found ends the displacement of an agent that has signed where it was.
func (r *registry) found(a *Agent) {
	a.Displaced = ""
	r.displaceOthers(a)
}

// displaceOthers notes that those agents are not there any more that cannot be where an agent is.
func (r *registry) displaceOthers(a *Agent) {
	for _, other := range r.sharing(a.Registered) {
		if other != a {
			other.Displaced = a.ID
		}
	}
}

// settle notes where an agent is found from now on, and which agents are not there any more.
func (r *registry) settle(a *Agent) {
	if i := r.invited[a.Role][a.Invitation]; i != nil {
		i.Agent = a.ID
	}
	r.displaceOthers(a)
	if a.Native() {
		r.keys[keyName(a.Role, a.Key)] = a
		r.natives[a.Place] = append(r.natives[a.Place], a)
	} else {
		r.strange[Port(a.Place)] = append(r.strange[Port(a.Place)], a)
	}
}

// unsettle removes an agent from the indexes of its place and identity.
func (r *registry) unsettle(a *Agent) {
	without := func(list []*Agent) []*Agent {
		return slices.DeleteFunc(slices.Clone(list), func(other *Agent) bool { return other == a })
	}
	delete(r.keys, keyName(a.Role, a.Key))
	r.natives[a.Place], r.strange[Port(a.Place)] = without(r.natives[a.Place]), without(r.strange[Port(a.Place)])
	if a.Heir != nil {
		delete(r.heirs, a.Heir.name(a.Role))
	}
}

// sharing lists the agents that exclude this one by their places.
func (r *registry) sharing(one Registered) []*Agent {
	if one.Place == "" { // a keyless log has no places
		return nil
	}
	out := slices.Clone(r.strange[Port(one.Place)])
	if one.Native() {
		return append(out, r.natives[one.Place]...)
	}
	for place, list := range r.natives { // a foreign agent occupies its whole port, and foreign agents are few
		if Port(place) == Port(one.Place) {
			out = append(out, list...)
		}
	}
	return out
}

// readmit takes an agent back, in the state of one with which all is well, or lets another be it.
func (r *registry) readmit(a *Agent, e Readmitted, well string) {
	a.Forfeits, a.Unreachable = 0, false
	if a.State == protocol.AgentShutdown {
		a.State, a.Why = well, ""
	}
	if e.Place != "" {
		if a.Heir != nil {
			delete(r.heirs, a.Heir.name(a.Role))
		}
		a.Heir = &e
		r.heirs[e.name(a.Role)] = a
		a.Issued++
		a.Generation = a.Issued
	}
}
