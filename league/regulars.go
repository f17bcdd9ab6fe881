package league

import (
	"slices"

	"agentleague/league/naming"
	"agentleague/protocol"
)

// Regulars are the agents of the previous season, from its log. They may register again without an invitation, and
// their names are reserved for them until the new season starts. The zero value stands for no previous season.
type Regulars struct {
	All     []Registered
	awaited []Registered // those that were in good order at the end
	keys    map[string]bool
	names   map[string][]Registered // by role and skeleton
}

// RegularsOf returns the agents of a league that may join the next one: all that were not excluded and have not left.
func RegularsOf(s *State) (r Regulars) {
	r.keys, r.names = map[string]bool{}, map[string][]Registered{}
	for _, role := range []protocol.Role{protocol.RoleReferee, protocol.RolePlayer} {
		for _, a := range s.roster[role] {
			if a.State == protocol.AgentShutdown || a.LostPlace() {
				continue
			}
			r.All = append(r.All, a.Registered)
			name := keyName(role, naming.Skeleton(a.Name))
			r.names[name] = append(r.names[name], a.Registered)
			if a.Native() {
				r.keys[keyName(role, a.Key)] = true
			}
			if a.Live() {
				r.awaited = append(r.awaited, a.Registered)
			}
		}
	}
	return r
}

// Without returns r, in which agents for which stays returns true are not awaited, since they do not register again
// automatically.
func (r Regulars) Without(stays func(Registered) bool) Regulars {
	var awaited []Registered
	for _, a := range r.awaited {
		if !stays(a) {
			awaited = append(awaited, a)
		}
	}
	r.awaited = awaited
	return r
}

// Count returns the number of awaited agents of a role.
func (r Regulars) Count(role protocol.Role) (n int) {
	for _, a := range r.awaited {
		if a.Role == role {
			n++
		}
	}
	return n
}

// Any reports whether there was a season before.
func (r Regulars) Any() bool { return len(r.All) > 0 }

// Back reports whether all awaited agents have registered again. Native agents are recognized by key, others by name.
func (r Regulars) Back(s *State) bool {
	for _, a := range r.awaited {
		if a.Native() && s.keys[keyName(a.Role, a.Key)] == nil || !a.Native() && s.Named(a.Role, a.Name) == nil {
			return false
		}
	}
	return true
}

// isRegular reports whether an applicant has the public key of an agent of the previous season.
func (r Regulars) isRegular(ap Application) bool {
	return ap.Meta.PublicKey != "" && r.keys[keyName(ap.Role, ap.Meta.PublicKey)]
}

// reservesName reports whether an applicant's name is reserved for another agent of the previous season. An agent that
// had no key in that season may return with its first key.
func (r Regulars) reservesName(ap Application) bool {
	owners := r.names[keyName(ap.Role, naming.Skeleton(ap.Meta.DisplayName))]
	return len(owners) > 0 && ap.By == "" && !slices.ContainsFunc(owners, func(a Registered) bool {
		return a.Key == ap.Meta.PublicKey || a.MatchTokens && ap.Meta.PublicKey != ""
	})
}
