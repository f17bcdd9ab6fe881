package store_test

import (
	"log/slog"
	"testing"
	"time"

	"agentleague/protocol"
	"agentleague/store/logs"
)

// BenchmarkPassed is one DEBUG line of a log that has an id, with its share of a write.
func BenchmarkPassed(b *testing.B) {
	root := open(b)
	log, err := root.Logs().Agent(protocol.RolePlayer, league, "P01", slog.LevelDebug)
	mustSucceed(b, err)
	mustSucceed(b, log.Registered(league, "P01"))
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	p := logs.Passing{
		Type: "CHOOSE_PARITY_CALL", Conversation: "conv-R12M7-9f86d081884c7d659a2feaa0c55ad015", Match: "R12M7",
		Peer: "referee:REF01",
	}
	b.ReportAllocs()
	for b.Loop() {
		at = at.Add(97 * time.Microsecond)
		if err := log.Passed(at, p); err != nil {
			b.Fatal(err)
		}
	}
	mustSucceed(b, log.Close())
}
