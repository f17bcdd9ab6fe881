package protocol_test

import (
	"encoding/json"
	"testing"
	"time"

	"agentleague/protocol"
)

func TestStagesTellWhoWaitedForWhom(t *testing.T) {
	try := func(stage int, player, sent string, agent, own float64, outcome string) protocol.Try {
		return protocol.Try{
			Stage: stage, PlayerID: player, Asked: protocol.TypeGameMoveCall, SentAt: "2026-01-02T03:04:" + sent + "Z",
			AgentMS: agent, OverheadMS: own, Outcome: outcome,
		}
	}
	rec := protocol.MatchRecord{PlayerAID: "P01", PlayerBID: "P02", Tries: []protocol.Try{
		try(1, "P01", "05.000", 10, 0, protocol.Answered), try(1, "P02", "05.000", 30, 5, protocol.Answered),
		try(2, "P01", "06.000", 100, 0, "E001"), try(2, "P02", "06.000", 40, 0, protocol.Answered),
		try(2, "P01", "08.000", 20, 0, protocol.Answered),
		try(3, "P02", "09.000", 7, 0, protocol.Answered),
	}}
	got := rec.Stages()
	for i, want := range []protocol.Stage{
		{Number: 1, First: "P01", Last: "P02", Waited: 25 * time.Millisecond},
		{Number: 2, First: "P02", Last: "P01", Waited: 1980 * time.Millisecond},
		{Number: 3},
	} {
		s := got[i]
		if s.Number != want.Number || s.First != want.First || s.Last != want.Last || s.Waited != want.Waited {
			t.Errorf("stage %d: got %q waited %v for %q, want %q, %v, %q", s.Number, s.First, s.Waited, s.Last, want.First,
				want.Waited, want.Last)
		}
	}
	if len(got) != 3 || len(got[1].Of("P01")) != 2 || len(got[1].Tries) != 3 {
		t.Errorf("got %+v", got)
	}
}

func TestGistTellsWhatMattersInAMessage(t *testing.T) {
	for message, want := range map[string]string{
		`{"parity_choice":"even"}`:   `"even"`,
		`{"move_data":{"choice":4}}`: `4`,
		`{"accept":false}`:           "declined",
		`{"accept":true}`:            "",
		`{"result":"WIN"}`:           "WIN",
		`[1,2`:                       "",
		`{"error_name":5}`:           "",
		`{"error_name":"TIMEOUT_ERROR","retryable":true,"retry_count":1,"max_retries":3,"context":{"detail":"late"}}`: "late; retry 1 of 3 follows",
		`{"error_name":"TIMEOUT_ERROR","context":{"detail":"late"}}`:                                                  "late; no retry is left",
	} {
		if got := (protocol.TranscriptEntry{Message: json.RawMessage(message)}).Gist(); got != want {
			t.Errorf("%s: got %q, want %q", message, got, want)
		}
	}
}

func TestLastErrorDetailIsOfTheRightPlayer(t *testing.T) {
	entry := func(to, detail string) protocol.TranscriptEntry {
		return protocol.TranscriptEntry{
			MessageType: protocol.TypeGameError, To: to, Message: json.RawMessage(`{"context":{"detail":"` + detail + `"}}`),
		}
	}
	rec := protocol.MatchRecord{
		Transcript: []protocol.TranscriptEntry{
			entry("player:P01", "first"), entry("player:P01", "last"), entry("player:P02", "other"),
		},
	}
	if got := rec.LastErrorDetail("P01"); got != "last" {
		t.Errorf("got %q", got)
	}
	if got := protocol.ForfeitMeaning("E999"); got != "it failed with E999" {
		t.Errorf("got %q", got)
	}
}
