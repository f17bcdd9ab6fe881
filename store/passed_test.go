package store_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"agentleague/protocol"
	"agentleague/store/logs"
)

// wantAsRecord writes passings the short way and the long way, and holds the lines against each other.
func wantAsRecord(t *testing.T, agent string, at time.Time, all ...logs.Passing) {
	t.Helper()
	root := open(t)
	log, err := root.Logs().Agent(protocol.RolePlayer, league, agent, slog.LevelDebug)
	mustSucceed(t, err)
	for _, p := range all {
		mustSucceed(t, log.Passed(at, p))
		mustSucceed(t, log.Handler().Handle(context.Background(), p.Record(at, slog.LevelDebug)))
	}
	mustSucceed(t, log.Close())
	if err := log.Passed(at, logs.Passing{}); err == nil {
		t.Error("a log that is closed takes a line")
	}
	lines := strings.SplitAfter(read(t, root, "logs/agents/"+agent+".log.jsonl"), "\n")
	if len(lines) != 2*len(all)+1 {
		t.Fatalf("got %d lines, want %d", len(lines)-1, 2*len(all))
	}
	for i := 0; i+1 < len(lines); i += 2 {
		if lines[i] != lines[i+1] {
			t.Errorf("\ngot  %swant %s", lines[i], lines[i+1])
		}
	}
}

// The fast encoder writes the same as the general one, for any content of a message.
func TestAPassingIsWrittenAsItsRecordIs(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	odd := "tok_player_P01_abc \"quoted\"\x1b[31m\n" + strings.Repeat("ü", 600)
	all := []logs.Passing{
		{Sent: true, Type: "GAME_INVITATION", Conversation: "conv-1", Match: "R1M1", Peer: "http://localhost:8101/mcp"},
		{Type: "PING", Conversation: "conv-1", Peer: "manager"},
		{Type: "PING"},
		{Type: "tok"},
		{Sent: true, Peer: "127.0.0.1"},
		{Conversation: "conv-1", Match: "ok, to k, token"},
		{Match: odd, Peer: odd},
		{Type: odd, Conversation: odd, Match: odd, Peer: odd},
	}
	for _, n := range []int{509, 510, 511, 512, 513} { // the longest name there is, and longer ones
		long := strings.Repeat("x", n)
		all = append(all, logs.Passing{Type: long, Conversation: long, Match: long, Peer: long})
	}
	for _, agent := range []string{"P01", "tok_P01"} {
		wantAsRecord(t, agent, at, all...)
	}
}
