package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// documentedFiles are the files below SHARED/ that the documents of league.v2 name, with the members that each has, as paths
// of dots in which [] stands for every element and * for every member.
var documentedFiles = map[string]string{
	"config/system.json": "schema_version system_id protocol_version last_updated default_league_id network.base_host " +
		"network.default_league_manager_port network.default_referee_port_range[] network.default_player_port_range[] " +
		"security.enable_auth_tokens security.token_length security.token_ttl_hours timeouts.register_referee_timeout_sec " +
		"timeouts.register_player_timeout_sec timeouts.game_join_ack_timeout_sec timeouts.move_timeout_sec " +
		"timeouts.generic_response_timeout_sec retry_policy.max_retries retry_policy.backoff_strategy",
	"config/agents/agents_config.json": "schema_version id last_updated league_manager.endpoint referees[].referee_id " +
		"referees[].display_name referees[].endpoint referees[].version referees[].game_types[] referees[].max_concurrent_matches " +
		"referees[].active players[].player_id players[].display_name players[].version players[].preferred_leagues[] " +
		"players[].game_types[] players[].default_endpoint players[].active",
	"config/leagues/" + theLeague + ".json": "schema_version league_id last_updated display_name game_type status scoring.win_points " +
		"scoring.draw_points scoring.loss_points scoring.technical_loss_points scoring.tiebreakers[] participants.min_players " +
		"participants.max_players",
	"config/games/games_registry.json": "schema_version id last_updated games[].game_type games[].rules_module games[].max_round_time_sec",
	"config/defaults/referee.json":     "schema_version id last_updated",
	"config/defaults/player.json":      "schema_version id last_updated",
	"data/leagues/" + theLeague + "/standings.json": "schema_version league_id last_updated version rounds_completed standings[].rank " +
		"standings[].player_id standings[].display_name standings[].wins standings[].draws standings[].losses standings[].points",
	"data/leagues/" + theLeague + "/rounds.json": "schema_version league_id last_updated rounds[].round_id rounds[].matches[].match_id",
	"data/leagues/" + theLeague + "/agents.json": "schema_version league_id last_updated referees[].referee_id referees[].endpoint " +
		"referees[].max_concurrent_matches players[].player_id players[].default_endpoint",
	"data/matches/" + theLeague + "/R?M?.json": "schema_version match_id last_updated lifecycle.state lifecycle.created_at " +
		"lifecycle.started_at lifecycle.completed_at transcript[].message_type transcript[].message.message_type result.status " +
		"result.winner_player_id result.drawn_number result.number_parity result.choices.* result.reason",
	"data/players/P0?/history.json": "schema_version player_id last_updated stats.total_matches stats.wins stats.losses stats.draws " +
		"matches[].match_id matches[].opponent_id matches[].result matches[].my_choice matches[].opponent_choice",
	"logs/league/" + theLeague + "/league.log.jsonl": "timestamp component event_type level message agent_id",
	"logs/agents/P0?.log.jsonl":                      "timestamp component event_type level message agent_id",
	"logs/agents/REF0?.log.jsonl":                    "timestamp component event_type level message agent_id",
	"logs/system/orchestrator.log.jsonl":             "timestamp component event_type level message agent_id",
}

// documentedCounts are the numbers of files of a league of four players and two referees, where a pattern stands for several.
var documentedCounts = map[string]int{
	"data/matches/" + theLeague + "/R?M?.json": 6, "data/players/P0?/history.json": 4, "logs/agents/P0?.log.jsonl": 4,
	"logs/agents/REF0?.log.jsonl": 2,
}

func TestFilesOfALeagueHaveTheMembersOfTheDocuments(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "SHARED")
	var out, errs bytes.Buffer
	if status := run(t.Context(), []string{"run", "--root", root, "--players", "4", "--port", "0"}, &out, &errs); status != 0 {
		t.Fatalf("status %d: %s", status, errs.String())
	}
	for pattern, members := range documentedFiles {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if want := max(documentedCounts[pattern], 1); err != nil || len(files) != want {
			t.Errorf("%s: %d files, %v; want %d", pattern, len(files), err, want)
		}
		for _, file := range files {
			for n, doc := range documentsOf(t, file) {
				for _, path := range strings.Fields(members) {
					if missing := missingMember(doc, path); missing != "" {
						t.Errorf("%s, document %d: no %s of %s", file, n+1, missing, path)
					}
				}
			}
		}
	}
}

// documentsOf returns the JSON document of a file, or those of its lines.
func documentsOf(t *testing.T, file string) (docs []any) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	parts := []string{string(text)}
	if strings.HasSuffix(file, ".jsonl") {
		parts = strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	}
	for n, part := range parts {
		var doc any
		if err := json.Unmarshal([]byte(part), &doc); err != nil {
			t.Errorf("%s, document %d: %v", file, n+1, err)
		}
		docs = append(docs, doc)
	}
	return docs
}

// missingMember returns the first name on a path at which a value has no member, or "".
func missingMember(v any, path string) string {
	if path == "" {
		return ""
	}
	name, rest, _ := strings.Cut(path, ".")
	name, each := strings.CutSuffix(name, "[]")
	object, _ := v.(map[string]any)
	next := []any{object[name]}
	if name == "*" {
		next = nil
		for _, m := range object {
			next = append(next, m)
		}
	} else if _, ok := object[name]; !ok {
		return name
	}
	if each {
		list, ok := next[0].([]any)
		if !ok || len(list) == 0 {
			return name + "[]"
		}
		next = list
	}
	if len(next) == 0 {
		return fmt.Sprintf("member of %v", v)
	}
	for _, n := range next {
		if missing := missingMember(n, rest); missing != "" {
			return missing
		}
	}
	return ""
}
