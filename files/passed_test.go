package files_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"agentleague/files"
	"agentleague/protocol"
)

// The short way writes what the long way writes, whatever others put into a message.
func TestAPassingIsWrittenAsItsRecordIs(t *testing.T) {
	root := open(t)
	log, err := root.AgentLog(protocol.RolePlayer, league, "P01", slog.LevelDebug)
	mustSucceed(t, err)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	odd := "tok_player_P01_abc \"quoted\"\x1b[31m\n" + strings.Repeat("ü", 600)
	for _, p := range []files.Passing{
		{Sent: true, Type: "GAME_INVITATION", Conversation: "conv-1", Match: "R1M1", Peer: "http://localhost:8101/mcp"},
		{Type: "PING", Conversation: "conv-1", Peer: "manager"},
		{Type: "PING"},
		{Sent: true, Peer: "127.0.0.1"},
		{Match: odd, Peer: odd},
		{Type: odd, Conversation: odd, Match: odd, Peer: odd},
	} {
		mustSucceed(t, log.Passed(at, p))
		mustSucceed(t, log.Handler().Handle(context.Background(), p.Record(at, slog.LevelDebug)))
	}
	mustSucceed(t, log.Close())
	if err := log.Passed(at, files.Passing{}); err == nil {
		t.Error("a log that is closed takes a line")
	}
	lines := strings.SplitAfter(read(t, root, "logs/agents/P01.log.jsonl"), "\n")
	if len(lines) != 13 {
		t.Fatalf("got %d lines, want 12", len(lines)-1)
	}
	for i := 0; i+1 < len(lines); i += 2 {
		if lines[i] != lines[i+1] {
			t.Errorf("\ngot  %swant %s", lines[i], lines[i+1])
		}
	}
}
