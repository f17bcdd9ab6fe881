package protocol

import (
	"encoding/json"
	"testing"
)

// exPlayed is the record of a match as most are: every message of it, nothing odd in any.
func exPlayed(tb testing.TB) *MatchRecord {
	r := MatchRecord{
		SchemaVersion: "1.0.0", MatchID: exMatch, LeagueID: exLeague, RoundID: 1, GameType: exGame, RefereeID: "REF01",
		PlayerAID: "P01", PlayerBID: "P02", Attempt: 1, LastUpdated: exTime(930), TranscriptComplete: true,
	}
	for _, e := range matchExamples() {
		switch typ := e.message.Head().MessageType; typ {
		case TypeGameInvitation, TypeGameJoinAck, TypeChooseParityCall, TypeChooseParityResponse, TypeGameOver:
			raw, plain, err := EncodePlain(e.message)
			if err != nil {
				tb.Fatal(err)
			}
			for range 2 {
				e := TranscriptEntry{
					Seq: len(r.Transcript) + 1, Timestamp: exTime(900), MessageType: typ, From: "referee:REF01", To: "player:P01",
					Message: raw,
				}
				if plain {
					e.MarkPlain()
				}
				r.Transcript = append(r.Transcript, e)
			}
		case TypeMatchResultReport:
			report := e.message.(*MatchResultReport)
			r.Moves, r.Signed, r.Fairness = report.Moves, report.Signed, *report.Fairness
		}
	}
	for i := range 4 {
		r.Tries = append(r.Tries, Try{Stage: 1 + i/2, PlayerID: "P01", Asked: TypeChooseParityCall, SentAt: exTime(900),
			AgentMS: 1.234, OverheadMS: 0.012, Outcome: Answered})
	}
	r.Result = GameResult{
		Status: Win, WinnerPlayerID: new("P01"), DrawnNumber: Present(8), NumberParity: Present("even"),
		Choices: map[string]json.RawMessage{"P01": text("even"), "P02": text("odd")},
		Score:   map[string]int{"P01": 3, "P02": 0}, Reason: "P01 chose even, number was 8 (even)",
	}
	return &r
}

func BenchmarkRecord(b *testing.B) {
	r := exPlayed(b)
	b.Run("line", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, _, err := r.Line(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("document", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, _, err := r.Document(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
