package config_test

import (
	"errors"
	"net/netip"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"agentleague/config"
	"agentleague/protocol"
)

// settings returns all values of the config files.
func settings(t *testing.T, c *config.Reader) []any {
	t.Helper()
	system, err1 := c.System()
	agents, err2 := c.Agents()
	league, err3 := c.League(league)
	games, err4 := c.Games()
	referee, err5 := c.RefereeDefaults()
	player, err6 := c.PlayerDefaults()
	mustSucceed(t, errors.Join(err1, err2, err3, err4, err5, err6))
	return []any{system, agents, league, games, referee, player}
}

func TestConfigIsReadAsItIsWritten(t *testing.T) {
	atTime(t, "2026-01-01T00:00:00Z", func(t *testing.T) {
		const stamp = "2026-01-01T00:00:00Z"
		want := []any{
			config.System{
				SchemaVersion: "1.0.0", SystemID: "league_system", ProtocolVersion: "league.v2", LastUpdated: stamp,
				DefaultLeagueID: league,
				Network: config.Network{BaseHost: "localhost", DefaultLeagueManagerPort: 8000,
					DefaultRefereePortRange: [2]int{8001, 8010}, DefaultPlayerPortRange: [2]int{8101, 8200}},
				Security: config.Security{EnableAuthTokens: true, TokenLength: 32, TokenTTLHours: 24,
					RequestsPerAgent: 100, OpenRequestsPerAddress: 200, FailedRequestsPerAddress: 100, SeatsPerAddress: 40, MetricsAllow: []netip.Prefix{}},
				Timeouts: config.Timeouts{RegisterRefereeTimeoutSec: 10, RegisterPlayerTimeoutSec: 10, GameJoinAckTimeoutSec: 5,
					MoveTimeoutSec:     30,
					GameOverTimeoutSec: 5, MatchResultTimeoutSec: 10, LeagueQueryTimeoutSec: 10, GenericResponseTimeoutSec: 10,
					RegistrationWindowSec: 60},
				RetryPolicy: config.RetryPolicy{MaxRetries: 3, BackoffStrategy: "fixed", InitialDelaySec: 2,
					MaxDelaySec:     10,
					RetryableErrors: []string{"E001", "E004", "E009", "E010"}},
				CircuitBreaker: config.CircuitBreaker{FailureThreshold: 5, ResetTimeoutSec: 60},
				Mailboxes:      config.Mailboxes{MaxBytes: 1 << 20, BytesPerSecond: 1 << 20, Connections: 64, New: 64, Unused: 64},
				Logging:        config.Logging{MaxFileMB: 64, MaxAgeDays: 30, KeepFiles: 5, MaxTotalMB: 4096},
			},
			config.Agents{
				ID:            "agents_config",
				SchemaVersion: "1.0.0", LastUpdated: stamp,
				LeagueManager: config.LeagueManager{Endpoint: "http://localhost:8000/mcp", Version: "1.0.0"},
				Referees: []config.Referee{{RefereeID: "REF01", DisplayName: "Referee Alpha",
					Endpoint: "http://localhost:8001/mcp", Version: "1.0.0",
					GameTypes: []string{"even_odd", "tic_tac_toe"}, MaxConcurrentMatches: 2, Active: true}},
				Players: []config.Player{{PlayerID: "P01", DisplayName: "Agent Alpha", Version: "1.0.0",
					PreferredLeagues: []string{league},
					GameTypes:        []string{"even_odd", "tic_tac_toe"}, DefaultEndpoint: "http://localhost:8101/mcp", Active: true}},
			},
			config.League{
				SchemaVersion: "1.0.0", LeagueID: league, DisplayName: "Even/Odd League 2025", LastUpdated: stamp,
				GameType: "even_odd", Status: "ACTIVE",
				Scoring: config.Scoring{WinPoints: 3, DrawPoints: 1,
					Tiebreakers: []string{"points", "wins", "draw_difference", "head_to_head", "player_id"}},
				Participants:           config.Participants{MinPlayers: 2, MaxPlayers: 10000, MinReferees: 1, MaxReferees: 1000},
				Schedule:               config.Schedule{Format: "round_robin", Cycles: 1},
				MaxConsecutiveForfeits: 3, BroadcastLimit: 64, GuestReferees: "before_start",
			},
			config.Games{SchemaVersion: "1.0.0", ID: "games_registry", LastUpdated: stamp, Games: games},
			config.RefereeDefaults{SchemaVersion: "1.0.0", ID: "referee_defaults", LastUpdated: stamp, Version: "1.0.0",
				GameTypes: []string{"even_odd", "tic_tac_toe"}, MaxConcurrentMatches: 2, Active: true},
			config.PlayerDefaults{SchemaVersion: "1.0.0", ID: "player_defaults", LastUpdated: stamp, Version: "1.0.0",
				GameTypes: []string{"even_odd", "tic_tac_toe"},
				Strategy:  "random", AutoAcceptInvitations: true, MaxHistorySize: 1000, LLM: usualLLM, Active: true},
		}
		for i, got := range settings(t, open(t).Config()) {
			if !reflect.DeepEqual(got, want[i]) {
				t.Errorf("\ngot  %+v\nwant %+v", got, want[i])
			}
		}
	})
}

// A file may be almost empty, and may have unknown members.
func TestWhatAFileLeavesOutHasItsDefault(t *testing.T) {
	root := open(t)
	want := settings(t, root.Config())
	for name := range defaults {
		if name != "config/agents/agents_config.json" && name != "config/games/games_registry.json" {
			write(t, root, name, "\ufeff{\"of_tomorrow\": [{\"a.b\": 1, \"a\": {\"b\": 2}}]}\n")
		}
	}
	for i, got := range settings(t, reopen(t, root.Dir()).Config()) {
		switch v := got.(type) { // the time of such a file is undefined
		case config.System:
			v.LastUpdated = want[i].(config.System).LastUpdated
			got = v
		case config.League:
			v.LastUpdated, v.DisplayName = want[i].(config.League).LastUpdated, want[i].(config.League).DisplayName
			got = v
		case config.RefereeDefaults:
			v.LastUpdated = want[i].(config.RefereeDefaults).LastUpdated
			got = v
		case config.PlayerDefaults:
			v.LastUpdated = want[i].(config.PlayerDefaults).LastUpdated
			got = v
		}
		if !reflect.DeepEqual(got, want[i]) {
			t.Errorf("\ngot  %+v\nwant %+v", got, want[i])
		}
	}
}

func TestAKnownAgentIsActiveUnlessItSaysNot(t *testing.T) {
	root := open(t)
	write(t, root, "config/agents/agents_config.json", `{
		"referees": [{"referee_id": "REF01"}, {"referee_id": "REF02", "active": false, "max_concurrent_matches": 7}],
		"players": [{"player_id": "P01", "dialect": "F"}, {"player_id": "P02", "active": false}]
	}`)
	agents, err := root.Config().Agents()
	mustSucceed(t, err)
	want := config.Agents{
		SchemaVersion: "1.0.0",
		Referees: []config.Referee{
			{RefereeID: "REF01", MaxConcurrentMatches: 1, Active: true}, {RefereeID: "REF02", MaxConcurrentMatches: 7},
		},
		Players: []config.Player{{PlayerID: "P01", Dialect: "F", Active: true}, {PlayerID: "P02"}},
	}
	if !reflect.DeepEqual(agents, want) {
		t.Errorf("\ngot  %+v\nwant %+v", agents, want)
	}
}

func TestBrokenConfigSaysWhereAndWhat(t *testing.T) {
	root := open(t)
	system := func(c *config.Reader) error { _, err := c.System(); return err }
	agents := func(c *config.Reader) error { _, err := c.Agents(); return err }
	ofLeague := func(c *config.Reader) error { _, err := c.League(league); return err }
	ofGames := func(c *config.Reader) error { _, err := c.Games(); return err }
	referee := func(c *config.Reader) error { _, err := c.RefereeDefaults(); return err }
	player := func(c *config.Reader) error { _, err := c.PlayerDefaults(); return err }
	var (
		systemFile = "config/system.json"
		AgentsFile = "config/agents/agents_config.json"
		leagueFile = "config/leagues/" + league + ".json"
		gamesFile  = "config/games/games_registry.json"
	)
	for _, c := range []struct {
		file       string
		load       func(*config.Reader) error
		text, want string
	}{
		{systemFile, system, "", `1: not JSON: unexpected end of JSON input`},
		{systemFile, system, "{\n\"network\": {},\n}",
			`3: not JSON: invalid character '}' looking for beginning of object key string`},
		{systemFile, system, "{\n\"network\": {\n", `2: not JSON: unexpected end of JSON input`},
		{systemFile, system, "{}\n{}", `2: not JSON: invalid character '{' after top-level value`},
		{systemFile, system, "\n null", `2: want an object, got null`},
		{systemFile, system, "[\n{}]", `1: want an object, got a list`},
		{systemFile, system, "{\n\"timeouts\": {\n\"move_timeout_sec\": \"30s\"}}",
			`3: timeouts.move_timeout_sec: want a number of seconds, got "30s"`},
		{systemFile, system, "{\n\"timeouts\": {\n\"move_timeout_sec\": -1}}",
			`3: timeouts.move_timeout_sec: want more than 0 seconds and at most 31536000, got -1`},
		{systemFile, system, "{\n\"timeouts\": {\n\"registration_window_sec\": -0.5}}",
			`3: timeouts.registration_window_sec: want 0 to 31536000 seconds, got -0.5`},
		{systemFile, system, "{\"timeouts\": {\n\"move_timeout_sec\": 1e300}}",
			`2: timeouts.move_timeout_sec: want more than 0 seconds and at most 31536000, got 1e+300`},
		{systemFile, system, "{\"timeouts\": {\n\"move_timeout_sec\": 1e999}}",
			`2: timeouts.move_timeout_sec: want a number of seconds, got 1e999`},
		{systemFile, system, "{\"timeouts\":\n[1, 2]}", `2: timeouts: want an object, got a list`},
		{systemFile, system, "{\"timeouts\": {\n\"move_timeout_sec\": [1, 2]}}",
			`2: timeouts.move_timeout_sec: want a number of seconds, got a list`},
		{systemFile, system, "{\"timeouts\": {\n\"move_timeout_sec\": {\"s\": 2}}}",
			`2: timeouts.move_timeout_sec: want a number of seconds, got an object`},
		{systemFile, system, "{\"timeouts\": {\n\"move_timeout_sec\": 1,\n\"move_timeout_sec\": 2}}",
			`3: timeouts.move_timeout_sec: is given twice`},
		{systemFile, system, `{"network": {"default_league_manager_port": 70000}}`,
			`1: network.default_league_manager_port: want a port, 1 to 65535, got 70000`},
		{systemFile, system, `{"network": {"default_league_manager_port": "http"}}`,
			`1: network.default_league_manager_port: want a port, got "http"`},
		{systemFile, system, `{"network": {"base_host": ""}}`, `1: network.base_host: want the name of a host, got ""`},
		{systemFile, system, `{"network": {"default_referee_port_range": [8010, 8001]}}`,
			`1: network.default_referee_port_range: want two ports, 1 to 65535, the lower first, got [8010,8001]`},
		{systemFile, system, `{"network": {"default_player_port_range": [8101]}}`,
			`1: network.default_player_port_range: want two ports, 1 to 65535, the lower first, got [8101,0]`},
		{systemFile, system, `{"network": {"default_player_port_range": [1, 2, 3]}}`,
			`1: network.default_player_port_range: want two ports, 1 to 65535, the lower first, got [1,2]`},
		{systemFile, system, `{"network": {"default_player_port_range": [1, "x"]}}`,
			`1: network.default_player_port_range[1]: want a port, got "x"`},
		{systemFile, system, `{"security": {"token_ttl_hours": 1.5}}`,
			`1: security.token_ttl_hours: want a whole number of hours, got 1.5`},
		{systemFile, system, `{"security": {"enable_auth_tokens": "yes"}}`,
			`1: security.enable_auth_tokens: want true or false, got "yes"`},
		{systemFile, system, `{"security": {"token_length": 0}}`, `1: security.token_length: want 16 to 32, got 0`},
		{systemFile, system, `{"retry_policy": {"max_retries": -1}}`, `1: retry_policy.max_retries: want 0 to 100, got -1`},
		{systemFile, system, `{"retry_policy": {"backoff_strategy": "random"}}`,
			`1: retry_policy.backoff_strategy: want ` + strings.Join(config.Backoffs, " or ") + `, got "random"`},
		{systemFile, system, "{\"retry_policy\": {\"retryable_errors\": [\"E001\",\n\"E999\"]}}",
			`2: retry_policy.retryable_errors[1]: want a code of the protocol, such as E001, got "E999"`},
		{systemFile, system, `{"circuit_breaker": {"failure_threshold": 0}}`,
			`1: circuit_breaker.failure_threshold: want 1 to 1000000, got 0`},
		{systemFile, system, `{"logging": {"keep_files": -1}}`,
			`1: logging.keep_files: want 0 to 1000000, got -1`},
		{systemFile, system, `{"protocol_version": "league.v3"}`, `1: protocol_version: want league.v2, got "league.v3"`},
		{systemFile, system, `{"schema_version": "2.0.0"}`, `1: schema_version: want 1.x.x, got "2.0.0"`},
		{systemFile, system, `{"system_id": 7}`, `1: system_id: want a text, got 7`},
		{systemFile, system, `{"default_league_id": "../x"}`,
			`1: default_league_id: want 1 to 128 letters, digits, "_", "-" and ".", not "." first, got "../x"`},
		{leagueFile, ofLeague, "{\"scoring\":\n{\"win_points\": -3}}", `2: scoring.win_points: want 0 to 1000000, got -3`},
		{leagueFile, ofLeague, `{"scoring": {"tiebreakers": ["points", "luck"]}}`,
			`1: scoring.tiebreakers[1]: want ` + strings.Join(protocol.TiebreakRules, " or ") + `, got "luck"`},
		{leagueFile, ofLeague, "{\n\"participants\": {\"min_players\": 20000}}",
			`2: participants.max_players: want 20000 to 1000000, got 10000`},
		{leagueFile, ofLeague, `{"league_id": "other"}`,
			`1: league_id: want "league_2025_even_odd", as the file is called, got "other"`},
		{leagueFile, ofLeague, `{"schedule": {"format": "swizz"}}`, `1: schedule.format: unknown format "swizz", want one of round_robin/1, swiss/1, gauntlet/1, knockout/1, ladder/1`},
		{leagueFile, ofLeague, `{"schedule": {"format": "swiss", "cycles": 2}}`, `1: schedule.cycles: want 1; use schedule.legs in this format, got 2`},
		{leagueFile, ofLeague, `{"schedule": {"format": "knockout", "late": {"until": 2}}}`, `1: schedule.late: has no effect in the format knockout: remove it`},
		{leagueFile, ofLeague, `{"schedule": {"bye": "half"}}`, `1: schedule.bye: want one of win, draw, zero, got "half"`},
		{leagueFile, ofLeague, `{"game_type": ""}`, `1: game_type: want a game, such as even_odd, got ""`},
		{leagueFile, ofLeague, `{"schedule": 1}`, `1: schedule: want an object, got 1`},
		{AgentsFile, agents, "{\"players\": [{\"player_id\": \"P01\"},\n{\"player_id\": \"P/2\"}]}",
			`2: players[1].player_id: want 1 to 128 letters, digits, "_", "-" and ".", not "." first, got "P/2"`},
		{AgentsFile, agents, "{\"players\": [{\"player_id\": \"P01\"},\n{\"player_id\": \"P01\"}]}",
			`2: players[1].player_id: want an id that no other agent has, got "P01"`},
		{AgentsFile, agents, "{\"players\": [{\"player_id\": \"P01\"},\n{\"display_name\": \"?\"}]}",
			`2: players[1].player_id: want 1 to 128 letters, digits, "_", "-" and ".", not "." first, got ""`},
		{AgentsFile, agents, "{\"players\": [{},\n{\"active\": \"no\"}]}",
			`2: players[1].active: want true or false, got "no"`},
		{AgentsFile, agents, `{"referees": [{"referee_id": "REF01", "endpoint": "localhost:8001"}]}`,
			`1: referees[0].endpoint: want an address such as http://localhost:8101/mcp, got "localhost:8001"`},
		{AgentsFile, agents, `{"league_manager": {"endpoint": "http://"}}`,
			`1: league_manager.endpoint: want an address such as http://localhost:8101/mcp, got "http://"`},
		{gamesFile, ofGames, `{"games": [{"game_type": "a", "min_players": 3, "max_players": 2}]}`,
			`1: games[0].max_players: want 3 to 1000000, got 2`},
		{gamesFile, ofGames, `{"games": {}}`, `1: games: want a list, got an object`},
		{gamesFile, ofGames, `{"games": [{"valid_choices": {"choose parity": [1]}}]}`,
			`1: games[0].valid_choices["choose parity"][0]: want a text, got 1`},
		{"config/defaults/referee.json", referee, `{"max_concurrent_matches": 0}`,
			`1: max_concurrent_matches: want 1 to 1000000, got 0`},
		{"config/defaults/referee.json", referee, `{"version": 1}`, `1: version: want a text, got 1`},
		{"config/defaults/player.json", player, `{"strategy": ""}`,
			`1: strategy: want the name of a strategy, such as random, got ""`},
		{"config/defaults/player.json", player, `{"strategy": 1234567890123456789012345678901234567890123}`,
			`1: strategy: want a text, got 1234567890123456789012345678901234567890…`},
	} {
		good := read(t, root, c.file)
		write(t, root, c.file, c.text)
		fresh, err := tryOpen(root.Dir())
		if err == nil {
			err = c.load(fresh.Config())
		}
		wantError(t, err, c.file+":"+c.want)
		write(t, root, c.file, good)
	}
}

func TestAllThatIsWrongIsSaidAtOnce(t *testing.T) {
	root := open(t)
	write(t, root, "config/defaults/player.json", "{\n\"strategy\": \"\",\n\"max_history_size\": -1\n}")
	_, err := root.Config().PlayerDefaults()
	wantError(t, err, `config/defaults/player.json:2: strategy: want the name of a strategy, such as random, got ""`+
		"\n"+`config/defaults/player.json:3: max_history_size: want 0 to 1000000, got -1`)
}

func TestConfigIsReadOnceWhenItIsRight(t *testing.T) {
	root := open(t)
	good := read(t, root, "config/defaults/player.json")
	write(t, root, "config/defaults/player.json", "{")
	if _, err := root.Config().PlayerDefaults(); err == nil {
		t.Error("a broken file: got no error")
	}
	write(t, root, "config/defaults/player.json", good)
	before, err := root.Config().PlayerDefaults()
	mustSucceed(t, err)
	write(t, root, "config/defaults/player.json", `{"strategy": "history"}`)
	after, err := root.Config().PlayerDefaults()
	if err != nil || !reflect.DeepEqual(before, after) {
		t.Errorf("got %+v, %v; want %+v again", after, err, before)
	}
}

func TestALeagueWithoutAFileIsLikeTheDefaultOne(t *testing.T) {
	root := open(t)
	text := strings.Replace(read(t, root, "config/leagues/"+league+".json"), `"win_points": 3`, `"win_points": 2`, 1)
	write(t, root, "config/leagues/"+league+".json", text)
	want, err := root.Config().League(league)
	mustSucceed(t, err)
	want.LeagueID, want.DisplayName = "spring", "spring"
	got, err := root.Config().League("spring")
	if err != nil || !reflect.DeepEqual(got, want) || got.Scoring.WinPoints != 2 {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
	if _, err := os.Stat(path(root, "config/leagues/spring.json")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want no file for it", err)
	}
}

func TestALeagueMayHaveItsOwnFile(t *testing.T) {
	root := open(t)
	write(t, root, "config/leagues/spring.json",
		`{"scoring": {"win_points": 5, "technical_loss_points": -1}, "max_consecutive_forfeits": 0}`)
	got, err := root.Config().League("spring")
	mustSucceed(t, err)
	if want := (protocol.Scoring{Win: 5, Draw: 1, TechnicalLoss: -1}); got.Scoring.Points() != want ||
		got.LeagueID != "spring" || got.MaxConsecutiveForfeits != 0 {
		t.Errorf("got %+v, want spring with %+v", got, want)
	}
}

func TestALeagueSaysWhoMayJoin(t *testing.T) {
	root := open(t)
	write(t, root, "config/leagues/spring.json", `{"invited_only": true, "guest_referees": "never"}`)
	got, err := root.Config().League("spring")
	mustSucceed(t, err)
	if !got.InvitedOnly || got.GuestReferees != "never" {
		t.Errorf("got %v and %q, want invited agents only and no guests", got.InvitedOnly, got.GuestReferees)
	}
	write(t, root, "config/leagues/summer.json", `{"guest_referees": "sometimes"}`)
	_, err = root.Config().League("summer")
	wantError(t, err,
		`config/leagues/summer.json:1: guest_referees: want before_start or invited or never, got "sometimes"`)
}

func TestALeagueThatCannotBeReadIsAnError(t *testing.T) {
	root := open(t)
	_, err := root.Config().League("../system")
	wantError(t, err, `league id "../system": want 1 to 128 letters, digits, "_", "-" and ".", not "." first`)
	remove(t, root, "config/leagues/"+league+".json")
	for _, id := range []string{league, "spring"} {
		if _, err := root.Config().League(id); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: got %v, want that there is no file", id, err)
		}
	}
}

func TestAgentsAreFoundByID(t *testing.T) {
	c := open(t).Config()
	if r, err := c.RefereeByID("REF01"); err != nil || r.DisplayName != "Referee Alpha" {
		t.Errorf("got %+v, %v; want Referee Alpha", r, err)
	}
	if p, err := c.PlayerByID("P01"); err != nil || p.DisplayName != "Agent Alpha" {
		t.Errorf("got %+v, %v; want Agent Alpha", p, err)
	}
	_, err := c.RefereeByID("P01")
	wantError(t, err, `config/agents/agents_config.json: referee "P01": no such agent`)
	if !errors.Is(err, config.ErrUnknownAgent) {
		t.Errorf("got %v, want ErrUnknownAgent", err)
	}
	_, err = c.PlayerByID("P09")
	wantError(t, err, `config/agents/agents_config.json: player "P09": no such agent`)
}

func TestAgentsAreNotFoundInABrokenFile(t *testing.T) {
	root := open(t)
	write(t, root, "config/agents/agents_config.json", "{\n")
	const want = `config/agents/agents_config.json:1: not JSON: unexpected end of JSON input`
	_, err := root.Config().RefereeByID("REF01")
	wantError(t, err, want)
	_, err = root.Config().PlayerByID("P01")
	wantError(t, err, want)
}

func TestSecondsAreADuration(t *testing.T) {
	if got, want := config.Seconds(2.5).Duration(), 2500*time.Millisecond; got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}
