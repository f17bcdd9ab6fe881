package league

import "agentleague/protocol"

// Records stores the records of matches with a result that counts.
type Records interface {
	// Has reports whether a match's record is stored intact. If hash is not empty, the record must have that hash.
	Has(match, hash string) bool
	// Store keeps a record.
	Store(match string, document []byte) error
}

// RecordFromLog returns a record of a match that has no referee's record, because the match was never played or its
// referee stores no records. It is derived from the log alone.
func (s *State) RecordFromLog(m *Match) protocol.MatchRecord {
	at := protocol.Stamp(s.opened[m.Round-1])
	out := m.Outcome
	rec := protocol.MatchRecord{
		SchemaVersion: "1.0.0", MatchID: m.ID, LeagueID: s.Created.LeagueID, RoundID: m.Round,
		GameType:  s.Created.GameType,
		RefereeID: out.Referee, PlayerAID: m.A, PlayerBID: m.B, Attempt: out.Attempt, LastUpdated: at,
		Lifecycle: protocol.Lifecycle{State: protocol.Finished, CreatedAt: at, StartedAt: at, CompletedAt: at,
			Transitions: []protocol.Transition{}},
		Transcript: []protocol.TranscriptEntry{}, Moves: append([]protocol.PlayedMove{}, out.Moves...),
		Result: protocol.GameResult{
			Status: out.Result.Status, Choices: out.Choices(),
			DrawnNumber:  protocol.DrawMember(s.Created.GameType, out.Result.Drawn),
			NumberParity: protocol.DrawMember[string](s.Created.GameType, nil),
			Forfeits:     out.Result.Forfeits,
			Score: map[string]int{m.A: out.Result.Points(m.A, s.Created.Scoring), m.B: out.Result.Points(m.B,
				s.Created.Scoring)},
			Reason: "as reported; no referee's record is known",
		},
	}
	if out.Note != "" {
		rec.Result.Reason += "; unusual: " + out.Note
	}
	if w := out.Result.Winner; w != "" {
		rec.Result.WinnerPlayerID = &w
	}
	return rec
}
