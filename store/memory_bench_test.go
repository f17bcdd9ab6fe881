package store

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"agentleague/player"
	"agentleague/protocol"
)

// BenchmarkMemoryWrite is one turn of a player after that number of rounds: its history and its witness, each synced.
// The duration depends on the disk; `-cpuprofile` and the CPU time of the process show the cost.
func BenchmarkMemoryWrite(b *testing.B) {
	for _, rounds := range []int{60, 400} {
		b.Run(fmt.Sprint(rounds), func(b *testing.B) { benchmarkMemoryWrite(b, rounds) })
	}
}

func benchmarkMemoryWrite(b *testing.B, rounds int) {
	root, err := Open(b.TempDir(), nil)
	if err != nil {
		b.Fatal(err)
	}
	m := NewMemory(root, "L", "Ada", slog.New(slog.DiscardHandler))
	past, seen := longMemory(rounds)
	b.ReportAllocs()
	for b.Loop() {
		m.id, m.past, m.seen = "P01", &player.Past{Matches: past}, &seen
		m.write()
	}
}

// longMemory returns a player's stored data after that number of rounds.
func longMemory(rounds int) (past []protocol.PlayerMatch, seen player.Witness) {
	seen = player.Witness{SchemaVersion: "1.0.0", LeagueID: "L", Seal: strings.Repeat("5e", 32), PlayerID: "P01"}
	for round := range rounds {
		past = append(past, protocol.PlayerMatch{
			MatchID: fmt.Sprintf("R%dM7", round+1), RoundID: protocol.Round(round + 1), Timestamp: "2026-01-02T03:04:05Z",
			OpponentID: "P02", Result: "WIN", PointsEarned: 3, Attempt: 1,
			MyChoice: json.RawMessage(`"even"`), OpponentChoice: json.RawMessage(`"odd"`), DrawnNumber: protocol.DrawMember(protocol.EvenOdd, new(8)),
		})
		seen.Heads = append(seen.Heads, player.Head{What: player.HeadRound, Round: round + 1, Head: strings.Repeat("ab", 32)})
	}
	return past, seen
}
