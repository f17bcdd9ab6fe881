package league

import (
	"time"

	"agentleague/league/naming"
	"agentleague/protocol"
)

// newcomer returns the ruling on an applicant that is not an agent of the league yet.
func newcomer(s *State, ap Application, l Limits) Ruling {
	now := ap.registered(s, s.freeID(ap.Role, ap.ids()...), 1)
	namesake := s.Named(ap.Role, now.Name)
	switch d := ap.refuse(s, l, namesake); {
	case d.No != nil && ap.mayBeOrganisers():
		return Ruling{Offer: now} // a referee with the secret is admitted
	case d.No != nil:
		return d
	}
	if l.UniqueNames && namesake != nil && ap.Invitation == "" && !ap.mayReplace(s, namesake) {
		return Refused(protocol.DuplicateName, "another %s is called %s", ap.Role, namesake.Name)
	}
	d := ap.named(s, now, namesake)
	switch {
	case d.No != nil || d.Ask != nil:
		return d
	case d.Yes != nil:
		now = d.Yes
	case ap.roleFull(s, l) && ap.mayBeOrganisers():
		return Ruling{Offer: now}
	case ap.roleFull(s, l):
		full := Refused(protocol.LeagueFull, "the league is full: it has %d %ss", len(s.roster[ap.Role]), ap.Role)
		full.No.Present, full.No.Most = len(s.roster[ap.Role]), ap.most(l)
		return full
	}
	if !now.Native() {
		for _, other := range s.InPlace(*now) {
			if d := ap.inTheWay(other, l); d.No != nil || d.Ask != nil {
				return d
			}
		}
	}
	return ap.admitOrChallenge(now)
}

// named sets the name in now, the registration of a newcomer. namesake is the agent that has the name already, or nil.
// If the newcomer replaces namesake, which does not answer, named returns the registration under its id in Ruling.Yes.
func (ap Application) named(s *State, now *Registered, namesake *Agent) Ruling {
	switch {
	case ap.Invitation != "":
		now.Name = ap.Invitation
		return Ruling{}
	case namesake != nil && yields(namesake, *now, s.Started()):
		return Ruling{}
	case namesake == nil && !now.Native() && naming.MayBeCalled(now.Name, now.ID):
		return Ruling{}
	case namesake == nil && now.Native() && !naming.Reserved(now.Name):
		return Ruling{}
	case namesake == nil: // a reserved name: the agent that asked for it before has the number 2
		namesake = s.Named(ap.Role, naming.Numbered(now.Name, 2))
	}
	if ap.mayReplace(s, namesake) {
		switch gone := namesake.LostPlace(); {
		case !gone && !ap.Asked(namesake):
			return askFirst(namesake)
		case gone || !ap.StillThere(namesake):
			heir := ap.registered(s, namesake.ID, namesake.Generation)
			heir.Name = namesake.Name
			return Ruling{Yes: heir}
		}
	}
	now.Name = s.freeName(ap.Role, now.Name)
	return Ruling{}
}

// replaceAfter is the minimum age of a third-party agent's registration before a namesake can replace it.
const replaceAfter = 10 * time.Second

// mayReplace reports whether a third-party newcomer may replace namesake, a third-party agent of the same name that
// does not answer.
func (ap Application) mayReplace(s *State, namesake *Agent) bool {
	return namesake != nil && !s.Started() && ap.Meta.PublicKey == "" && ap.Invitation == "" && !namesake.Native() &&
		namesake.Invitation == "" && namesake.Heir == nil && namesake.State != protocol.AgentShutdown &&
		ap.Now.Sub(namesake.RegisteredAt) > replaceAfter
}

// roleFull reports whether the league has the maximum number of agents of the applicant's role. The number of the
// organizer's referees is not limited.
func (ap Application) roleFull(s *State, l Limits) bool {
	return len(s.roster[ap.Role]) >= ap.most(l) && !ap.isOrganisersReferee()
}

// most returns the maximum number of agents of the applicant's role.
func (ap Application) most(l Limits) int {
	if ap.Role == protocol.RolePlayer {
		return l.MaxPlayers
	}
	return l.MaxReferees
}

// isOrganisersReferee reports whether a referee has proven that it is the organizer's.
func (ap Application) isOrganisersReferee() bool { return ap.Taken != nil && ap.Taken.Organiser }

// mayBeOrganisers reports whether a referee can still prove that it is the organiser's, when it is challenged.
func (ap Application) mayBeOrganisers() bool {
	return ap.Role == protocol.RoleReferee && ap.Meta.PublicKey != "" && ap.Taken == nil
}

// inTheWay refuses a third-party newcomer that claims the place of another agent. The newcomer gets the address if the
// other agent does not answer there. A third-party agent that answered a call before is not asked again.
func (ap Application) inTheWay(other *Agent, l Limits) Ruling {
	switch known := !other.Native() && l.Answered(other.ID); {
	case !known && !ap.Asked(other):
		return askFirst(other)
	case !known && !ap.StillThere(other):
		return Ruling{}
	}
	return refusePretender(other,
		"%s is already the address of %s; choose another port, or if this is that agent "+
			"ask the organiser for `league readmit %s {code}`", ap.Meta.ContactEndpoint, other.ID, other.ID)
}

// Refusal returns why no further player may join a league, or "" if one may.
func (l Limits) Refusal(s *State) string {
	switch {
	case s.Completed():
		return "the league is over"
	case s.Started() || l.Closed:
		return l.lateRefusal(s)
	}
	return ""
}

// lateRefusal returns why no player may join any more, or "" if one may join the running league.
func (l Limits) lateRefusal(s *State) string {
	const closed = "registration is closed: the league has started"
	if !s.Started() || l.Late == nil || l.Late.Settings.Late.Until == 1 {
		return closed
	}
	if err := l.Late.MayJoin(s); err != nil {
		return closed + ", and " + err.Error()
	}
	return ""
}

// Events returns the events of a ruling. A player that is admitted to a running league joins it in its next round.
func (l Limits) Events(s *State, d Ruling) []Event {
	switch {
	case d.Found != nil:
		return []Event{*d.Found}
	case d.Yes == nil:
		return nil
	case d.Yes.Role == protocol.RolePlayer && s.Started() && !s.Completed() && !s.InField(d.Yes.ID) && l.Late != nil:
		if joined, err := l.Late.Join(s, *d.Yes); err == nil {
			return joined
		}
	}
	if d.Same {
		return nil
	}
	return []Event{*d.Yes}
}

// refuse returns the ruling that refuses a newcomer, or the zero ruling if nothing speaks against it. namesake is the
// agent that has its name already, or nil.
func (ap Application) refuse(s *State, l Limits, namesake *Agent) Ruling {
	late := s.Started() || l.Closed
	switch {
	case s.Completed():
		return Refused(protocol.RegistrationClosed, "the league is over")
	case ap.isOrganisersReferee():
		return Ruling{}
	case late && namesake != nil && (ap.Role == protocol.RolePlayer || s.Started()):
		return refusePretender(namesake,
			"%s is already %q; if this is that agent, ask the organiser for `league readmit %s {code}`", namesake.ID,
			namesake.Name, namesake.ID)
	case ap.Role == protocol.RolePlayer && late && l.lateRefusal(s) != "":
		return Refused(protocol.RegistrationClosed, "%s", l.lateRefusal(s))
	case ap.nameReserved(s, ap.Meta.DisplayName) && namesake != nil:
		return refusePretender(namesake,
			"the name %q belongs to %s, which was invited; use the address with its join key, "+
				"choose another name, or ask the organiser for `league readmit %s {code}`", namesake.Name, namesake.ID,
			namesake.ID)
	case ap.nameReserved(s, ap.Meta.DisplayName):
		return Refused(protocol.DuplicateName,
			"the name %q is reserved for an invited agent; use the address with its join key, or choose another name",
			ap.Meta.DisplayName)
	case ap.Meta.PublicKey != "" && ap.Invitation == "" && naming.Reserved(ap.Meta.DisplayName):
		return ReservedNameRefused(ap.Meta.DisplayName)
	case ap.Invitation == "" && namesake != nil && (namesake.Native() || namesake.Invitation != ""):
		return refusePretender(namesake,
			"the name %q belongs to %s; choose another name, or if this is that agent start it with "+
				"its saved identity, or ask the organiser for `league readmit %s {code}`", namesake.Name, namesake.ID, namesake.ID)
	case !s.Started() && l.Regulars.reservesName(ap):
		return Refused(protocol.DuplicateName,
			"the name %q is kept for an agent of the season before; choose another name, or start that agent with its "+
				"saved identity", ap.Meta.DisplayName)
	case l.InvitedOnly && ap.Invitation == "" && ap.By == "" && !l.Regulars.isRegular(ap):
		return Refused(protocol.RegistrationClosed,
			"this league is for invited agents; ask the organiser for a join key")
	case ap.Role == protocol.RoleReferee && ap.By == "":
		if no := ap.uninvitedReason(s, l); no != "" {
			return Refused(protocol.RegistrationClosed, "%s", no)
		}
	}
	return Ruling{}
}

// ReservedNameRefused is the ruling on an agent that asks for a reserved name.
func ReservedNameRefused(name string) Ruling {
	d := Refused(protocol.DuplicateName, "the name %q is reserved: it reads as the id of an agent or as a role", name)
	d.No.Advice = "Choose another name"
	return d
}

// uninvitedReason returns why a referee that is not the organiser's may not judge in this league, or "".
func (ap Application) uninvitedReason(s *State, l Limits) string {
	switch {
	case !s.Created.GuestsMayJudge:
		return "matches of " + s.Created.GameType +
			" are judged by the organiser's referees only: start it on the organiser's root, or give it that " +
			"root's referee secret"
	case l.Guests == GuestsNever:
		return "only the organiser's referees judge here: start it on the organiser's root, or give it that " +
			"root's referee secret"
	case l.Guests == GuestsInvited && ap.Invitation == "" && !l.Regulars.isRegular(ap):
		return "guest referees need an invitation: ask the organiser for a join key"
	case s.Started() && ap.Invitation == "":
		return "guest referees can join only before the league starts"
	}
	return ""
}

// nameReserved reports whether an invitation reserves a name for another agent than the applicant.
func (ap Application) nameReserved(s *State, name string) bool {
	i := s.Reservation(ap.Role, name)
	return i != nil && i.Name != ap.Invitation
}
