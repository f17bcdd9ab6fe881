// Evelyn is a whole player. She always says even.
package main

import (
	"context"
	"log"

	"agentleague/game"
	"agentleague/player"
)

func main() {
	even := func(_ context.Context, v game.View) (game.Move, error) { return v.Options[0], nil }
	evelyn := player.New("Evelyn", player.StrategyFunc(even), player.Options{})
	if err := evelyn.Run(context.Background(), 8101, "http://localhost:8000/mcp"); err != nil {
		log.Fatal(err)
	}
}
