package store_test

import (
	"fmt"
	"log"
	"log/slog"
	"os"

	"agentleague/protocol"
	"agentleague/store"
)

// A player reads its settings, stores its matches and logs its actions.
func Example() {
	dir, err := os.MkdirTemp("", "SHARED")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	root, err := store.Open(dir, nil)
	if err != nil {
		log.Fatal(err)
	}

	system, err := root.Config().System()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("a move may take", system.Timeouts.MoveTimeoutSec.Duration())

	lines, err := root.Logs().Agent(protocol.RolePlayer, "", "Agent Alpha", slog.LevelInfo)
	if err != nil {
		log.Fatal(err)
	}
	defer lines.Close()
	logger := slog.New(lines.Handler())
	if err := lines.Registered(system.DefaultLeagueID, "P01"); err != nil {
		log.Fatal(err)
	}
	logger.Info("registered", "league_id", system.DefaultLeagueID)

	past := root.History(system.DefaultLeagueID, "P01")
	history, err := past.Load()
	if err != nil {
		log.Fatal(err)
	}
	history.Matches = append(history.Matches, protocol.PlayerMatch{
		MatchID: "R1M1", OpponentID: "P02", Result: protocol.Win,
	})
	history.Stats = protocol.StatsOf(history.Matches)
	if err := past.Save(history); err != nil {
		log.Fatal(err)
	}
	fmt.Println("matches won:", history.Stats.Wins)
	// Output:
	// a move may take 30s
	// matches won: 1
}
