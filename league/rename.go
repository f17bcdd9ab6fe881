package league

import (
	"cmp"
	"fmt"
	"slices"

	"agentleague/league/naming"
	"agentleague/protocol"
)

// CheckRename returns an error if the organizer cannot give an agent that name.
func (r *registry) CheckRename(a *Agent, name string) error {
	invitation := r.Reservation(a.Role, name)
	namesake := slices.IndexFunc(r.namesakes(a.Role, name), func(other *Agent) bool { return other != a })
	switch {
	case name != naming.Clean(name) || naming.Blank(name):
		return protocol.Errorf(protocol.InvalidMessage, "display_name: want 1 to %d characters that can be displayed",
			naming.MaxLength).With("field", "display_name")
	case a.Merged != "":
		return protocol.Errorf(protocol.PlayerNotRegistered, "%s was merged into %s", a.ID, a.Merged).
			With("agent_id", a.ID)
	case !naming.MayBeCalled(name, a.ID) || a.Native() && naming.Reserved(name):
		return protocol.Errorf(protocol.DuplicateName, "the name %q is reserved: it reads as an id or as a role", name).
			Suggest("Choose another name")
	case namesake >= 0:
		return protocol.Errorf(protocol.DuplicateName, "the name %q belongs to %s", name,
			r.namesakes(a.Role, name)[namesake].ID).Suggest("Choose another name")
	case invitation != nil && invitation.Name != a.Invitation:
		return protocol.Errorf(protocol.DuplicateName, "the name %q is reserved for an invited agent", name).
			Suggest("Choose another name")
	}
	return nil
}

// CheckMerge returns an error if two agents cannot be merged.
func (r *registry) CheckMerge(kept, gone *Agent) error {
	switch {
	case r.started:
		return protocol.Errorf(protocol.RegistrationClosed, "agents can be merged only before the league starts")
	case kept == gone || kept.Role != gone.Role:
		return protocol.Errorf(protocol.InvalidMessage, "want two players or two referees, got %s and %s", kept.ID,
			gone.ID).With("field", "gone_id")
	}
	for _, a := range []*Agent{kept, gone} {
		switch {
		case a.Native() || a.Invitation != "":
			return protocol.Errorf(protocol.InvalidMessage,
				"%s is known by a key; only agents without one can be merged", a.ID)
		case a.Merged != "":
			return protocol.Errorf(protocol.PlayerNotRegistered, "%s was merged into %s", a.ID, a.Merged).
				With("agent_id", a.ID)
		case a.Heir != nil || a.State == protocol.AgentShutdown:
			return protocol.Errorf(protocol.InvalidMessage, "%s is out of the league, or its place is another agent's", a.ID)
		}
	}
	return nil
}

// Merge returns the events that merge gone into kept. answers reports whether kept answers at its endpoint; if not,
// kept moves to the endpoint of gone.
func Merge(kept, gone *Agent, answers bool, by string) []Event {
	events := []Event{mergedEvent{Kept: kept.ID, Gone: gone.ID, By: by}}
	if answers {
		return events
	}
	now := gone.Registered
	now.ID, now.Name, now.Nonce, now.Generation, now.By = kept.ID, kept.Name, kept.Nonce, kept.Generation, kept.By
	now.CallsItself = cmp.Or(gone.CallsItself, gone.ID)
	return append(events, now)
}

// rename gives an agent the name that the organizer has chosen.
func (r *registry) rename(e Renamed) error {
	a := r.Agents[e.ID]
	if a == nil || r.Schema < skeletonSchema {
		return fmt.Errorf("schema %d: %q, which may never have registered, was renamed", r.Schema, e.ID)
	}
	if err := r.CheckRename(a, e.Name); err != nil {
		return fmt.Errorf("%s was renamed: %w", e.ID, err)
	}
	r.names[a.Role].rename(a, e.Name)
	a.Fixed = true
	return nil
}

// merge removes the agent that was merged into another one. Its id stays reserved, its name becomes free.
func (r *registry) merge(e mergedEvent) error {
	kept, gone := r.Agents[e.Kept], r.Agents[e.Gone]
	if kept == nil || gone == nil || r.Schema < skeletonSchema {
		return fmt.Errorf("schema %d: %q and %q, which may never have registered, were merged", r.Schema, e.Kept, e.Gone)
	}
	if err := r.CheckMerge(kept, gone); err != nil {
		return fmt.Errorf("%s was merged into %s: %w", e.Gone, e.Kept, err)
	}
	r.unsettle(gone)
	r.names[gone.Role].rename(gone, "")
	r.roster[gone.Role] = slices.DeleteFunc(slices.Clone(r.roster[gone.Role]), func(a *Agent) bool { return a == gone })
	gone.State, gone.Why, gone.Merged = protocol.AgentShutdown, "merged into "+e.Kept, e.Kept
	return nil
}
