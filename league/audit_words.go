package league

import (
	"fmt"
	"maps"
	"slices"

	"agentleague/protocol"
)

// What a manager would never have written is a difference too: rules that there
// are not, names that cannot be, judges that may not, codes that nobody knows.

// checkRules looks at what a league is created with.
func (a *Audit) checkRules(e Created) {
	if err := checkTiebreakers(e.Tiebreakers); err != nil {
		a.Findings = append(a.Findings, Finding{Line: a.Lines, Field: "tiebreakers", What: err.Error()})
	}
}

// checkName looks at what an agent is called.
func (a *Audit) checkName(e Registered) {
	if want := cleanName(e.Name); e.Name == "" || e.Name != want {
		a.find(a.Lines, e.ID+".name", want, e.Name)
	}
	if role, id := protocol.ParseSender(protocol.Sender(e.Role, e.ID)); role != e.Role || id != e.ID || e.ID == "" {
		a.Findings = append(a.Findings, Finding{Line: a.Lines, Field: "id", What: fmt.Sprintf("no %s can have the id %q", e.Role, clip(e.ID))})
	}
}

// checkJudge looks at who is given a match: guests judge only games in which it
// is no help to know chance or the other's move early.
func (a *Audit) checkJudge(e MatchAssigned) {
	if ref := a.State.Agents[e.Referee]; !ref.Organiser && !a.State.Created.GuestsMayJudge {
		a.Findings = append(a.Findings, Finding{Line: a.Lines, Field: e.Match + ".referee", What: fmt.Sprintf("%s is a guest, and matches of %s are judged by the organiser's referees", e.Referee, a.State.Created.GameType)})
	}
}

// checkForfeits looks at why our own referees say that players lost. What others say is their own affair.
func (a *Audit) checkForfeits(e ResultRecorded) {
	for _, id := range slices.Sorted(maps.Keys(e.Result.Forfeits)) {
		if code := e.Result.Forfeits[id]; !protocol.ForfeitCode(code) {
			a.Findings = append(a.Findings, Finding{Line: a.Lines, Field: e.Match + ".forfeits." + id, What: fmt.Sprintf("nobody can forfeit with the code %q", clip(code))})
		}
	}
}

// nameOf is what a match was called in the formula of its draw key when an attempt at it was given out.
func (a *Audit) nameOf(at MatchAssigned) string {
	annulled := 0
	for _, attempts := range a.voids[at.Match] {
		if attempts < at.Attempt {
			annulled++
		}
	}
	return protocol.DrawName(at.Match, annulled)
}
