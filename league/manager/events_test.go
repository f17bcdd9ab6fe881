package manager_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/player"
	"agentleague/rpc/rpctest"
)

// eventsOf returns the lines of the manager's log with an event.
func (w *world) eventsOf(event string) (found []map[string]any) {
	w.logMu.Lock()
	defer w.logMu.Unlock()
	for line := range strings.Lines(w.logs.String()) {
		var m map[string]any
		if json.Unmarshal([]byte(line), &m) == nil && m["event_type"] == event && m["agent"] == "LM" {
			found = append(found, m)
		}
	}
	return found
}

// The league's log has the assignment's event of a round (§9.5.1), and a warning with player, code and a sentence of each
// technical loss: of a player that is gone, and of the matches that are not played without it.
func TestTheLeaguesLogTellsTheSeason(t *testing.T) {
	inWorld(t, 15, rpctest.Faults{}, manager.Options{StartPlayers: 6}, func(w *world) {
		w.strategy = func(string) player.Strategy { return slow(time.Second) }
		w.bootAll(2, 6)
		w.await(time.Minute, "round 1 is open", func(s *league.State) bool { return s.Round == 1 })
		w.procs["P03"].Crash()
		if !w.finish(time.Hour) {
			return
		}
		rounds := w.eventsOf("ROUND_ANNOUNCEMENT_SENT")
		if len(rounds) != 5 {
			t.Fatalf("%d rounds are told, want 5", len(rounds))
		}
		if r := rounds[0]; r["msg"] != "round 1 announced to 6 players" || r["round_id"] != 1.0 || r["matches_count"] != 3.0 ||
			r["level"] != "INFO" {
			t.Errorf("got %v", r)
		}
		played, unplayed := 0, 0.0
		for _, e := range w.eventsOf("TECHNICAL_LOSS") {
			if e["level"] != "WARN" || e["player_id"] != "P03" || e["match_id"] == "" {
				t.Errorf("got %v", e)
			}
			switch said := fmt.Sprint(e["msg"]); {
			case e["error_code"] == "E009" && strings.Contains(said, " by technical loss: http://"):
				played++
			case e["error_code"] == "SHUTDOWN" && strings.HasSuffix(said, " by technical loss: it had left the league; the match was not played"):
				unplayed += e["matches_count"].(float64)
			default:
				t.Errorf("got %v", e)
			}
		}
		if played != 3 || unplayed != 2 {
			t.Errorf("%d losses in matches and %v without one are told, want 3 and 2", played, unplayed)
		}
	})
}
