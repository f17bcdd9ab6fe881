package config_test

import (
	"errors"
	"reflect"
	"testing"

	"agentleague/config"
)

// usualLLM has the default settings of a language model.
var usualLLM = config.LLM{Fallback: "random", MaxTries: 3, MaxAnswerTokens: 4096}

var allGames = []string{"even_odd", "tic_tac_toe"}

func TestAnAgentIsStartedAsItsEntryThenAsItsRoleSays(t *testing.T) {
	t.Parallel()
	root := open(t)
	write(t, root, "config/agents/agents_config.json", `{
		"referees": [{"referee_id": "REF02", "display_name": "Ruth", "endpoint": "https://example.org/mcp", "game_types": ["tic_tac_toe"], "max_concurrent_matches": 7}],
		"players": [
			{"player_id": "P02", "display_name": "Ada", "version": "2.0.0", "default_endpoint": "http://192.168.1.5:9101/mcp", "preferred_leagues": ["spring", "autumn"]},
			{"player_id": "P03", "preferred_leagues": ["league_2025_even_odd"]}
		]}`)
	write(t, root, "config/defaults/player.json", `{"strategy": "history", "auto_accept_invitations": false, "max_history_size": 9, "game_types": ["even_odd"]}`)
	r := reopen(t, root.Dir()).Config()
	for name, tt := range map[string]struct {
		start func(string) (config.Started, error)
		id    string
		want  config.Started
	}{
		"a referee with an entry": {r.StartReferee, "REF02", config.Started{
			Name: "Ruth", Host: "example.org", Version: "1.0.0", GameTypes: []string{"tic_tac_toe"}, MaxMatches: 7}},
		"a referee without one": {r.StartReferee, "REF01", config.Started{Version: "1.0.0", GameTypes: allGames, MaxMatches: 2}},
		"a player with an entry": {r.StartPlayer, "P02", config.Started{
			Name: "Ada", Host: "192.168.1.5", Port: 9101, League: "spring", Version: "2.0.0", GameTypes: []string{"even_odd"},
			Strategy: "history", Declines: true, MaxHistory: 9, LLM: usualLLM}},
		"the default league is the manager's own": {r.StartPlayer, "P03", config.Started{
			Version: "1.0.0", GameTypes: []string{"even_odd"}, Strategy: "history", Declines: true, MaxHistory: 9, LLM: usualLLM}},
		"a player without an id": {r.StartPlayer, "", config.Started{
			Version: "1.0.0", GameTypes: []string{"even_odd"}, Strategy: "history", Declines: true, MaxHistory: 9, LLM: usualLLM}},
	} {
		if got, err := tt.start(tt.id); err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s:\ngot  %+v, %v\nwant %+v", name, got, err, tt.want)
		}
	}
}

// A change of the network's ports needs no change of the entries in the default file.
func TestEndpointsOfTheDefaultFileSayNothing(t *testing.T) {
	t.Parallel()
	root := open(t)
	write(t, root, "config/system.json", `{"network": {"base_host": "10.0.0.1", "default_league_manager_port": 9000}}`)
	r := reopen(t, root.Dir()).Config()
	if got, err := r.StartPlayer("P01"); err != nil || got.Port != 0 || got.Host != "" || got.Name != "Agent Alpha" {
		t.Errorf("P01: got %+v, %v", got, err)
	}
	at, err := r.ManagerEndpoint()
	port, err2 := r.ManagerPort()
	if at != "http://10.0.0.1:9000/mcp" || port != 9000 || err != nil || err2 != nil {
		t.Errorf("the manager is at %s, port %d; %v, %v", at, port, err, err2)
	}
	write(t, root, "config/agents/agents_config.json", `{"league_manager": {"endpoint": "https://league.example.org/mcp"}}`)
	r = reopen(t, root.Dir()).Config()
	at, err = r.ManagerEndpoint()
	port, err2 = r.ManagerPort()
	if at != "https://league.example.org/mcp" || port != 9000 || err != nil || err2 != nil {
		t.Errorf("the manager is at %s, port %d; %v, %v", at, port, err, err2)
	}
}

func TestWhoIsNotActiveIsNotStarted(t *testing.T) {
	t.Parallel()
	root := open(t)
	write(t, root, "config/agents/agents_config.json", "{\"players\": [{\"player_id\": \"P01\"},\n{\"player_id\": \"P02\", \"active\": false}]}")
	write(t, root, "config/defaults/referee.json", `{"active": false}`)
	r := reopen(t, root.Dir()).Config()
	for _, tt := range []struct {
		start    func(string) (config.Started, error)
		id, want string
	}{
		{r.StartPlayer, "P02", "config/agents/agents_config.json:2: players[1].active: P02 is not active; set this to true to start it"},
		{r.StartReferee, "", "config/defaults/referee.json:1: active: a new referee is not active; set this to true to start it"},
		{r.StartReferee, "REF04", "config/defaults/referee.json:1: active: REF04 is not active; set this to true to start it"},
	} {
		_, err := tt.start(tt.id)
		wantError(t, err, tt.want)
		if !errors.Is(err, config.ErrInactive) {
			t.Errorf("%v is not ErrInactive", err)
		}
	}
	if _, err := r.StartPlayer("P01"); err != nil {
		t.Error(err)
	}
}

func TestOnlyGamesOfTheRegistryArePlayed(t *testing.T) {
	t.Parallel()
	root := open(t)
	write(t, root, "config/games/games_registry.json", `{"games": [
		{"game_type": "even_odd", "display_name": "Odds", "rules_module": "oddeven", "min_players": 2, "max_players": 2}]}`)
	r := reopen(t, root.Dir()).Config()
	_, err := r.Game("even_odd")
	wantError(t, err, `config/games/games_registry.json:2: games[0].rules_module: want "evenodd", got "oddeven"`)
	_, err = r.Game("tic_tac_toe")
	wantError(t, err, `config/games/games_registry.json: game "tic_tac_toe" is not in it and is not played; add it, or use even_odd`)
}
