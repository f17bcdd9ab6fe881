package league

import (
	"slices"

	"agentleague/protocol"
)

// The functions below check that the states of agents follow from the log too: which players start, when a player is
// excluded, and which agents may contest a result.

// checkReturn checks a registration. A new player in a started league must join that league in the same log entry.
// After a readmission only the admitted agent may take the address.
func (a *Audit) checkReturn(e Registered, then []Event) {
	known := a.State.Agents[e.ID]
	if known == nil {
		if awaitsPlace(a.State, e, then) {
			a.says(e.ID, "a player registered after the league had started")
		}
		return
	}
	if known.Key == e.Key {
		return
	}
	a.rekeyed[e.ID] = true
	if heir := known.Heir; heir != nil && e.Invitation == "" && heir.Key != e.Key {
		a.says(e.ID+".key", "it belongs neither to %s nor to the agent that the organiser admitted as it", e.ID)
	}
}

// checkKeyless checks that a registration uses the fields of old logs, in which agents had no public keys, only in such
// a log.
func (a *Audit) checkKeyless(e Registered) {
	a.keyed = a.keyed || e.Place != "" || e.Native() || a.State.Created.Schema > 1
	if e.Keyless() && (a.keyed || e.Organiser || e.Invitation != "") {
		a.says(e.ID+".match_tokens", "the version that wrote this log does not write match_tokens or conversation")
	}
}

// checkRoster checks the players at the start: they must be all registered ones that are neither suspended nor
// excluded.
func (a *Audit) checkRoster(e Started) {
	for _, p := range a.State.Roster(protocol.RolePlayer) {
		plays := slices.Contains(e.Players, p.ID)
		switch {
		case !plays && p.Live():
			a.says(p.ID, "it had registered, but the league was started without it")
		case plays && p.State == protocol.AgentShutdown:
			a.says(p.ID, "it was out, but the league was started with it")
		}
	}
	if !slices.IsSortedFunc(e.Players, protocol.CompareIDs) {
		a.says("players", "the players are not in the order of their ids")
	}
}

// checkStanding checks an event that changes an agent's state: the new state must be valid, the agent must not be
// excluded already, and an exclusion requires the configured number of consecutive forfeits.
func (a *Audit) checkStanding(e AgentState) {
	known, limit := a.State.Agents[e.ID], a.State.Created.MaxForfeits
	switch field := e.ID + ".state"; {
	case known == nil:
	case known.State == protocol.AgentShutdown:
		a.says(field, "it was out of the league, and nobody had readmitted it")
	case e.State == protocol.AgentShutdown && (limit == 0 || known.Forfeits < limit):
		a.says(field, "it was taken out after %d forfeits in a row; the rules say %d", known.Forfeits, limit)
	case e.State != protocol.AgentShutdown && e.State != protocol.AgentSuspended && e.State != protocol.AgentActive:
		a.says(field, "no agent can be %q", Clip(e.State))
	}
}

// checkAftermath checks that the log entry of a result also holds the state changes of its players that the result
// causes, such as a suspension.
func (a *Audit) checkAftermath(e ResultRecorded, then []Event) {
	m := a.State.Matches[e.Match]
	if m == nil || m.Outcome != nil || e.Attempt == 0 {
		return
	}
	for i, want := range afterResult(a.State, m, e.Result) {
		want := want.(AgentState)
		if i < len(then) {
			if got, ok := then[i].(AgentState); ok && got.ID == want.ID && got.State == want.State {
				continue
			}
		}
		a.says(want.ID+".state", "after %s it must be %s, but the log does not say so", m.ID, want.State)
		return
	}
}

// checkContest checks that a contest comes from a player or a referee of the match.
func (a *Audit) checkContest(e Contested) {
	m := a.State.Matches[e.Match]
	if m == nil {
		return
	}
	role, id := protocol.ParseSender(e.By)
	judged := slices.ContainsFunc(m.Assigned, func(at MatchAssigned) bool { return at.Referee == id })
	plays := id == m.A || id == m.B
	if !(role == protocol.RolePlayer && plays || role == protocol.RoleReferee && judged) {
		a.says(m.ID+".contested", "%q is neither a player nor a referee of the match", Clip(e.By))
	}
	if slices.ContainsFunc(m.Against, func(c Contested) bool { return c.By == e.By && c.Attempt == e.Attempt }) {
		a.says(m.ID+".contested", "%s contests it twice", Clip(e.By))
	}
}
