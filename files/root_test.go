package files_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"agentleague/files"
)

// defaults is what a new tree is configured with.
var defaults = map[string]string{
	"config/system.json": `{
		"schema_version": "1.0.0",
		"system_id": "league_system",
		"protocol_version": "league.v2",
		"last_updated": "2026-01-01T00:00:00Z",
		"default_league_id": "league_2025_even_odd",
		"network": {
			"base_host": "localhost",
			"default_league_manager_port": 8000,
			"default_referee_port_range": [8001, 8010],
			"default_player_port_range": [8101, 8200]
		},
		"security": {"enable_auth_tokens": true, "token_length": 32, "token_ttl_hours": 24,
			"requests_per_second_per_agent": 100, "open_requests_per_second_per_address": 200, "failed_requests_per_second_per_address": 100},
		"timeouts": {
			"register_referee_timeout_sec": 10,
			"register_player_timeout_sec": 10,
			"game_join_ack_timeout_sec": 5,
			"move_timeout_sec": 30,
			"game_over_timeout_sec": 5,
			"match_result_timeout_sec": 10,
			"league_query_timeout_sec": 10,
			"generic_response_timeout_sec": 10,
			"registration_window_sec": 60
		},
		"retry_policy": {
			"max_retries": 3,
			"backoff_strategy": "fixed",
			"initial_delay_sec": 2.0,
			"max_delay_sec": 10.0,
			"retryable_errors": ["E001", "E004", "E009", "E010"]
		},
		"circuit_breaker": {"failure_threshold": 5, "reset_timeout_sec": 60}
	}`,
	"config/agents/agents_config.json": `{
		"schema_version": "1.0.0",
		"last_updated": "2026-01-01T00:00:00Z",
		"league_manager": {"endpoint": "http://localhost:8000/mcp", "version": "1.0.0"},
		"referees": [
			{"referee_id": "REF01", "display_name": "Referee Alpha", "endpoint": "http://localhost:8001/mcp", "version": "1.0.0",
			 "game_types": ["even_odd"], "max_concurrent_matches": 2, "active": true}
		],
		"players": [
			{"player_id": "P01", "display_name": "Agent Alpha", "version": "1.0.0", "preferred_leagues": ["league_2025_even_odd"],
			 "game_types": ["even_odd"], "default_endpoint": "http://localhost:8101/mcp", "active": true}
		]
	}`,
	"config/leagues/league_2025_even_odd.json": `{
		"schema_version": "1.0.0",
		"league_id": "league_2025_even_odd",
		"display_name": "Even/Odd League 2025",
		"last_updated": "2026-01-01T00:00:00Z",
		"game_type": "even_odd",
		"status": "ACTIVE",
		"scoring": {
			"win_points": 3, "draw_points": 1, "loss_points": 0, "technical_loss_points": 0,
			"tiebreakers": ["points", "wins", "draw_difference", "head_to_head", "player_id"]
		},
		"participants": {"min_players": 2, "max_players": 10000, "min_referees": 1, "max_referees": 1000},
		"schedule": {"format": "round_robin", "cycles": 1}
	}`,
	"config/games/games_registry.json": `{
		"schema_version": "1.0.0",
		"last_updated": "2026-01-01T00:00:00Z",
		"games": [
			{"game_type": "even_odd", "display_name": "Even/Odd", "rules_module": "evenodd",
			 "move_types": ["choose_parity"], "valid_choices": {"choose_parity": ["even", "odd"]},
			 "min_players": 2, "max_players": 2, "max_round_time_sec": 0},
			{"game_type": "tic_tac_toe", "display_name": "Tic-Tac-Toe", "rules_module": "tictactoe",
			 "move_types": ["place_mark"], "valid_choices": {"place_mark": ["0-8"]},
			 "min_players": 2, "max_players": 2, "max_round_time_sec": 0}
		]
	}`,
	"config/defaults/referee.json": `{
		"schema_version": "1.0.0",
		"id": "referee_defaults",
		"last_updated": "2026-01-01T00:00:00Z",
		"version": "1.0.0",
		"game_types": ["even_odd"],
		"max_concurrent_matches": 2,
		"active": true
	}`,
	"config/defaults/player.json": `{
		"schema_version": "1.0.0",
		"id": "player_defaults",
		"last_updated": "2026-01-01T00:00:00Z",
		"version": "1.0.0",
		"game_types": ["even_odd"],
		"strategy": "random",
		"auto_accept_invitations": true,
		"max_history_size": 1000,
		"active": true
	}`,
}

func TestANewTreeHasEveryConfigFile(t *testing.T) {
	atTime(t, "2026-01-01T00:00:00Z", func(t *testing.T) {
		root := open(t)
		for name, want := range defaults {
			wantDocument(t, root, name, want)
		}
		if got := root.DefaultLeague(); got != league {
			t.Errorf("default league: got %s, want %s", got, league)
		}
	})
}

func TestANewTreeHasItsFoldersAndNothingElse(t *testing.T) {
	root := open(t)
	for _, folder := range []string{"data/leagues", "data/matches", "data/players", "logs/league", "logs/agents", "logs/system"} {
		if info, err := os.Stat(path(root, folder)); err != nil || !info.IsDir() {
			t.Errorf("%s: got %v, %v; want a folder", folder, info, err)
		}
	}
	if got := filesIn(t, root.Dir()); got != len(defaults) {
		t.Errorf("got %d files, want the %d of config/", got, len(defaults))
	}
}

func filesIn(t *testing.T, dir string) (n int) {
	err := filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			n++
		}
		return err
	})
	mustSucceed(t, err)
	return n
}

func TestConfigThatIsThereIsNeverWritten(t *testing.T) {
	root := open(t)
	for name := range defaults {
		own := strings.Replace(read(t, root, name), "{", "{\n\n  \"mine\": true,", 1)
		write(t, root, name, own)
		reopen(t, root.Dir())
		if got := read(t, root, name); got != own {
			t.Errorf("%s: got %s, want it as it was", name, got)
		}
	}
}

func TestTheDefaultLeagueIsTheOneOfSystemJSON(t *testing.T) {
	root := open(t)
	system := strings.Replace(read(t, root, "config/system.json"), league, "spring.cup", 1)
	write(t, root, "config/system.json", system)
	root = reopen(t, root.Dir())
	if got := root.DefaultLeague(); got != "spring.cup" {
		t.Errorf("got %s, want spring.cup", got)
	}
	got, err := root.Config().League("spring.cup")
	mustSucceed(t, err)
	if got.LeagueID != "spring.cup" || got.DisplayName != "spring.cup" || got.Scoring.WinPoints != 3 {
		t.Errorf("got %+v, want the default settings under that id", got)
	}
	if _, err := os.Stat(path(root, "config/leagues/spring.cup.json")); err != nil {
		t.Errorf("want a file for the default league: %v", err)
	}
}

func TestManyMayOpenATreeAtOnce(t *testing.T) {
	dir := t.TempDir()
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			if _, err := files.Open(dir, games); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := filesIn(t, dir); got != len(defaults) {
		t.Errorf("got %d files, want %d", got, len(defaults))
	}
}

func TestATreeThatCannotBeMadeIsAnError(t *testing.T) {
	dir := t.TempDir()
	for name, spoil := range map[string]func(root string) error{
		"a file in place of the root":   func(root string) error { return os.WriteFile(root, nil, 0o644) },
		"a file in place of config":     func(root string) error { return os.WriteFile(filepath.Join(root, "config"), nil, 0o644) },
		"a folder in place of a config": func(root string) error { return os.MkdirAll(filepath.Join(root, "config/system.json"), 0o755) },
		"a config that is wrong": func(root string) error {
			mustSucceed(t, os.MkdirAll(filepath.Join(root, "config"), 0o755))
			return os.WriteFile(filepath.Join(root, "config/system.json"), []byte("{}}"), 0o644)
		},
	} {
		root := filepath.Join(dir, name)
		if name != "a file in place of the root" {
			mustSucceed(t, os.Mkdir(root, 0o755))
		}
		mustSucceed(t, spoil(root))
		if _, err := files.Open(root, games); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}
