package config_test

import (
	"slices"
	"testing"

	"agentleague/config"
	"agentleague/protocol"
)

// defaults is the default configuration of a new tree.
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
			"default_player_port_range": [8101, 8200],
			"public_url": ""
		},
		"security": {"enable_auth_tokens": true, "token_length": 32, "token_ttl_hours": 24, "auth_server": "",
			"requests_per_second_per_agent": 100, "open_requests_per_second_per_address": 200, "failed_requests_per_second_per_address": 100, "seats_per_address": 40, "metrics_allow": []},
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
		"circuit_breaker": {"failure_threshold": 5, "reset_timeout_sec": 60},
		"mailboxes": {"max_bytes": 1048576, "bytes_per_second": 1048576, "connections_per_address": 64,
			"new_per_minute_per_address": 64, "unused_per_address": 64},
		"logging": {"max_file_mb": 64, "max_age_days": 30, "keep_files": 5, "max_total_mb": 4096},
		"records": {"max_age_days": 0, "max_leagues": 0}
	}`,
	"config/agents/agents_config.json": `{
		"schema_version": "1.0.0", "id": "agents_config",
		"last_updated": "2026-01-01T00:00:00Z",
		"league_manager": {"endpoint": "http://localhost:8000/mcp", "version": "1.0.0"},
		"referees": [
			{"referee_id": "REF01", "display_name": "Referee Alpha", "endpoint": "http://localhost:8001/mcp", "version": "1.0.0",
			 "game_types": ["even_odd", "tic_tac_toe"], "max_concurrent_matches": 2, "active": true}
		],
		"players": [
			{"player_id": "P01", "display_name": "Agent Alpha", "version": "1.0.0", "preferred_leagues": ["league_2025_even_odd"],
			 "game_types": ["even_odd", "tic_tac_toe"], "default_endpoint": "http://localhost:8101/mcp", "active": true}
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
		"schema_version": "1.0.0", "id": "games_registry",
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
		"game_types": ["even_odd", "tic_tac_toe"],
		"max_concurrent_matches": 2,
		"active": true
	}`,
	"config/defaults/player.json": `{
		"schema_version": "1.0.0",
		"id": "player_defaults",
		"last_updated": "2026-01-01T00:00:00Z",
		"version": "1.0.0",
		"game_types": ["even_odd", "tic_tac_toe"],
		"strategy": "random",
		"auto_accept_invitations": true,
		"max_history_size": 1000,
		"llm": {"url": "", "kind": "", "model": "", "key_file": "", "fallback": "random", "max_tries": 3, "max_answer_tokens": 4096, "temperature": null, "seed": null,
			"price": {"input_usd_per_million": null, "cached_usd_per_million": null, "output_usd_per_million": null},
			"move_budget": {"time_sec": 0, "tokens": 0, "usd": 0}, "league_budget": {"tokens": 0, "usd": 0}},
		"active": true
	}`,
}

func TestEveryFileHasItsDefaults(t *testing.T) {
	atTime(t, "2026-01-01T00:00:00Z", func(t *testing.T) {
		root := open(t)
		for name, want := range defaults {
			wantDocument(t, root, name, want)
		}
		if got := root.Config().DefaultLeague(); got != league {
			t.Errorf("default league: got %s, want %s", got, league)
		}
	})
}

func TestTheDefaultLeagueUsesTheDefaultTiebreakRules(t *testing.T) {
	if got := config.LeagueDefaults().Scoring.Tiebreakers; !slices.Equal(got, protocol.DefaultTiebreakers) {
		t.Errorf("got %q, want %q", got, protocol.DefaultTiebreakers)
	}
	if got := config.LeagueDefaults().Scoring.Points(); got != protocol.DefaultScoring {
		t.Errorf("got %+v, want %+v", got, protocol.DefaultScoring)
	}
}
