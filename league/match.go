package league

import (
	"encoding/json"
	"maps"
	"time"

	"agentleague/protocol"
)

// A Match is a match of an opened round.
type Match struct {
	ID       string
	Round    int
	A, B     string
	Assigned []MatchAssigned // every attempt, oldest first
	Outcome  *ResultRecorded // nil: it is not over, or it was annulled
	EndedAt  time.Time       // when the result was recorded
	Proof    string          // the basis of the result; "": there is none
	Hosted   bool            // a player was one of the manager's process when the result was recorded
	Against  []Contested     // contests of the result
	Annulled int             // how often its result was struck
	void     int             // attempts up to this one no longer count
}

// Attempt returns the match's newest assignment since the last annulment, or the zero value.
func (m *Match) Attempt() MatchAssigned {
	if len(m.Assigned) <= m.void {
		return MatchAssigned{}
	}
	return m.Assigned[len(m.Assigned)-1]
}

// next returns the number that the next attempt at the match gets.
func (m *Match) next() int { return len(m.Assigned) + 1 }

// DrawName returns the name of the match in the formula of its draw key.
func (m *Match) DrawName() string { return protocol.DrawName(m.ID, m.Annulled) }

// Opponent returns the other player.
func (m *Match) Opponent(id string) string {
	if m.A == id {
		return m.B
	}
	return m.A
}

// Points returns a player's points in the match so far.
func (m *Match) Points(id string, scoring protocol.Scoring) int {
	if m.Outcome == nil {
		return 0
	}
	return m.Outcome.Result.Points(id, scoring)
}

// Says reports whether the match has a recorded result that equals r.
func (m *Match) Says(r protocol.ReportedResult) bool {
	if m.Outcome == nil {
		return false
	}
	result, err := normalise(r, m.A, m.B)
	return err == nil && m.Outcome.says(result)
}

// AssignedTo returns the assignment that a referee's report is about: the one with the reported attempt number, or else
// the newest of that referee. ok is false if the match was never assigned to the referee.
func (m *Match) AssignedTo(referee string, attempt int) (found MatchAssigned, ok bool) {
	if m == nil {
		return found, false
	}
	for _, a := range m.Assigned[m.void:] {
		if a.Referee == referee && (!ok || found.Attempt != attempt) {
			found, ok = a, true
		}
	}
	return found, ok
}

// Report converts the recorded result into a report, without the fields that the log does not keep.
func (m *Match) Report(gameType string) *protocol.MatchResultReport {
	out := m.Outcome
	r := &protocol.MatchResultReport{GameType: gameType, Attempt: out.Attempt, Moves: out.Moves, Signed: out.Signed,
		Fairness: &protocol.Fairness{Key: out.DrawKey}, RecordSHA256: out.RecordSHA256}
	r.MatchID, r.RoundID = m.ID, protocol.Round(m.Round)
	r.Result.Details = protocol.ReportDetails{
		DrawnNumber: protocol.DrawMember(gameType, out.Result.Drawn), Status: out.Result.Status, Forfeits: out.Result.Forfeits,
		Choices: map[string]json.RawMessage{m.A: json.RawMessage("null"), m.B: json.RawMessage("null")},
	}
	maps.Copy(r.Result.Details.Choices, out.Result.Choices)
	if w := out.Result.Winner; w != "" {
		r.Result.Winner = &w
	}
	return r
}

// ratedPoints returns the first player's score. counts is false for a match that was not played to its end, which
// is not rated.
func (m *Match) ratedPoints() (points float64, counts bool) {
	if m.Outcome == nil || m.Outcome.Attempt == 0 || len(m.Outcome.Result.Forfeits) > 0 {
		return 0, false
	}
	switch r := m.Outcome.Result; {
	case r.Winner == m.A:
		return 1, true
	case r.Winner == m.B:
		return 0, true
	default:
		return 0.5, r.Status == protocol.Draw
	}
}

// Reported returns the error for a further report of a match, or nil if it has no result yet. The error's text is
// format, in which %s stands for the id of the match.
func (m *Match) Reported(format string) error {
	if m == nil || m.Outcome == nil {
		return nil
	}
	return protocol.Errorf(protocol.DuplicateReport, format, m.ID).With("match_id", m.ID).
		With("previous_report_time", protocol.Stamp(m.EndedAt))
}
