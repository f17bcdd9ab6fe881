package league

import (
	"cmp"
	"reflect"
	"strconv"

	"agentleague/league/location"
	"agentleague/league/naming"
	"agentleague/protocol"
)

// known returns the registered agent that the applicant is, or nil. It identifies the applicant by join key or public
// key, and a third-party applicant without a join key by its address.
func (ap Application) known(s *State) *Agent {
	if i := s.invited[ap.Role][ap.Invitation]; i != nil {
		return s.Agents[i.Agent]
	}
	if a := s.heirs[(Readmitted{Key: ap.Meta.PublicKey, Place: ap.Place}).name(ap.Role)]; a != nil {
		return a
	}
	if ap.Meta.PublicKey != "" {
		return s.keys[keyName(ap.Role, ap.Meta.PublicKey)]
	}
	for _, a := range s.strange[location.Port(ap.Place)] {
		if a.Role == ap.Role && a.Invitation == "" && a.Displaced == "" && a.Heir == nil {
			return a
		}
	}
	return nil
}

// comeBack returns the ruling on an application that matches registered agent a: the applicant is a itself, the
// replacement for a that the organizer admitted, or an impostor.
func comeBack(s *State, ap Application, a *Agent) Ruling {
	own := a.Native() && a.Key == ap.Meta.PublicKey
	switch {
	case s.Completed() && s.Schema < 2 && own: // it has no key to answer with
		return Refused(protocol.RegistrationClosed, "the league is over")
	case s.Completed() && own: // the log is closed: the challenge shows that it is the agent, and nothing changes
		d := ap.admitOrChallenge(&a.Registered)
		d.Same = d.Yes != nil
		return d
	case s.Completed() && !a.Native() && a.Place == ap.Place:
		return unchanged(a)
	case a.State == protocol.AgentShutdown && !s.Completed() && own && a.Agreed():
		if d := ap.admitOrChallenge(&a.Registered); d.Offer != nil { // first it shows that it is the agent
			return d
		}
		return putOut(a)
	case a.State == protocol.AgentShutdown && !s.Completed():
		return putOut(a)
	case a.Heir != nil && a.Heir.name(a.Role) == (Readmitted{Key: ap.Meta.PublicKey, Place: ap.Place}).name(ap.Role):
		return ap.registerReturned(s, a)
	case a.Heir != nil:
		return refusePretender(a,
			"the organiser has given the place of %s to another agent; ask the organiser for `league readmit %s {code}`",
			a.ID, a.ID)
	case a.Native() && ap.Meta.PublicKey == "":
		return refusePretender(a,
			"%s registered with a key and comes back without it; start it with its saved identity, or ask the "+
				"organiser for `league readmit %s {code}`", a.ID, a.ID)
	case a.Native() && !own:
		return refusePretender(a,
			"%s registered with another key; start it with its saved identity, or ask the "+
				"organiser for `league readmit %s {code}`", a.ID, a.ID)
	case own && a.AgreementKey != "" && a.AgreementKey != ap.Meta.AgreementKey:
		return refuseImpostor(a,
			"the key of %s belongs to another agreement_key; start the agent with its saved identity", a.ID)
	}
	moves := a.Place != ap.Place && (a.Native() || location.Port(a.Place) != location.Port(ap.Place))
	switch {
	case moves && !ap.Asked(a):
		return askFirst(a)
	case moves && ap.StillThere(a):
		return ap.runsElsewhere(a)
	case !a.Native() && ap.Invitation == "" && ap.Meta.PublicKey == "":
		return ap.renewForeign(s, a)
	}
	return ap.registerReturned(s, a)
}

// runsElsewhere refuses an applicant that identifies as a while a still answers at its registered endpoint. If a is
// native and was displaced, the ruling ends the displacement.
func (ap Application) runsElsewhere(a *Agent) Ruling {
	if !a.Native() {
		return refusePretender(a,
			"%s runs at %s; stop it there first, or ask the organiser for `league readmit %s {code}`",
			a.ID, a.Endpoint, a.ID)
	}
	d := Refused(protocol.DuplicateName, "%s runs at %s; stop it there first", a.ID, a.Endpoint)
	d.No.Advice = "Stop the other process that has this identity, then start the agent again"
	if found := ap.Signed[AskedAs(a)]; a.Displaced != "" {
		d.Found = &found
	}
	return d
}

// refuseImpostor refuses an applicant that sends the public key of an agent and cannot prove that it has the private
// key.
func refuseImpostor(a *Agent, format string, args ...any) Ruling {
	d := Refused(protocol.DuplicateName, format, args...)
	d.No.Claims = a.ID
	d.No.Advice = WithIdentity
	return d
}

// renewForeign renews a third-party agent's registration. Before the start it may change its name and dialect; after
// the start neither changes.
func (ap Application) renewForeign(s *State, a *Agent) Ruling {
	now := ap.registered(s, a.ID, a.Generation)
	now.Endpoint, now.Place, now.Invitation, now.By = a.Endpoint, a.Place, a.Invitation, a.By
	if !ap.mayRename(s, a) {
		now.Name = a.Name
	}
	now.Nonce = a.Nonce
	renames := now.Name != a.Name
	switch {
	case s.Started() || reflect.DeepEqual(*now, a.Registered):
		return unchanged(a)
	case renames && a.Renames >= MaxRenames:
		d := Refused(protocol.RateLimited, "%s has changed its name %d times; ask the organizer for "+
			"`league rename %s NAME`", a.ID, a.Renames, a.ID)
		d.No.Advice = "Register under the name " + strconv.Quote(a.Name)
		return d
	}
	return Ruling{Yes: now, Renames: renames}
}

// mayRename reports whether an agent of the league may change its name to the one that it registers with.
func (ap Application) mayRename(s *State, a *Agent) bool {
	name := ap.Meta.DisplayName
	if a.Fixed || ap.nameReserved(s, name) {
		return false
	}
	if other := s.Named(ap.Role, name); other != nil && other != a {
		return false
	}
	return name == a.Name || !naming.Reserved(name) || ap.Meta.PublicKey == "" && naming.MayBeCalled(name, a.ID)
}

// registerReturned registers a returning agent at its new network address. A native agent must answer a challenge there
// first.
func (ap Application) registerReturned(s *State, a *Agent) Ruling {
	now := ap.registered(s, a.ID, a.Generation)
	if ap.Invitation != "" || !ap.mayRename(s, a) {
		now.Name = a.Name
	}
	now.Invitation, now.Nonce = cmp.Or(ap.Invitation, a.Invitation), a.Nonce
	return ap.admitOrChallenge(now)
}

// admitOrChallenge admits an applicant. For a native one it returns an offer until the applicant has signed the
// challenge.
func (ap Application) admitOrChallenge(now *Registered) Ruling {
	if !now.Native() {
		return Ruling{Yes: now}
	}
	w, out := ap.Taken, *now
	if w == nil || w.ID != now.ID || w.Generation != now.Generation {
		out.Endpoint, out.Place = ap.Meta.ContactEndpoint, ap.Place
		return Ruling{Offer: &out}
	}
	out.Welcome, out.Organiser = &w.Proof, w.Organiser
	return Ruling{Yes: &out}
}

// putOut returns the ruling that refuses an excluded agent. Its reason names the remedy.
func putOut(a *Agent) Ruling {
	d := Refused(protocol.RegistrationClosed,
		"%s is out of the league (%s); ask the organiser for `league readmit %s`", a.ID,
		cmp.Or(a.Why, "withdrawn"), a.ID)
	d.No.Of = a.ID
	return d
}

// AskedAs returns the key in Application.Answers under which the manager stores whether agent a still answers at its
// endpoint.
func AskedAs(a *Agent) string { return a.ID + " " + a.Endpoint }

// Asked reports whether the manager has checked if a still answers at its endpoint.
func (ap Application) Asked(a *Agent) bool {
	_, asked := ap.Answers[AskedAs(a)]
	return asked
}

// StillThere reports whether a still answers at its endpoint; false if the manager has not checked.
func (ap Application) StillThere(a *Agent) bool { return ap.Answers[AskedAs(a)] }
