package config_test

import (
	"fmt"
	"os"
	"testing"

	"agentleague/config"
)

// find returns a value as text, with its line.
func find(t *testing.T, values []config.Value, file, key string) string {
	t.Helper()
	for _, v := range values {
		if v.File == file && v.Key == key {
			return fmt.Sprintf("%s %d", v.Value, v.Line)
		}
	}
	return "none"
}

func TestEveryValueHasItsPlace(t *testing.T) {
	t.Parallel()
	root := open(t)
	write(t, root, "config/system.json", "{\"timeouts\":\n {\"move_timeout_sec\": 7}}")
	write(t, root, "config/leagues/spring.json", "{\"league_id\": \"spring\",\n\"start\": {\"players\": 4}}")
	values, err := reopen(t, root.Dir()).Config().Values("spring")
	mustSucceed(t, err)
	for _, tt := range []struct{ file, key, want string }{
		{"config/system.json", "timeouts.move_timeout_sec", "7 2"},
		{"config/system.json", "timeouts.game_over_timeout_sec", "5 0"},
		{"config/system.json", "retry_policy.retryable_errors", `["E001","E004","E009","E010"] 0`},
		{"config/leagues/spring.json", "start.players", "4 2"},
		{"config/leagues/spring.json", "house", "null 0"},
		{"config/agents/agents_config.json", "players[0].player_id", `"P01" 11`},
		{"config/agents/agents_config.json", "league_id", "none"},
		{"config/games/games_registry.json", "games[1].min_players", "2 35"},
	} {
		if got := find(t, values, tt.file, tt.key); got != tt.want {
			t.Errorf("%s: %s: got %s, want %s", tt.file, tt.key, got, tt.want)
		}
	}
}

// A root that is not there has the defaults, and is not made by looking at it.
func TestPeekingMakesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir() + "/nowhere"
	r, err := config.Peek(dir, games)
	mustSucceed(t, err)
	values, err := r.Values("")
	mustSucceed(t, err)
	if got := find(t, values, "config/system.json", "timeouts.move_timeout_sec"); got != "30 0" {
		t.Errorf("got %s, want the default", got)
	}
	for _, v := range values {
		if v.Line != 0 {
			t.Errorf("%s: %s has line %d", v.File, v.Key, v.Line)
		}
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the root was made")
	}
}
