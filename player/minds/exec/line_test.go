package exec

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"agentleague/game"
	"agentleague/player"
)

func TestNoNegativeSecondsAreLeft(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(-3*time.Second))
	defer cancel()
	var turn map[string]any
	if err := json.Unmarshal(lineFor(ctx, game.View{}, player.Briefing{}), &turn); err != nil {
		t.Fatal(err)
	}
	if left, told := turn["seconds_left"].(float64); told && left < 0 || turn["deadline"] == nil {
		t.Errorf("%v: want a deadline that has passed, and no negative seconds", turn)
	}
}
