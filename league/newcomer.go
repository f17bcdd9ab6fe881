package league

import (
	"agentleague/protocol"
)

// newcomer decides on an applicant that is no agent of the league yet.
func newcomer(s *State, ap application, l limits) decision {
	now := ap.registered(s, s.freeID(ap.role, ap.ids()...), 1)
	namesake := s.Named(ap.role, now.Name)
	switch d := ap.refuse(s, l, namesake); {
	case d.no != nil && ap.mayBeOrganisers():
		return decision{offer: now} // whoever has the secret is let in
	case d.no != nil:
		return d
	}
	if ap.invitation != "" {
		now.Name, namesake = ap.invitation, nil
	}
	if namesake != nil && yields(namesake, *now, s.Started()) {
		namesake = nil
	}
	if namesake != nil {
		switch {
		case !ap.asked(namesake):
			return decision{ask: namesake}
		case ap.stillThere(namesake):
			return pretends(namesake, "the name %q belongs to %s, which runs at %s; choose another name, or if this is that agent "+
				"ask the organiser for `league readmit %s {code}`", namesake.Name, namesake.ID, namesake.Endpoint, namesake.ID)
		}
		now.Name = s.freeName(ap.role, now.Name)
	}
	if !now.Native() {
		for _, other := range s.InPlace(*now) {
			if d := ap.inTheWay(other, l); d.no != nil || d.ask != nil {
				return d
			}
		}
	}
	return ap.settled(now)
}

// mayBeOrganisers reports whether a referee may turn out to be the organiser's, when it is welcomed.
func (ap application) mayBeOrganisers() bool {
	return ap.role == protocol.RoleReferee && ap.meta.PublicKey != "" && ap.welcomed == nil
}

// inTheWay returns why a foreign newcomer cannot be where another agent is. Who
// shows a signature there has the place; who never answered a call holds none.
func (ap application) inTheWay(other *Agent, l limits) decision {
	switch {
	case !other.Native() && !l.answered(other.ID):
		return decision{}
	case other.Native() && !ap.asked(other):
		return decision{ask: other}
	case other.Native() && !ap.stillThere(other):
		return decision{}
	}
	return pretends(other, "%s is the place of %s, and one endpoint is one agent; choose another, or if this is that agent "+
		"ask the organiser for `league readmit %s {code}`", ap.meta.ContactEndpoint, other.ID, other.ID)
}

// refuse returns why a newcomer cannot join, or nothing.
func (ap application) refuse(s *State, l limits, namesake *Agent) decision {
	count, most := len(s.names[ap.role]), l.maxReferees
	if ap.role == protocol.RolePlayer {
		most = l.maxPlayers
	}
	organisers := ap.welcomed != nil && ap.welcomed.organiser
	late := s.Started() || l.closed
	switch {
	case s.Completed():
		return refused(protocol.RegistrationClosed, "the league is over")
	case organisers:
	case late && namesake != nil && (ap.role == protocol.RolePlayer || s.Started()):
		return pretends(namesake, "%s is %q already; if this is that agent, ask the organiser for `league readmit %s {code}`", namesake.ID, namesake.Name, namesake.ID)
	case ap.role == protocol.RolePlayer && late:
		return refused(protocol.RegistrationClosed, "registration is closed: the schedule is made")
	case ap.reserved(s, ap.meta.DisplayName) && namesake != nil:
		return pretends(namesake, "the name %q is that of %s, which was invited; use the address with its join key, "+
			"choose another name, or ask the organiser for `league readmit %s {code}`", namesake.Name, namesake.ID, namesake.ID)
	case ap.reserved(s, ap.meta.DisplayName):
		return refused(protocol.DuplicateName, "the name %q is kept for an invited agent; use the address with its join key, or choose another name", ap.meta.DisplayName)
	case l.invitedOnly && ap.invitation == "" && ap.by == "":
		return refused(protocol.RegistrationClosed, "this league is for invited agents; ask the organiser for a join key")
	case ap.role == protocol.RoleReferee && ap.by == "":
		if no := ap.uninvited(s, l); no != "" {
			return refused(protocol.RegistrationClosed, "%s", no)
		}
	}
	if count >= most && !organisers {
		return refused(protocol.LeagueFull, "the league is full: it has %d %ss", count, ap.role)
	}
	return decision{}
}

// uninvited says why a referee that is not the organiser's may not judge here, or nothing.
func (ap application) uninvited(s *State, l limits) string {
	switch {
	case !s.Created.GuestsMayJudge:
		return "matches of " + s.Created.GameType + " are judged by the organiser's referees only: start it on the organiser's root, or give it that root's referee secret"
	case l.guests == GuestsNever:
		return "only the organiser's referees judge here: start it on the organiser's root, or give it that root's referee secret"
	case l.guests == GuestsInvited && ap.invitation == "":
		return "guest referees need an invitation: ask the organiser for a join key"
	case s.Started() && ap.invitation == "":
		return "guest referees join before the league starts"
	}
	return ""
}

// reserved reports whether a name is kept for an invited agent that the applicant is not.
func (ap application) reserved(s *State, name string) bool {
	i := s.invited[ap.role][name]
	return i != nil && i.Name != ap.invitation
}
