package league

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"agentleague/protocol"
)

// CheckRename returns why the organizer cannot give an agent that name, or nil.
func CheckRename(s *State, a *Agent, name string) error {
	invitation := s.Reservation(a.Role, name)
	namesake := slices.IndexFunc(s.namesakes(a.Role, name), func(other *Agent) bool { return other != a })
	switch {
	case name != CleanName(name) || BlankName(name):
		return protocol.Errorf(protocol.InvalidMessage, "display_name: want 1 to %d characters that can be displayed",
			maxName).With("field", "display_name")
	case a.Merged != "":
		return protocol.Errorf(protocol.PlayerNotRegistered, "%s was merged into %s", a.ID, a.Merged).
			With("agent_id", a.ID)
	case !mayBeCalled(name, a.ID) || a.Native() && ReservedName(name):
		return protocol.Errorf(protocol.DuplicateName, "the name %q is reserved: it reads as an id or as a role", name).
			Suggest("Choose another name")
	case namesake >= 0:
		return protocol.Errorf(protocol.DuplicateName, "the name %q belongs to %s", name,
			s.namesakes(a.Role, name)[namesake].ID).Suggest("Choose another name")
	case invitation != nil && invitation.Name != a.Invitation:
		return protocol.Errorf(protocol.DuplicateName, "the name %q is reserved for an invited agent", name).
			Suggest("Choose another name")
	}
	return nil
}

// CheckMerge returns why two agents cannot be merged, or nil.
func CheckMerge(s *State, kept, gone *Agent) error {
	switch {
	case s.Started():
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

// Merge returns the events that merge two agents. The kept one moves to the endpoint of the other if it does not answer
// at its own.
func Merge(kept, gone *Agent, answers bool, by string) []Event {
	events := []Event{Merged{Kept: kept.ID, Gone: gone.ID, By: by}}
	if answers {
		return events
	}
	now := gone.Registered
	now.ID, now.Name, now.Nonce, now.Generation, now.By = kept.ID, kept.Name, kept.Nonce, kept.Generation, kept.By
	now.CallsItself = cmp.Or(gone.CallsItself, gone.ID)
	return append(events, now)
}

// rename gives an agent the organizer's name.
func rename(s *State, e Renamed) error {
	a := s.Agents[e.ID]
	if a == nil || s.Schema < skeletonSchema {
		return fmt.Errorf("schema %d: %q, which may never have registered, was renamed", s.Schema, e.ID)
	}
	if err := CheckRename(s, a, e.Name); err != nil {
		return fmt.Errorf("%s was renamed: %w", e.ID, err)
	}
	s.names[a.Role].rename(a, e.Name)
	a.Fixed = true
	return nil
}

// merge takes the one of two agents out that was merged into the other. Its id stays taken, its name does not.
func merge(s *State, e Merged) error {
	kept, gone := s.Agents[e.Kept], s.Agents[e.Gone]
	if kept == nil || gone == nil || s.Schema < skeletonSchema {
		return fmt.Errorf("schema %d: %q and %q, which may never have registered, were merged", s.Schema, e.Kept, e.Gone)
	}
	if err := CheckMerge(s, kept, gone); err != nil {
		return fmt.Errorf("%s was merged into %s: %w", e.Gone, e.Kept, err)
	}
	s.unsettle(gone)
	s.names[gone.Role].rename(gone, "")
	s.roster[gone.Role] = slices.DeleteFunc(slices.Clone(s.roster[gone.Role]), func(a *Agent) bool { return a == gone })
	gone.State, gone.Why, gone.Merged = protocol.AgentShutdown, "merged into "+e.Kept, e.Kept
	return nil
}

// takeBack readmits an agent.
func takeBack(s *State, at time.Time, e Readmitted) error {
	a := s.Agents[e.ID]
	if a != nil && a.Merged != "" {
		return fmt.Errorf("%s was readmitted, and was merged into %s", e.ID, a.Merged)
	}
	return s.withAgent(e.ID, func(a *Agent) {
		s.readmit(a, e, s.goodOrder())
		a.RegisteredAt = at
	})
}
