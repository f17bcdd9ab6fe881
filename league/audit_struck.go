package league

import (
	"fmt"

	"agentleague/protocol"
)

// A Struck is a result that no longer counts, as the log has it.
type Struck struct {
	Line         int
	RecordSHA256 string
}

// Struck returns the result of an attempt that was annulled.
func (a *Audit) Struck(at MatchAssigned) (Struck, bool) {
	s, ok := a.struck[at]
	return s, ok
}

// WasStruck reports whether a record is one of a result of that match which was annulled.
func (a *Audit) WasStruck(match, recordSHA256 string) bool {
	for at, s := range a.struck {
		if at.Match == match && s.RecordSHA256 == recordSHA256 {
			return true
		}
	}
	return false
}

// strike records the result that an annulment is about to strike.
func (a *Audit) strike(e Annulled) {
	m := a.State.Matches[e.Match]
	if m == nil || m.Outcome == nil {
		return
	}
	a.voids[m.ID] = append(a.voids[m.ID], len(m.Assigned))
	a.struck[MatchAssigned{m.ID, m.Outcome.Referee, m.Outcome.Attempt}] = Struck{a.Line[m.ID], m.Outcome.RecordSHA256}
}

// CheckSigned returns an error unless the record of an attempt has the signature of every native player that moved in
// it. A player that has had another key since is not checked, since the key of that time is not recorded.
func (a *Audit) CheckSigned(m *Match, at MatchAssigned, rec *protocol.MatchRecord) error {
	if a.rekeyed[m.A] || a.rekeyed[m.B] || !a.State.Agents[at.Referee].Native() {
		return nil
	}
	if id := Unsigned(a.State, m, rec.Moves, rec.Result.Forfeits, rec.Signed); id != "" {
		return fmt.Errorf("signed: %s signs its answers, and has not signed this one", id)
	}
	return CheckSigned(a.State, m, at, rec.Fairness.Commitment, rec.Signed)
}

// nameOf returns the name of a match in the formula of its draw key at the time of an attempt's assignment.
func (a *Audit) nameOf(at MatchAssigned) string {
	annulled := 0
	for _, attempts := range a.voids[at.Match] {
		if attempts < at.Attempt {
			annulled++
		}
	}
	return protocol.DrawName(at.Match, annulled)
}
