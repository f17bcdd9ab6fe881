package league

import (
	"fmt"
	"slices"
	"time"

	"agentleague/league/naming"
	"agentleague/protocol"
)

// register adds an agent, or updates an existing one. Names are unique. Before the start of the league a third-party
// agent can lose its name to a native agent, and then gets another name.
func (r *registry) register(at time.Time, e Registered) error {
	a, names := r.Agents[e.ID], r.names[e.Role]
	if e.Keyless() { // every referee of this program was the organizer's
		r.keyless, e.Organiser = true, e.MatchTokens && e.Role == protocol.RoleReferee
	}
	if names == nil || a != nil && a.Role != e.Role {
		return fmt.Errorf("%q registered as a %q", e.ID, e.Role)
	}
	if err := r.yieldName(a, e); err != nil {
		return err
	}
	if err := r.mayRegister(a, e); err != nil {
		return err
	}
	if a == nil {
		a = &Agent{State: protocol.AgentRegistered}
		r.Agents[e.ID] = a
		at, _ := slices.BinarySearchFunc(r.roster[e.Role], e.ID, func(a *Agent, id string) int {
			return protocol.CompareIDs(a.ID, id)
		})
		r.roster[e.Role] = slices.Insert(r.roster[e.Role], at, a)
	} else {
		e.Nonce = a.Nonce // given once
		if a.Name != e.Name && !e.Native() {
			a.Renames++
		}
		r.unsettle(a)
	}
	names.rename(a, e.Name)
	a.Registered, a.RegisteredAt, a.Heir, a.Displaced, a.Outdated = e, at, nil, "", false
	r.settle(a)
	a.Issued = max(a.Issued, e.Generation)
	if a.State == protocol.AgentSuspended {
		a.State, a.Why = r.goodOrder(), ""
	}
	for r.Agents[protocol.AgentID(e.Role, r.free[e.Role])] != nil {
		r.free[e.Role]++
	}
	return nil
}

// yieldName renames the agents that must give up the name of a registration. It returns an error if one of these agents
// need not give it up. In logs that began with schema 1, agents that keep their name may have the same skeleton.
func (r *registry) yieldName(a *Agent, e Registered) error {
	for _, other := range slices.Clone(r.namesakes(e.Role, e.Name)) {
		switch kept := a != nil && a.Name == e.Name || e.Invitation == e.Name; {
		case other == a || kept && other.Name != e.Name:
		case !yields(other, e, r.started):
			return fmt.Errorf("%q registered under the name of %s", e.ID, other.ID)
		default:
			r.names[e.Role].rename(other, r.freeName(e.Role, e.Name))
		}
	}
	return nil
}

// goodOrder returns the state of an agent without problems: registered, or active after the start.
func (r *registry) goodOrder() string {
	if r.started {
		return protocol.AgentActive
	}
	return protocol.AgentRegistered
}

// invite reserves a name for the holder of a join key.
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
	skeleton := naming.Skeleton(e.Name)
	r.reserved[e.Role][skeleton] = append(r.reserved[e.Role][skeleton], e.Name)
	return nil
}

// mayRegister returns an error if a registration contradicts the agent's earlier ones. These checks apply to every log;
// the manager checks more before it logs a registration.
func (r *registry) mayRegister(a *Agent, e Registered) error {
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
	case a != nil && a.Key != e.Key && a.Heir == nil && (a.Native() || r.started) &&
		(e.Invitation == "" || r.Schema >= 2 && a.Native()):
		return fmt.Errorf("%s registered with another key than its own", e.ID)
	case e.Key != "" && twin != nil && twin != a:
		return fmt.Errorf("%q registered with the key of %s", e.ID, twin.ID)
	}
	return r.mayAgree(a, e)
}

// mayAgree returns an error if the agreement key or the token generation in a registration contradicts the agent's
// earlier ones.
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

// yields reports whether agent a loses its name to the registration e. That happens only before the start, to a
// third-party agent without an invitation whose network address a native agent proved to have.
func yields(a *Agent, e Registered, started bool) bool {
	return !started && !a.Native() && a.Invitation == "" && e.Native() && collide(a.Registered, e)
}

// readmit readmits an excluded agent, or admits another agent under its id.
func (r *registry) readmit(at time.Time, e Readmitted) error {
	a := r.Agents[e.ID]
	if a != nil && a.Merged != "" {
		return fmt.Errorf("%s was readmitted, and was merged into %s", e.ID, a.Merged)
	}
	return r.withAgent(e.ID, func(a *Agent) {
		a.Forfeits, a.Silent, a.RegisteredAt = 0, false, at
		if a.State == protocol.AgentShutdown {
			a.State, a.Why = r.goodOrder(), ""
		}
		if e.Place == "" {
			return
		}
		if a.Heir != nil {
			delete(r.heirs, a.Heir.name(a.Role))
		}
		a.Heir = &e
		r.heirs[e.name(a.Role)] = a
		a.Issued++
		a.Generation = a.Issued
	})
}

// start makes the registered agents active. From then on they keep their names and keys.
func (r *registry) start() {
	r.started = true
	for _, a := range r.Agents {
		if a.State == protocol.AgentRegistered {
			a.State = protocol.AgentActive
		}
	}
}

// upgrade sets a newer schema. Tokens of native agents from schema 1 become invalid.
func (r *registry) upgrade(schema int) {
	for _, a := range r.Agents {
		a.Outdated = a.Outdated || a.Native() && r.Schema < Schema
	}
	r.Schema = schema
}

// count updates the consecutive forfeits and response times of both players of a match after its result.
func (r *registry) count(m *Match, e *ResultRecorded, beside aside) {
	for _, id := range []string{m.A, m.B} {
		a := r.Agents[id]
		code, forfeited := e.Result.Forfeits[id]
		if forfeited {
			a.Forfeits++
		} else {
			a.Forfeits = 0
		}
		a.Silent = code == protocol.Connection.Code || code == protocol.Timeout.Code
		if t, ok := beside.timingOf(e, id); ok {
			a.Timing = a.Timing.Plus(t)
			if ref := r.Agents[e.Referee]; ref != nil {
				ref.Timing = ref.Timing.Plus(t)
			}
		}
	}
}
