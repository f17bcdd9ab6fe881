package league_test

import (
	"encoding/json"
	"fmt"
	"log"
	"maps"
	"slices"
	"time"

	"agentleague/league"
	"agentleague/protocol"
)

// A table is computed from results, by the points and the tie-breaks of the league.
func ExampleStandings() {
	names := map[string]string{"P01": "Agent Alpha", "P02": "Agent Beta", "P03": "Agent Gamma"}
	matches := []league.Played{
		{A: "P01", B: "P02", Result: league.Result{Status: protocol.Win, Winner: "P02"}},
		{A: "P01", B: "P03", Result: league.Result{Status: protocol.Draw}},
		{A: "P02", B: "P03", Result: league.Result{
			Status: protocol.TechnicalLoss, Winner: "P03", Forfeits: map[string]string{"P02": "E001"},
		}},
	}
	players, name := slices.Sorted(maps.Keys(names)), func(id string) string { return names[id] }
	table := league.Standings(players, name, matches, protocol.DefaultScoring, league.Tiebreakers)
	for _, row := range table {
		fmt.Println(row.Rank, row.DisplayName, row.Points)
	}
	// Output:
	// 1 Agent Gamma 4
	// 2 Agent Beta 3
	// 3 Agent Alpha 1
}

// entry is a line of a log that is kept in memory.
type entry struct {
	seq  uint64
	data []byte
}

func (e entry) Line() (seq uint64, hash string, data []byte) { return e.seq, "", e.data }

// The log defines the league. Here it has two lines of one event each.
func ExampleFold() {
	at := time.Date(2025, 1, 15, 10, 0, 0, 0, time.UTC)
	events := []league.Event{
		league.Created{
			Schema: 1, LeagueID: "spring", GameType: "even_odd", Cycles: 1,
			Scoring: protocol.DefaultScoring, Tiebreakers: league.Tiebreakers,
		},
		league.Registered{Role: protocol.RolePlayer, ID: "P01", Name: "Agent Alpha", Endpoint: "http://localhost:8101/mcp"},
	}
	written := func(yield func(entry, error) bool) {
		for i, e := range events {
			line, err := league.EncodeEvent(at, e)
			data, _ := json.Marshal([]league.EncodedEvent{line})
			if !yield(entry{uint64(i + 1), data}, err) {
				return
			}
		}
	}
	state, err := league.Fold(written)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(state.Created.LeagueID, state.Phase(false), state.Players())
	// Output: spring WAITING_FOR_REGISTRATIONS [P01]
}
