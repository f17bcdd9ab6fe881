package league

import (
	"fmt"
	"slices"

	"agentleague/league/location"
	"agentleague/league/naming"
	"agentleague/protocol"
)

// A registry indexes the agents of a league by all their identities. Registrations, invitations and readmissions
// change only this part of the state.
type registry struct {
	Agents map[string]*Agent // by id

	Schema int // of the log, as it was created or upgraded; from 2 on names are compared by their skeletons

	started bool // the players are fixed
	keyless bool // the log was written by a version without agent keys

	names   map[protocol.Role]index
	roster  map[protocol.Role][]*Agent               // by their ids
	free    map[protocol.Role]int                    // the lowest number that no agent of a role has
	invited map[protocol.Role]map[string]*Invitation // by name
	// reserved maps the skeletons of invited names to the names.
	reserved map[protocol.Role]map[string][]string
	keys     map[string]*Agent   // native agents by role and public key
	natives  map[string][]*Agent // native agents by place
	strange  map[string][]*Agent // third-party agents by port
	heirs    map[string]*Agent   // agents that were readmitted under another identity, by that identity
}

// An Invitation is a name that is reserved for the holder of its join key.
type Invitation struct {
	Invited
	Agent string // the id of the agent that used the key; "": none yet
}

// newRegistry returns an empty registry. The numbers in new ids, such as P01, begin at 1.
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

// Roster lists the agents of a role, ordered by id. The caller may modify the list, not the agents.
func (r *registry) Roster(role protocol.Role) []*Agent { return slices.Clone(r.roster[role]) }

// ByKey returns the native agent of a role with that public key, or nil.
func (r *registry) ByKey(role protocol.Role, key string) *Agent {
	if key == "" {
		return nil
	}
	return r.keys[keyName(role, key)]
}

// Invitation returns the invitation of exactly that name, or nil.
func (r *registry) Invitation(role protocol.Role, name string) *Invitation {
	return r.invited[role][name]
}

// Invited calls f with each name that is reserved for an agent of a role, in unspecified order.
func (r *registry) Invited(role protocol.Role, f func(name string)) {
	for name := range r.invited[role] {
		f(name)
	}
}

// InvitedAny reports whether any name is reserved for an agent of a role.
func (r *registry) InvitedAny(role protocol.Role) bool { return len(r.invited[role]) > 0 }

// InvitedNames lists the names that are reserved for agents of a role, except the name without.
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

// InPlace lists the agents at the network address that an applicant claims, ordered by id.
func (r *registry) InPlace(applicant Registered) []*Agent {
	out := slices.DeleteFunc(r.sharing(applicant), func(a *Agent) bool {
		return a.ID == applicant.ID || a.Displaced != "" || a.State == protocol.AgentShutdown
	})
	slices.SortFunc(out, func(a, b *Agent) int { return protocol.CompareIDs(a.ID, b.ID) })
	return out
}

func (r *registry) name(id string) string { return r.Agents[id].Name }

// withAgent calls f to change an agent. It returns an error if no agent has that id.
func (r *registry) withAgent(id string, f func(*Agent)) error {
	a := r.Agents[id]
	if a == nil {
		return fmt.Errorf("event about %q, which never registered", id)
	}
	f(a)
	return nil
}

// freeID returns the first of the wanted ids that is valid and free, or else the free id with the lowest number.
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

// name returns the index key of the agent to be admitted: its public key, or without one its network address.
func (r Readmitted) name(role protocol.Role) string {
	if r.Key != "" {
		return keyName(role, r.Key)
	}
	return keyName(role, "") + " " + r.Place
}

// endDisplacement ends the displacement of an agent that has proven with its signature that it answers at its endpoint.
func (r *registry) endDisplacement(a *Agent) {
	a.Displaced = ""
	r.displaceOthers(a)
}

// displaceOthers marks all other agents with the network address of agent a as displaced by a.
func (r *registry) displaceOthers(a *Agent) {
	for _, other := range r.sharing(a.Registered) {
		if other != a {
			other.Displaced = a.ID
		}
	}
}

// AtMailbox lists the agents with a mailbox, see [protocol.MailboxID]. The caller must not change them.
func (r *registry) AtMailbox(id string) []*Agent {
	place := protocol.MailboxScheme + id
	return append(slices.Clone(r.strange[place]), r.natives[place]...)
}

// settle adds the network address of an agent to the indexes, and displaces other agents with that address.
func (r *registry) settle(a *Agent) {
	if i := r.invited[a.Role][a.Invitation]; i != nil {
		i.Agent = a.ID
	}
	r.displaceOthers(a)
	if a.Native() {
		r.keys[keyName(a.Role, a.Key)] = a
		r.natives[a.Place] = append(r.natives[a.Place], a)
	} else {
		r.strange[location.Port(a.Place)] = append(r.strange[location.Port(a.Place)], a)
	}
}

// unsettle removes an agent from the indexes of addresses and identities.
func (r *registry) unsettle(a *Agent) {
	without := func(list []*Agent) []*Agent {
		return slices.DeleteFunc(slices.Clone(list), func(other *Agent) bool { return other == a })
	}
	delete(r.keys, keyName(a.Role, a.Key))
	r.natives[a.Place], r.strange[location.Port(a.Place)] = without(r.natives[a.Place]), without(r.strange[location.Port(a.Place)])
	if a.Heir != nil {
		delete(r.heirs, a.Heir.name(a.Role))
	}
}

// sharing lists the agents with network addresses that conflict with that of one, see collide.
func (r *registry) sharing(one Registered) []*Agent {
	if one.Place == "" { // a keyless log has no places
		return nil
	}
	out := slices.Clone(r.strange[location.Port(one.Place)])
	if one.Native() {
		return append(out, r.natives[one.Place]...)
	}
	for place, list := range r.natives { // a third-party agent occupies its whole port, and third-party agents are few
		if location.Port(place) == location.Port(one.Place) {
			out = append(out, list...)
		}
	}
	return out
}

// An index maps skeletons of names to agents. Logs of schema 1 may have several agents with one skeleton.
type index map[string][]*Agent

// rename indexes an agent under another name; with "" it removes the agent from the index.
func (x index) rename(a *Agent, name string) {
	old := naming.Skeleton(a.Name)
	if rest := slices.DeleteFunc(slices.Clone(x[old]), func(other *Agent) bool { return other == a }); len(rest) > 0 {
		x[old] = rest
	} else {
		delete(x, old)
	}
	if name == "" {
		return
	}
	a.Name = name
	x[naming.Skeleton(name)] = append(slices.Clip(x[naming.Skeleton(name)]), a)
}

// namesakes lists the agents of a role with the same name: with the same skeleton, or in logs of schema 1 with
// exactly that name.
func (r *registry) namesakes(role protocol.Role, name string) []*Agent {
	all := r.names[role][naming.Skeleton(name)]
	if r.Schema >= skeletonSchema {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(a *Agent) bool { return a.Name != name })
}

// skeletonSchema is the first log schema in which names with the same skeleton are the same name.
const skeletonSchema = 2

// Named returns the agent of a role that has that name or one with the same skeleton, or nil.
func (r *registry) Named(role protocol.Role, name string) *Agent {
	all := r.namesakes(role, name)
	if i := slices.IndexFunc(all, func(a *Agent) bool { return a.Name == name }); i >= 0 {
		return all[i]
	}
	if len(all) > 0 {
		return all[0]
	}
	return nil
}

// Reservation returns the invitation that reserves a name for an agent of a role, or nil.
func (r *registry) Reservation(role protocol.Role, name string) *Invitation {
	if i := r.invited[role][name]; i != nil {
		return i
	}
	if alike := r.reserved[role][naming.Skeleton(name)]; len(alike) > 0 && r.Schema >= skeletonSchema {
		return r.invited[role][alike[0]]
	}
	return nil
}

// freeName returns name with a number appended, such that no agent has that name and no invitation reserves it.
func (r *registry) freeName(role protocol.Role, name string) string {
	for n := 2; ; n++ {
		next := naming.Numbered(name, n)
		if len(r.namesakes(role, next)) == 0 && r.Reservation(role, next) == nil {
			return next
		}
	}
}

// collide reports whether the network addresses of two agents exclude each other. Native agents, which have a public key,
// may share a port if their paths differ; a third-party agent needs a whole port.
func collide(a, b Registered) bool {
	if a.Place == "" || b.Place == "" {
		return false
	}
	if a.Native() && b.Native() {
		return a.Place == b.Place
	}
	return location.Port(a.Place) == location.Port(b.Place)
}

// Called returns the id of the agent that a user means by word: its id, or a name that looks like its name (see
// [naming.Skeleton]). A word that matches no agent, or several, is returned unchanged.
func (r *registry) Called(word string) (id string) {
	if r.Agents[word] != nil {
		return word
	}
	skeleton := naming.Skeleton(word)
	found := slices.Concat(r.names[protocol.RolePlayer][skeleton], r.names[protocol.RoleReferee][skeleton])
	if len(found) != 1 {
		return word
	}
	return found[0].ID
}
