package league

import (
	"fmt"
	"maps"
	"slices"

	"agentleague/league/naming"
	"agentleague/protocol"
)

// The checks below report log entries that no manager writes: unknown rules, impossible names, ineligible referees,
// unknown codes.

// says adds a finding about a field of the current log line.
func (a *Audit) says(field, format string, args ...any) {
	a.Findings = append(a.Findings, Finding{Line: a.Lines, Field: field, What: fmt.Sprintf(format, args...)})
}

// checkRules checks that the tiebreakers in the league's first event are known.
func (a *Audit) checkRules(e Created) {
	if err := CheckTiebreakers(e.Tiebreakers); err != nil {
		a.Findings = append(a.Findings, Finding{Line: a.Lines, Field: "tiebreakers", What: err.Error()})
	}
}

// checkName checks that an agent's name and id are valid.
func (a *Audit) checkName(e Registered) {
	if want := naming.Clean(e.Name); e.Name == "" {
		a.says(e.ID+".name", "an agent registered without a name")
	} else if e.Name != want {
		a.find(a.Lines, e.ID+".name", want, e.Name)
	}
	if !protocol.ValidID(e.Role, e.ID) {
		a.says("id", "no %s can have the id %q", e.Role, Clip(e.ID))
	}
}

// checkReserved reports an agent that registers under a name that looks like an id or a role. It accepts an agent
// that had the name before the log was upgraded.
func (a *Audit) checkReserved(e Registered) {
	known := a.State.Agents[e.ID]
	switch {
	case a.State.Schema < skeletonSchema || known != nil && known.Name == e.Name || e.Invitation == e.Name:
	case e.Native() && naming.Reserved(e.Name), !naming.MayBeCalled(e.Name, e.ID):
		a.says(e.ID+".name", "the name %q is reserved", e.Name)
	}
}

// checkInvited reports an invitation of a reserved name.
func (a *Audit) checkInvited(e Invited) {
	if a.State.Schema >= skeletonSchema && naming.Reserved(e.Name) {
		a.says(Clip(e.Name)+".name", "the name %q is reserved, and an agent was invited under it", Clip(e.Name))
	}
}

// checkJudge checks the referee of an assignment. The referee must be live, and a guest referee may judge only games in
// which it cannot profit from knowing the draw or a move early.
func (a *Audit) checkJudge(e MatchAssigned) {
	ref := a.State.Agents[e.Referee]
	if !ref.Live() {
		a.says(e.Match+".referee", "%s was given it while it was %s", e.Referee, ref.State)
	}
	if !ref.Organiser && !a.State.Created.GuestsMayJudge && !a.State.keyless {
		a.says(e.Match+".referee", "%s is a guest, and matches of %s are judged by the organiser's referees",
			e.Referee, a.State.Created.GameType)
	}
}

// checkForfeits checks the forfeit codes that the organiser's referees report. It ignores those of third-party
// referees.
func (a *Audit) checkForfeits(e ResultRecorded) {
	for _, id := range slices.Sorted(maps.Keys(e.Result.Forfeits)) {
		if code := e.Result.Forfeits[id]; !protocol.ForfeitCode(code) {
			a.says(e.Match+".forfeits."+id, "nobody can forfeit with the code %q", Clip(code))
		}
	}
}
