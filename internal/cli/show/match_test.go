package show

import (
	"bytes"
	"encoding/json"
	"testing"

	"agentleague/protocol"
)

func TestReplayShowsTriesErrorsAndWhoWaited(t *testing.T) {
	t.Parallel()
	winner, error2 := "P02", `{"error_name":"TIMEOUT_ERROR","retry_count":3,"max_retries":3,"retryable":false,"context":{"detail":"no \u0007 answer"}}`
	rec := protocol.MatchRecord{
		MatchID: "R1M1", RoundID: 1, GameType: "even_odd", RefereeID: "REF01", PlayerAID: "P01", PlayerBID: "P02", Attempt: 1, TranscriptComplete: true,
		Transcript: []protocol.TranscriptEntry{
			{Seq: 1, Timestamp: "2026-01-01T10:00:00Z", MessageType: protocol.TypeGameError, From: "referee:REF01", To: "player:P01",
				Message: json.RawMessage(`{"error_name":"TIMEOUT_ERROR","retry_count":1,"max_retries":3,"retryable":true,"context":{"detail":"no answer"}}`)},
			{Seq: 2, Timestamp: "2026-01-01T10:00:32Z", MessageType: protocol.TypeGameError, From: "referee:REF01", To: "player:P01", Message: json.RawMessage(error2)},
		},
		Tries: []protocol.Try{
			{Stage: 1, PlayerID: "P01", Asked: protocol.TypeGameInvitation, SentAt: "2026-01-01T10:00:00.000Z", AgentMS: 1.5, Outcome: protocol.Answered},
			{Stage: 1, PlayerID: "P02", Asked: protocol.TypeGameInvitation, SentAt: "2026-01-01T10:00:00.000Z", AgentMS: 4, Outcome: protocol.Answered},
			{Stage: 2, PlayerID: "P01", Asked: protocol.TypeChooseParityCall, SentAt: "2026-01-01T10:00:01.000Z", AgentMS: 1000, OverheadMS: 29000, Outcome: "E001", Void: true},
			{Stage: 2, PlayerID: "P02", Asked: protocol.TypeChooseParityCall, SentAt: "2026-01-01T10:00:01.000Z", AgentMS: 500, Outcome: protocol.Answered},
			{Stage: 2, PlayerID: "P01", Asked: protocol.TypeChooseParityCall, SentAt: "2026-01-01T10:00:31.000Z", AgentMS: 30000, Outcome: "E001"},
		},
		Result: protocol.GameResult{Status: protocol.TechnicalLoss, WinnerPlayerID: &winner, Forfeits: map[string]string{"P01": "E001"}, Reason: "P01 forfeited: TIMEOUT_ERROR"},
	}
	var out bytes.Buffer
	Match(&out, rec)
	want := `R1M1  even_odd, round 1: P01 against P02, REF01, attempt 1
  10:00:00  referee:REF01  → player:P01      GAME_ERROR  no answer; retry 1 of 3 follows
  10:00:32  referee:REF01  → player:P01      GAME_ERROR  no � answer; no retry is left
GAME_INVITATION: P01 answered in 1.5 ms; P02 answered in 4 ms; P01 waited 2.5 ms for P02
CHOOSE_PARITY_CALL: P01 failed with E001 after 1 s (plus 29 s referee delay), not counted, then failed with E001 after 30 s; P02 answered in 500 ms; P02 waited 59.5 s for P01
technical loss of P01: no � answer (E001)
P01 forfeited: TIMEOUT_ERROR
`
	if got := out.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
