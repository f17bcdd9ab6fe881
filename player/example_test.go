package player_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"

	"agentleague/game"
	"agentleague/player"
)

// A whole player. It is given a port and the manager's address, registers
// every two seconds until the manager is there, and plays until the league is
// over.
func Example() {
	manager := httptest.NewServer(nobodyIsWelcome)
	defer manager.Close()

	even := func(_ context.Context, v game.View) (game.Move, error) { return v.Options[0], nil }
	evelyn := player.New("Evelyn", player.StrategyFunc(even), player.Options{})
	err := evelyn.Run(context.Background(), 0, manager.URL+"/mcp")
	fmt.Println(strings.ReplaceAll(err.Error(), manager.URL, "the manager"))
	// Output: the manager refused the registration: the league is full
}
