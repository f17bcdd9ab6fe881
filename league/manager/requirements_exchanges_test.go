package manager_test

// Requests of a foreign agent: the name of the exchange, the receiver, and a whole frame or "METHOD PARAMS", in which TOKEN
// stands for the token of its registration.
var (
	before = [][3]string{
		{"ping_manager", "manager", `{"jsonrpc":"2.0","method":"ping","id":1}`},
		{"ping_referee", "referee", `{"jsonrpc":"2.0","method":"ping","id":1}`},
		{"ping_player", "player", `{"jsonrpc":"2.0","method":"ping","id":1}`},
		{"not_json", "manager", `{"jsonrpc":"2.0","method"`},
		{"unknown_method", "manager", `fly {}`},
		{"unknown_method_of_player", "player", `fly {}`},
		{"register_v1", "manager", `register_player {"protocol":"league.v1","message_type":"LEAGUE_REGISTER_REQUEST","sender":"player:delta","timestamp":"2025-01-15T10:05:00Z","conversation_id":"c","player_meta":{"display_name":"X","version":"1.0.0","game_types":["even_odd"],"contact_endpoint":"http://localhost:8104/mcp"}}`},
		{"register_old_version", "manager", `register_player {"player_meta":{"display_name":"X","version":"1.0.0","protocol_version":"1.9.0","game_types":["even_odd"],"contact_endpoint":"http://localhost:8104/mcp"}}`},
		{"register_without_endpoint", "manager", `register_player {"player_meta":{"display_name":"X","version":"1.0.0","game_types":["even_odd"]}}`},
		{"register_without_meta", "manager", `register_player {"protocol":"league.v2","message_type":"LEAGUE_REGISTER_REQUEST","sender":"player:delta","timestamp":"2025-01-15T10:05:00Z","conversation_id":"c"}`},
		{"register_wrong_type", "manager", `register_player {"player_meta":{"display_name":"X","version":"1.0.0","game_types":"even_odd","contact_endpoint":"http://localhost:8104/mcp"}}`},
		{"register_other_game", "manager", `register_player {"player_meta":{"display_name":"X","version":"1.0.0","game_types":["chess"],"contact_endpoint":"http://localhost:8104/mcp"}}`},
		{"register_taken_name", "manager", `register_player {"player_meta":{"display_name":"Agent P01","version":"1.0.0","game_types":["even_odd"],"contact_endpoint":"http://localhost:8104/mcp"}}`},
		{"referee_without_name", "manager", `register_referee {"referee_meta":{"version":"1.0.0","game_types":["even_odd"],"contact_endpoint":"http://localhost:8104/mcp","max_concurrent_matches":2}}`},
		{"referee_other_game", "manager", `register_referee {"referee_meta":{"display_name":"R","version":"1.0.0","game_types":["chess"],"contact_endpoint":"http://localhost:8104/mcp","max_concurrent_matches":2}}`},
		{"query_before_registration", "manager", `league_query {"protocol":"league.v2","message_type":"LEAGUE_QUERY","sender":"player:P99","timestamp":"2025-01-15T10:25:00Z","conversation_id":"c","auth_token":"tok-invalid-xxx","league_id":"league_2025_even_odd","query_type":"GET_STANDINGS"}`},
		{"register_player", "manager", `register_player {"protocol":"league.v2","message_type":"LEAGUE_REGISTER_REQUEST","sender":"player:delta","timestamp":"2025-01-15T10:05:00Z","conversation_id":"conv-player-delta-reg-001","player_meta":{"display_name":"Agent Delta","version":"1.0.0","protocol_version":"2.1.0","game_types":["even_odd"],"contact_endpoint":"http://localhost:8104/mcp"}}`},
	}
	running = [][3]string{
		{"next_match", "manager", query("GET_NEXT_MATCH", "TOKEN", `,"query_params":{"player_id":"P04"}`)},
		{"schedule", "manager", query("GET_SCHEDULE", "TOKEN", "")},
		{"bad_token", "manager", query("GET_STANDINGS", "tok-invalid-xxx", "")},
		{"no_token", "manager", `league_query {"protocol":"league.v2","message_type":"LEAGUE_QUERY","sender":"player:P04","timestamp":"2025-01-15T10:25:00Z","conversation_id":"c","league_id":"league_2025_even_odd","query_type":"GET_STANDINGS"}`},
		{"unknown_query", "manager", query("GET_WEATHER", "TOKEN", "")},
		{"no_query_type", "manager", `league_query {"protocol":"league.v2","message_type":"LEAGUE_QUERY","sender":"player:P04","timestamp":"2025-01-15T10:25:00Z","conversation_id":"c","auth_token":"TOKEN","league_id":"league_2025_even_odd"}`},
		{"unknown_league", "manager", `league_query {"protocol":"league.v2","message_type":"LEAGUE_QUERY","sender":"player:P04","timestamp":"2025-01-15T10:25:00Z","conversation_id":"c","auth_token":"TOKEN","league_id":"other","query_type":"GET_STANDINGS"}`},
		{"unknown_player", "manager", query("GET_PLAYER_STATS", "TOKEN", `,"query_params":{"player_id":"P99"}`)},
		{"time_with_z", "manager", standingsAt("2025-01-15T10:30:00Z")},
		{"time_with_zero_offset", "manager", standingsAt("2025-01-15T10:30:00+00:00")},
		{"time_with_offset", "manager", standingsAt("2025-01-15T10:30:00+02:00")},
		{"time_without_zone", "manager", standingsAt("2025-01-15T10:30:00")},
		{"other_protocol", "manager", `league_query {"protocol":"league.v1","message_type":"LEAGUE_QUERY","sender":"player:P04","timestamp":"2025-01-15T10:25:00Z","conversation_id":"c","auth_token":"TOKEN","query_type":"GET_STANDINGS"}`},
		{"get_standings", "manager", `get_standings {}`},
		{"get_games", "manager", `get_games {}`},
		{"game_registry", "manager", query("GET_GAMES", "TOKEN", "")},
		{"create_schedule", "manager", `create_schedule {"sender":"admin","auth_token":"tok_admin_test"}`},
		{"mcp_message", "manager", `mcp_message {"protocol":"league.v2","message_type":"LEAGUE_QUERY","sender":"player:P04","auth_token":"TOKEN","league_id":"league_2025_even_odd","query_type":"GET_STANDINGS"}`},
		{"report_without_token", "manager", `report_match_result {"sender":"referee:REF01","match_id":"R1M1","result":{"winner":"P01","score":{"P01":3,"P02":0}}}`},
		{"report_by_stranger", "manager", `report_match_result {"sender":"referee:REF09","auth_token":"tok-x","match_id":"R1M1","result":{"winner":"P01","score":{"P01":3,"P02":0}}}`},
		{"report_with_bad_token", "manager", `report_match_result {"sender":"referee:REF01","auth_token":"tok-x","match_id":"R1M1","result":{"winner":"P01","score":{"P01":3,"P02":0}}}`},
		{"match_state", "referee", `get_match_state {"match_id":"R1M1"}`},
		{"match_state_unknown", "referee", `get_match_state {"match_id":"R9M9"}`},
		{"player_state", "player", `get_player_state {}`},
		{"player_choose_without_token", "player", `choose_parity {"message_type":"CHOOSE_PARITY_CALL","match_id":"R1M1","player_id":"P01"}`},
		{"player_choose_with_bad_token", "player", `choose_parity {"message_type":"CHOOSE_PARITY_CALL","match_id":"R1M1","player_id":"P01","auth_token":"tok-x"}`},
		{"player_invited_without_match", "player", `handle_game_invitation {"message_type":"GAME_INVITATION","auth_token":"tok-x"}`},
		{"player_choose_without_match", "player", `choose_parity {"message_type":"CHOOSE_PARITY_CALL","auth_token":"tok-x"}`},
		{"player_over_without_match", "player", `notify_match_result {"message_type":"GAME_OVER","auth_token":"tok-x"}`},
		{"player_over_with_bad_token", "player", `notify_match_result {"message_type":"GAME_OVER","match_id":"R1M1","auth_token":"tok-x"}`},
		{"player_invited_with_bad_token", "player", `handle_game_invitation {"message_type":"GAME_INVITATION","match_id":"R1M1","sender":"referee:REF01","auth_token":"tok-x"}`},
		{"player_round_with_bad_token", "player", `notify_round {"message_type":"ROUND_ANNOUNCEMENT","sender":"league_manager","league_id":"league_2025_even_odd","round_id":1,"matches":[],"auth_token":"tok-x"}`},
		{"player_round_without_matches", "player", `notify_round {"message_type":"ROUND_ANNOUNCEMENT","sender":"league_manager","auth_token":"tok-x"}`},
		{"player_standings_with_bad_token", "player", `update_standings {"message_type":"LEAGUE_STANDINGS_UPDATE","sender":"league_manager","league_id":"league_2025_even_odd","round_id":1,"standings":[],"auth_token":"tok-x"}`},
		{"player_standings_without_standings", "player", `update_standings {"message_type":"LEAGUE_STANDINGS_UPDATE","sender":"league_manager","auth_token":"tok-x"}`},
		{"player_completed_with_bad_token", "player", `notify_round_completed {"message_type":"ROUND_COMPLETED","sender":"league_manager","league_id":"league_2025_even_odd","round_id":1,"auth_token":"tok-x"}`},
		{"player_completed_without_round", "player", `notify_round_completed {"message_type":"ROUND_COMPLETED","sender":"league_manager","auth_token":"tok-x"}`},
		{"player_end_with_bad_token", "player", `notify_league_completed {"message_type":"LEAGUE_COMPLETED","sender":"league_manager","league_id":"league_2025_even_odd","auth_token":"tok-x"}`},
	}
	after = [][3]string{
		{"standings", "manager", query("GET_STANDINGS", "TOKEN", "")},
		{"status", "manager", query("GET_STATUS", "TOKEN", "")},
		{"player_stats", "manager", query("GET_PLAYER_STATS", "TOKEN", `,"query_params":{"player_id":"P01"}`)},
		{"no_next_match", "manager", query("GET_NEXT_MATCH", "TOKEN", "")},
		{"query_standings", "manager", `query_standings {"protocol":"league.v2","message_type":"QUERY_STANDINGS_REQUEST","sender":"player:P04","timestamp":"2025-01-15T11:00:00Z","conversation_id":"uuid","auth_token":"TOKEN"}`},
		{"start_over", "manager", `start_league {"sender":"admin","auth_token":"tok_admin_test"}`},
		{"register_late", "manager", `register_player {"player_meta":{"display_name":"Late","version":"1.0.0","game_types":["even_odd"],"contact_endpoint":"http://localhost:8109/mcp"}}`},
		{"choice_out_of_turn", "referee", `mcp_message {"message_type":"CHOOSE_PARITY_RESPONSE","sender":"player:P04","match_id":"R1M1","player_id":"P04","parity_choice":"even"}`},
		{"choice_of_unknown_match", "referee", `mcp_message {"message_type":"CHOOSE_PARITY_RESPONSE","sender":"player:P04","match_id":"R9M9","player_id":"P04","parity_choice":"even"}`},
		{"start_match_by_stranger", "referee", `start_match {"message_type":"START_MATCH","sender":"league_manager","match_id":"R1M1","player_A":{"id":"P01"},"player_B":{"id":"P02"},"auth_token":"tok-x"}`},
		{"player_unknown_match", "player", `choose_parity {"message_type":"CHOOSE_PARITY_CALL","match_id":"R9M9","player_id":"P01","auth_token":"tok-x"}`},
		{"finished_state", "referee", `get_match_state {"match_id":"R1M1"}`},
		{"player_history", "player", `get_player_state {}`},
	}
	unwelcome = [][3]string{
		{"referee_too_many", "manager", `register_referee {"protocol":"league.v2","message_type":"REFEREE_REGISTER_REQUEST","sender":"referee:delta","timestamp":"2025-01-15T10:05:00Z","conversation_id":"c","referee_meta":{"display_name":"Referee Delta","version":"1.0.0","game_types":["even_odd"],"contact_endpoint":"http://localhost:8104/mcp","max_concurrent_matches":2}}`},
		{"referee_unreachable", "manager", `register_referee {"referee_meta":{"display_name":"Referee Delta","version":"1.0.0","game_types":["even_odd"],"contact_endpoint":"http://localhost:8009/mcp","max_concurrent_matches":2}}`},
		{"player_unreachable", "manager", `register_player {"player_meta":{"display_name":"Agent Delta","version":"1.0.0","game_types":["even_odd"],"contact_endpoint":"http://localhost:8109/mcp"}}`},
		{"player_taken_name", "manager", `register_player {"player_meta":{"display_name":"Agent P01","version":"1.0.0","game_types":["even_odd"],"contact_endpoint":"http://localhost:8104/mcp"}}`},
	}
	graded = [][3]string{
		{"register_without_version", "manager", `register_player {"protocol":"league.v2","message_type":"LEAGUE_REGISTER_REQUEST","sender":"player:delta","timestamp":"2025-01-15T10:05:00Z","conversation_id":"c","player_meta":{"display_name":"Agent Delta","game_types":["even_odd"],"contact_endpoint":"http://localhost:8104/mcp"}}`},
		{"register_without_game_types", "manager", `register_player {"protocol":"league.v2","message_type":"LEAGUE_REGISTER_REQUEST","sender":"player:delta","timestamp":"2025-01-15T10:05:00Z","conversation_id":"c","player_meta":{"display_name":"Agent Delta","version":"1.0.0","contact_endpoint":"http://localhost:8104/mcp"}}`},
		{"referee_without_capacity", "manager", `register_referee {"protocol":"league.v2","message_type":"REFEREE_REGISTER_REQUEST","sender":"referee:delta","timestamp":"2025-01-15T10:05:00Z","conversation_id":"c","referee_meta":{"display_name":"Agent Delta","version":"1.0.0","game_types":["even_odd"],"contact_endpoint":"http://localhost:8104/mcp"}}`},
		{"register_without_protocol", "manager", `register_player {"message_type":"LEAGUE_REGISTER_REQUEST","sender":"player:delta","timestamp":"2025-01-15T10:05:00Z","conversation_id":"c","player_meta":{"display_name":"Agent Delta","version":"1.0.0","game_types":["even_odd"],"contact_endpoint":"http://localhost:8104/mcp"}}`},
		{"register_without_message_type", "manager", `register_player {"protocol":"league.v2","sender":"player:delta","timestamp":"2025-01-15T10:05:00Z","conversation_id":"c","player_meta":{"display_name":"Agent Delta","version":"1.0.0","game_types":["even_odd"],"contact_endpoint":"http://localhost:8104/mcp"}}`},
		{"register_without_sender", "manager", `register_player {"protocol":"league.v2","message_type":"LEAGUE_REGISTER_REQUEST","timestamp":"2025-01-15T10:05:00Z","conversation_id":"c","player_meta":{"display_name":"Agent Delta","version":"1.0.0","game_types":["even_odd"],"contact_endpoint":"http://localhost:8104/mcp"}}`},
		{"register_without_timestamp", "manager", `register_player {"protocol":"league.v2","message_type":"LEAGUE_REGISTER_REQUEST","sender":"player:delta","conversation_id":"c","player_meta":{"display_name":"Agent Delta","version":"1.0.0","game_types":["even_odd"],"contact_endpoint":"http://localhost:8104/mcp"}}`},
		{"register_without_conversation_id", "manager", `register_player {"protocol":"league.v2","message_type":"LEAGUE_REGISTER_REQUEST","sender":"player:delta","timestamp":"2025-01-15T10:05:00Z","player_meta":{"display_name":"Agent Delta","version":"1.0.0","game_types":["even_odd"],"contact_endpoint":"http://localhost:8104/mcp"}}`},
		{"register_player", "manager", `register_player {"protocol":"league.v2","message_type":"LEAGUE_REGISTER_REQUEST","sender":"player:delta","timestamp":"2025-01-15T10:05:00Z","conversation_id":"c","player_meta":{"display_name":"Agent Delta","version":"1.0.0","game_types":["even_odd"],"contact_endpoint":"http://localhost:8104/mcp"}}`},
		{"query_without_protocol", "manager", `league_query {"message_type":"LEAGUE_QUERY","sender":"player:P04","timestamp":"2025-01-15T10:25:00Z","conversation_id":"c","auth_token":"TOKEN","league_id":"league_2025_even_odd","query_type":"GET_STANDINGS"}`},
		{"query_without_message_type", "manager", `league_query {"protocol":"league.v2","sender":"player:P04","timestamp":"2025-01-15T10:25:00Z","conversation_id":"c","auth_token":"TOKEN","league_id":"league_2025_even_odd","query_type":"GET_STANDINGS"}`},
		{"query_without_sender", "manager", `league_query {"protocol":"league.v2","message_type":"LEAGUE_QUERY","timestamp":"2025-01-15T10:25:00Z","conversation_id":"c","auth_token":"TOKEN","league_id":"league_2025_even_odd","query_type":"GET_STANDINGS"}`},
		{"query_without_timestamp", "manager", `league_query {"protocol":"league.v2","message_type":"LEAGUE_QUERY","sender":"player:P04","conversation_id":"c","auth_token":"TOKEN","league_id":"league_2025_even_odd","query_type":"GET_STANDINGS"}`},
		{"query_without_conversation_id", "manager", `league_query {"protocol":"league.v2","message_type":"LEAGUE_QUERY","sender":"player:P04","timestamp":"2025-01-15T10:25:00Z","auth_token":"TOKEN","league_id":"league_2025_even_odd","query_type":"GET_STANDINGS"}`},
		{"query_without_league_id", "manager", `league_query {"protocol":"league.v2","message_type":"LEAGUE_QUERY","sender":"player:P04","timestamp":"2025-01-15T10:25:00Z","conversation_id":"c","auth_token":"TOKEN","query_type":"GET_STANDINGS"}`},
		{"query", "manager", `league_query {"protocol":"league.v2","message_type":"LEAGUE_QUERY","sender":"player:P04","timestamp":"2025-01-15T10:25:00Z","conversation_id":"c","auth_token":"TOKEN","league_id":"league_2025_even_odd","query_type":"GET_STANDINGS"}`},
	}
)

func query(kind, token, more string) string {
	return `league_query {"protocol":"league.v2","message_type":"LEAGUE_QUERY","sender":"player:P04","timestamp":"2025-01-15T10:25:00Z","conversation_id":"conv-query-001","auth_token":"` +
		token + `","league_id":"league_2025_even_odd","query_type":"` + kind + `"` + more + `}`
}

func standingsAt(stamp string) string {
	return `get_standings {"protocol":"league.v2","message_type":"GET_STANDINGS","sender":"player:P04","timestamp":"` + stamp + `","conversation_id":"c"}`
}
