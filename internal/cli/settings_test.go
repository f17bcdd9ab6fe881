package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"agentleague/config"
	"agentleague/host"
	"agentleague/rpc/rpctest"
	"agentleague/store"
)

// configFiles are the files of a root by the names that the table has for them.
var configFiles = map[string]struct {
	path  string
	shape reflect.Type
}{
	"system":  {"config/system.json", reflect.TypeFor[config.System]()},
	"league":  {"config/leagues/" + theLeague + ".json", reflect.TypeFor[config.League]()},
	"games":   {"config/games/games_registry.json", reflect.TypeFor[config.Games]()},
	"agents":  {"config/agents/agents_config.json", reflect.TypeFor[config.Agents]()},
	"referee": {"config/defaults/referee.json", reflect.TypeFor[config.RefereeDefaults]()},
	"player":  {"config/defaults/player.json", reflect.TypeFor[config.PlayerDefaults]()},
}

// A changedKey is a key of the configuration, with two values of it and an observation from outside of the program that
// differs between them.
type changedKey struct {
	key  string         // a file and a path in it; the first element represents a list
	a, b any            // nil: as the default file has it
	with map[string]any // other settings, with both values
	see  func(t *testing.T, root string) string
	// pair compares two roots, for effects that are visible only in comparison; it replaces see.
	pair func(t *testing.T, a, b string)
}

// settings returns the rows of the table: one for every key of every file.
func settings() (rows []changedKey) {
	for _, file := range []string{"system", "league", "games", "agents", "referee", "player"} {
		see := seeManager
		switch file {
		case "referee":
			see = seeReferee
		case "player":
			see = seePlayer
		}
		rows = append(rows,
			changedKey{key: file + " schema_version", b: "9.0.0", see: see},
			changedKey{key: file + " last_updated", a: "2026-01-01T00:00:00Z", b: "2026-02-02T00:00:00Z", see: seeNote(file, "last_updated")})
	}
	return slices.Concat(rows, systemKeys(), logKeys(), retryKeys(), leagueKeys(), gameKeys(), agentKeys(), defaultKeys(), llmKeys())
}

func systemKeys() []changedKey {
	return []changedKey{
		{key: "system system_id", b: "here", see: seeManager},
		{key: "system protocol_version", b: "league.v9", see: seeManager},
		{key: "system default_league_id", b: "spring", see: seeManager},
		{key: "system network.base_host", b: "127.0.0.1", see: seePlayer},
		{key: "system network.default_league_manager_port", b: 1, see: seeAddress},
		{key: "system network.default_referee_port_range", a: onePort(), b: onePort(), see: seeRefereePort},
		{key: "system network.default_player_port_range", a: onePort(), b: onePort(), see: seePlayerPort},
		{key: "system network.public_url", b: "https://league.example.org", see: seeOutside},
		{key: "system security.auth_server", b: "https://login.example.org", see: seeOutside},
		{key: "system security.enable_auth_tokens", b: false, see: seeStrangers},
		{key: "system security.token_length", b: 16, see: seeStrangers},
		{key: "system security.token_ttl_hours", b: 1, see: seeAnHourLater},
		{key: "system security.requests_per_second_per_agent", b: 1, see: seeBursts},
		{key: "system security.open_requests_per_second_per_address", b: 1, see: seeBursts},
		{key: "system security.failed_requests_per_second_per_address", b: 1, see: seeBursts},
		{key: "system security.seats_per_address", b: 1, see: seeSeats},
		{key: "system mailboxes.max_bytes", b: 1 << 10, see: seeMailboxes},
		{key: "system mailboxes.bytes_per_second", b: 1 << 10, see: seeMailboxes},
		{key: "system mailboxes.connections_per_address", b: 1, see: seeMailboxes},
		{key: "system mailboxes.new_per_minute_per_address", b: 2, see: seeMailboxes},
		{key: "system mailboxes.unused_per_address", b: 2, see: seeMailboxes},
		{key: "system security.metrics_allow", b: []string{"127.0.0.0/8", "::1/128"}, see: seeMetrics},
		{key: "system timeouts.register_referee_timeout_sec", a: 0.05, b: 3600, pair: gaveUp("register_referee", "referee")},
		{key: "system timeouts.register_player_timeout_sec", a: 0.05, b: 3600, pair: gaveUp("register_player", "player")},
		{key: "system timeouts.game_join_ack_timeout_sec", a: 0.5, b: 3600, pair: gaveUpPlaying("handle_game_invitation")},
		{key: "system timeouts.move_timeout_sec", a: 0.5, b: 3600, pair: gaveUpPlaying("choose_parity")},
		{key: "system timeouts.game_over_timeout_sec", a: 0.5, b: 3600, pair: gaveUpPlaying("notify_match_result")},
		{key: "system timeouts.match_result_timeout_sec", a: 0.5, b: 3600, pair: reportGivenUp},
		{key: "system timeouts.league_query_timeout_sec", a: 2, b: 3600, pair: gaveUp("get_standings", "standings")},
		{key: "system timeouts.generic_response_timeout_sec", a: 2, b: 3600, pair: gaveUp("pause_league", "pause")},
		{key: "system timeouts.registration_window_sec", b: 365 * 24 * 3600, see: seeAnHourLater},
	}
}

// logKeys are about logs of before that a manager goes on with.
func logKeys() []changedKey {
	return []changedKey{
		{key: "system logging.max_file_mb", b: 1, see: seeLogs},
		{key: "system logging.max_age_days", b: 0, see: seeLogs},
		{key: "system logging.keep_files", b: 1, see: seeLogs},
		{key: "system logging.max_total_mb", b: 1, see: seeAllLogs},
		{key: "system records.max_age_days", b: 1, see: seeRecords},
		{key: "system records.max_leagues", b: 1, see: seeRecords},
	}
}

// retryKeys are about players that a referee asks again.
func retryKeys() []changedKey {
	quick := map[string]any{"system retry_policy.initial_delay_sec": 0.01}
	slow := map[string]any{
		"system retry_policy.initial_delay_sec": 100, "system retry_policy.max_delay_sec": 50,
		"system retry_policy.backoff_strategy": "exponential",
	}
	return []changedKey{
		{key: "system retry_policy.max_retries", b: 1, with: quick, see: seeIllegal},
		{key: "system retry_policy.retryable_errors", b: []string{"E001"}, with: quick, see: seeIllegal},
		{key: "system retry_policy.initial_delay_sec", b: 100, see: seeNextTry},
		{key: "system retry_policy.max_delay_sec", b: 20, with: slow, see: seeNextTry},
		{key: "system retry_policy.backoff_strategy", a: "exponential", b: "fixed", with: slow, see: seeNextTry},
		{key: "system circuit_breaker.failure_threshold", b: 1, with: quick, see: seeUnreachable},
		{key: "system circuit_breaker.reset_timeout_sec", b: 0.001, see: seeUnreachable, with: map[string]any{
			"system retry_policy.initial_delay_sec": 0.05, "system circuit_breaker.failure_threshold": 1,
		}},
	}
}

func leagueKeys() []changedKey {
	started := map[string]any{"league start.players": 2, "league start.referees": 1}
	second := map[string]any{"league season.of": "autumn", "league season.number": 2}
	return []changedKey{
		{key: "league league_id", b: "other", see: seeManager},
		{key: "league display_name", b: "Spring Cup", see: seeManager},
		{key: "league game_type", b: "tic_tac_toe", see: seeManager},
		{key: "league status", b: "INACTIVE", see: seeManager},
		{key: "league moved_to", b: "the cluster", with: map[string]any{"league status": "INACTIVE"}, see: seeManager},
		{key: "league scoring.win_points", b: 5, see: seeManager},
		{key: "league scoring.draw_points", b: 2, see: seeManager},
		{key: "league scoring.loss_points", b: -1, see: seeManager},
		{key: "league scoring.technical_loss_points", b: -2, see: seeManager},
		{key: "league scoring.tiebreakers", b: []string{"wins"}, see: seeManager},
		{key: "league participants.min_players", b: 7, see: seeManager},
		{key: "league participants.max_players", b: 2, see: seeStrangers},
		{key: "league participants.min_referees", b: 7, see: seeMissing},
		{key: "league participants.max_referees", b: 1, see: seeStrangers},
		{key: "league schedule.format", b: "knockout", see: seeManager},
		{key: "league schedule.cycles", b: 2, see: seeManager},
		{key: "league schedule.legs", b: 2, with: inFormat("swiss"), see: seeManager},
		{key: "league schedule.seeding", b: "lot", with: inFormat("swiss"), see: seeManager},
		{key: "league schedule.bye", b: "draw", with: inFormat("swiss"), see: seeManager},
		{key: "league schedule.late.until", b: 3, with: inFormat("swiss"), see: seeManager},
		{key: "league schedule.late.missed", b: "half", with: inFormat("swiss"), see: seeManager},
		{key: "league schedule.withdrawal.before_half", b: "keep", with: inFormat("swiss"), see: seeManager},
		{key: "league schedule.gauntlet.challengers", b: 2, with: inFormat("gauntlet"), see: seeManager},
		{key: "league schedule.knockout.best_of", b: 3, with: inFormat("knockout"), see: seeManager},
		{key: "league schedule.knockout.extra", b: 2, with: inFormat("knockout"), see: seeManager},
		{key: "league schedule.knockout.decide", b: "lot", with: inFormat("knockout"), see: seeManager},
		{key: "league schedule.knockout.third_place", b: true, with: inFormat("knockout"), see: seeManager},
		{key: "league calendar.round_every_sec", b: 60, see: seeDescription},
		{key: "league calendar.pauses", b: []string{"12:00-13:00"}, see: seeDescription},
		{key: "league calendar.zone", b: "Europe/Berlin", see: seeDescription},
		{key: "league calendar.no_show_sec", b: 60, see: seeDescription},
		{key: "league schedule.ladder.rest_after", b: 5, with: inFormat("ladder"), see: seeManager},
		{key: "league schedule.ladder.season", b: "none", with: inFormat("ladder"), see: seeManager},
		{key: "league schedule.ladder.matches", b: 5000, with: inFormat("ladder"), see: seeManager},
		{key: "league schedule.ladder.anchors", b: true, with: inFormat("ladder"), see: seeManager},
		{key: "league schedule.paired_draws", b: true, see: seeManager},
		{key: "league max_consecutive_forfeits", b: 1, see: seeManager},
		{key: "league broadcast_limit", b: 1, see: seeNews},
		{key: "league invited_only", b: true, see: seeStrangers},
		{key: "league guest_referees", b: "never", see: seeStrangers},
		{key: "league start.players", b: 8, with: started, pair: startsByNumber},
		{key: "league start.referees", b: 8, with: started, pair: startsByNumber},
		{key: "league start.after_sec", b: 600, with: started, see: seeDescription},
		{key: "league start.at", b: "2040-01-02T15:04:05Z", with: started, see: seeDescription},
		{key: "league schedule.rounds", b: 1, see: seeManager},
		{key: "league pace_sec", b: 5, see: seeDescription},
		{key: "league strict", b: true, see: seeDescription},
		{key: "league profile", b: "contracts", see: seeDescription},
		{key: "league limits.move_timeout_sec", b: 3, see: seeDescription},
		{key: "league limits.max_retries", b: 1, see: seeDescription},
		{key: "league invited", b: []string{"Cleo"}, see: seeInvited},
		{key: "league house.players", b: []string{"random"}, see: seeBots},
		{key: "league house.referees", b: 1, see: seeBots},
		{key: "league created_by", b: "Ada", see: seeManager},
		{key: "league seasons", b: 3, see: seeSeasons},
		{key: "league season.of", b: "spring", with: second, see: seeSeasons},
		{key: "league season.number", b: 3, with: second, see: seeSeasons},
	}
}

func gameKeys() []changedKey {
	return []changedKey{
		{key: "games id", b: "other", see: seeNote("games", "id")},
		{key: "games games[].game_type", b: "chess", see: seeManager},
		{key: "games games[].display_name", b: "Odds and Evens", see: seeManager},
		{key: "games games[].rules_module", b: "oddeven", see: seeManager},
		{key: "games games[].move_types", b: []string{"guess"}, see: seeManager},
		{key: "games games[].valid_choices", b: map[string][]string{"choose_parity": {"odd"}}, see: seeManager},
		{key: "games games[].min_players", b: 1, see: seeManager},
		{key: "games games[].max_players", b: 3, see: seeManager},
		{key: "games games[].max_round_time_sec", a: 0.05, b: 0, pair: matchEnds},
	}
}

func agentKeys() []changedKey {
	return []changedKey{
		{key: "agents id", b: "other", see: seeNote("agents", "id")},
		{key: "agents league_manager.endpoint", b: "http://127.0.0.1:1/mcp", see: seeAddress},
		{key: "agents league_manager.version", b: "7.7.7", see: seeManager},
		{key: "agents referees[].referee_id", b: "REF09", see: seeReferee01},
		{key: "agents referees[].display_name", b: "Ruth", see: seeReferee01},
		{key: "agents referees[].endpoint", a: oneEndpoint(), b: oneEndpoint(), see: seeRefereePort},
		{key: "agents referees[].version", b: "7.7.7", see: seeReferee01},
		{key: "agents referees[].game_types", b: []string{"tic_tac_toe"}, see: seeReferee01},
		{key: "agents referees[].max_concurrent_matches", b: 7, see: seeReferee01},
		{key: "agents referees[].dialect", b: "B", see: seeStrangers},
		{key: "agents referees[].active", b: false, see: seeReferee01},
		{key: "agents players[].player_id", b: "P09", see: seePlayer01},
		{key: "agents players[].display_name", b: "Ada", see: seePlayer01},
		{key: "agents players[].version", b: "7.7.7", see: seePlayer01},
		{key: "agents players[].preferred_leagues", b: []string{"spring"}, see: seePlayer01},
		{key: "agents players[].game_types", b: []string{"tic_tac_toe"}, see: seePlayer01},
		{key: "agents players[].default_endpoint", a: oneEndpoint(), b: oneEndpoint(), see: seePlayerPort},
		{key: "agents players[].dialect", b: "B", see: seeStrangers},
		{key: "agents players[].active", b: false, see: seePlayer01},
	}
}

func defaultKeys() []changedKey {
	return []changedKey{
		{key: "referee id", b: "player_defaults", see: seeReferee},
		{key: "referee version", b: "7.7.7", see: seeReferee},
		{key: "referee game_types", b: []string{"tic_tac_toe"}, see: seeReferee},
		{key: "referee max_concurrent_matches", b: 7, see: seeReferee},
		{key: "referee active", b: false, see: seeReferee},
		{key: "player id", b: "referee_defaults", see: seePlayer},
		{key: "player version", b: "7.7.7", see: seePlayer},
		{key: "player game_types", b: []string{"tic_tac_toe"}, see: seePlayer},
		{key: "player strategy", b: "alternate", see: seeRun},
		{key: "player auto_accept_invitations", b: false, see: seeRun},
		{key: "player max_history_size", b: 1, see: seeRun},
		{key: "player active", b: false, see: seePlayer},
	}
}

// inFormat is a league of a format.
func inFormat(name string) map[string]any { return map[string]any{"league schedule.format": name} }

// A new key without a row fails here.
func TestEveryKeyOfTheConfigurationHasARow(t *testing.T) {
	t.Parallel()
	missing := map[string]bool{}
	for name, file := range configFiles {
		for _, key := range leaves("", file.shape) {
			missing[name+" "+key] = true
		}
	}
	for _, row := range settings() {
		if !missing[row.key] {
			t.Errorf("%s: there is no such key, or it has two rows", row.key)
		}
		delete(missing, row.key)
	}
	for key := range missing {
		t.Errorf("%s: want a row that shows what it changes", key)
	}
}

// A flag that describes a league sets a key of its file.
func TestEveryFlagOfALeagueSetsAKey(t *testing.T) {
	t.Parallel()
	keys := leaves("", reflect.TypeFor[config.League]())
	for _, row := range leagueFlagTable {
		if !slices.Contains(keys, row.key) {
			t.Errorf("--%s: a league has no key %s", row.name, row.key)
		}
	}
}

// A key without an effect fails here.
func TestLongEveryKeyOfTheConfigurationChangesWhatIsSeen(t *testing.T) {
	t.Parallel()
	var rows sync.WaitGroup
	defer rows.Wait()
	slots := make(chan struct{}, 6) // they wait more than they work
	for _, row := range settings() {
		rows.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			t.Run(row.key, row.try)
		})
	}
}

// leaves lists the keys of a document that have values.
func leaves(path string, t reflect.Type) (out []string) {
	switch {
	case t.Kind() == reflect.Pointer:
		return leaves(path, t.Elem())
	case t.Kind() == reflect.Slice && t.Elem() == reflect.TypeFor[netip.Prefix](): // a text
		return []string{path}
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct:
		return leaves(path+"[]", t.Elem())
	case t.Kind() != reflect.Struct:
		return []string{path}
	}
	for f := range t.Fields() {
		if f.Tag.Get("config") == "-" {
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		out = append(out, leaves(strings.TrimPrefix(path+"."+name, "."), f.Type)...)
	}
	return out
}

func (row changedKey) try(t *testing.T) {
	a, b := row.root(t, row.a), row.root(t, row.b)
	if row.pair != nil {
		row.pair(t, a, b)
		return
	}
	with, without := row.see(t, b), row.see(t, a)
	if with == without {
		t.Errorf("with %v and with %v the same is seen:\n%s", row.a, row.b, with)
	}
}

// root returns a root in which the key has a value.
func (row changedKey) root(t *testing.T, value any) string {
	t.Helper()
	root := t.TempDir()
	if _, _, err := store.Init(root, host.Games(), ""); err != nil {
		t.Fatal(err)
	}
	for key, value := range row.with {
		change(t, root, key, value)
	}
	if value != nil {
		change(t, root, row.key, value)
	}
	return root
}

// change sets a key of a root.
func change(t *testing.T, root, key string, value any) {
	t.Helper()
	name, path, _ := strings.Cut(key, " ")
	file := filepath.Join(root, configFiles[name].path)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	at, parts := doc, strings.Split(path, ".")
	for _, part := range parts[:len(parts)-1] {
		name, first := strings.CutSuffix(part, "[]")
		switch inner := at[name].(type) {
		case []any:
			at = inner[0].(map[string]any)
		case map[string]any:
			at = inner
		default:
			if first {
				t.Fatalf("%s: %s is no list", key, name)
			}
			made := map[string]any{}
			at[name], at = made, made
		}
	}
	at[parts[len(parts)-1]] = value
	if text, err = json.MarshalIndent(doc, "", " "); err == nil {
		err = os.WriteFile(file, text, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// The guide describes the effect of every key.
func TestTheGuideNamesEveryKey(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../docs/guide/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range configFiles {
		for _, key := range leaves("", file.shape) {
			name := key[strings.LastIndexAny(key, ".")+1:]
			if !regexp.MustCompile("`[^`]*\\b" + name + "`").Match(guide) {
				t.Errorf("docs/guide/configuration.md does not say what %s of %s does", key, file.path)
			}
		}
	}
}

// Keys that nobody knows are told once, with their place and the nearest key, and nothing else is different.
func TestUnknownKeysAreWarnedOf(t *testing.T) {
	t.Parallel()
	root := changedKey{with: map[string]any{
		"system timeouts.move_timout_sec": 3, "player stratgy": "history", "league _note": "ours", "agents players[].activ": true,
	}}.root(t, nil)
	for _, args := range [][]string{{"run", "--port", "0", "--players", "2", "--referees", "1"}, {"config"}} {
		var errs strings.Builder
		if status := run(t.Context(), append(args, "--json", "--root", root), io.Discard, &errs); status != 0 {
			t.Errorf("league %s: status %d, %s", args[0], status, errs.String())
		}
		for _, want := range []string{
			`: timeouts.move_timout_sec: unknown key, which has no effect; the nearest known one is timeouts.move_timeout_sec`,
			`: stratgy: unknown key, which has no effect; the nearest known one is strategy`,
			`players[0].activ: unknown key, which has no effect; the nearest known one is players[].active`,
		} {
			if strings.Count(errs.String(), want) != 1 {
				t.Errorf("league %s: want once on standard error:\n%s\ngot\n%s", args[0], want, errs.String())
			}
		}
		if strings.Contains(errs.String(), "_note") {
			t.Errorf("league %s warns of a note: %s", args[0], errs.String())
		}
	}
}

// onePort is a range with one port, which is free.
func onePort() [2]int {
	port := rpctest.Port()
	return [2]int{port, port}
}

func oneEndpoint() string { return fmt.Sprintf("http://localhost:%d/mcp", rpctest.Port()) }
