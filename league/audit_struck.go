package league

import (
	"fmt"

	"agentleague/protocol"
)

// A Struck identifies a recorded result that was annulled.
type Struck struct {
	Line         int
	RecordSHA256 string
}

// Struck returns the annulled result of an attempt; ok is false if there is none.
func (a *Audit) Struck(at MatchAssigned) (Struck, bool) {
	s, ok := a.struck[at]
	return s, ok
}

// WasStruck reports whether a record belongs to an annulled result of a match.
func (a *Audit) WasStruck(match, recordSHA256 string) bool {
	for at, s := range a.struck {
		if at.Match == match && s.RecordSHA256 == recordSHA256 {
			return true
		}
	}
	return false
}

// strike records the result that an annulment removes, for later checks of its match record.
func (a *Audit) strike(e Annulled) {
	m := a.State.Matches[e.Match]
	if m == nil || m.Outcome == nil {
		return
	}
	if PlayedOn(a.State, m) {
		a.says(m.ID, "it was annulled although a player of it has played on in the bracket")
	}
	a.voids[m.ID] = append(a.voids[m.ID], len(m.Assigned))
	a.struck[MatchAssigned{m.ID, m.Outcome.Referee, m.Outcome.Attempt}] = Struck{a.Line[m.ID], m.Outcome.RecordSHA256}
}

// CheckSigned returns an error unless the record of an attempt has a valid signature of every native player that moved
// in it. It returns nil without a check if a player's key changed later, since the earlier key is not known, or if the
// referee is third-party.
func (a *Audit) CheckSigned(m *Match, at MatchAssigned, rec *protocol.MatchRecord) error {
	if a.rekeyed[m.A] || a.rekeyed[m.B] || !a.State.Agents[at.Referee].Native() {
		return nil
	}
	if id := Unsigned(a.State, m, rec.Moves, rec.Result.Forfeits, rec.Signed); id != "" {
		return fmt.Errorf("signed: %s signs its answers, and has not signed this one", id)
	}
	return CheckSigned(a.State, m, at, rec.Fairness.Commitment, rec.Signed)
}

// nameOf returns the name under which the draw key of an attempt was derived, see [Match.DrawName].
func (a *Audit) nameOf(at MatchAssigned) string {
	annulled := 0
	for _, attempts := range a.voids[at.Match] {
		if attempts < at.Attempt {
			annulled++
		}
	}
	return protocol.DrawName(at.Match, annulled)
}
