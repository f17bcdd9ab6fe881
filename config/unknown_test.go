package config_test

import (
	"slices"
	"testing"
)

// The error for an unknown key has its place and the most similar known key.
func TestUnknownKeysAreNamedWithTheNearestKnownOne(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ file, text, want string }{
		"a slip": {
			"config/system.json", "{\"timeouts\": {\n\"move_timout_sec\": 3}}",
			"config/system.json:2: timeouts.move_timout_sec: unknown key, which has no effect; the nearest known one is timeouts.move_timeout_sec",
		},
		"in another place": {
			"config/system.json", `{"move_timeout_sec": 3}`,
			"config/system.json:1: move_timeout_sec: unknown key, which has no effect; the nearest known one is timeouts.move_timeout_sec",
		},
		"beside its namesake elsewhere": {
			"config/agents/agents_config.json", `{"referees": [{"referee_id": "REF01", "versiom": "1"}]}`,
			"config/agents/agents_config.json:1: referees[0].versiom: unknown key, which has no effect; the nearest known one is referees[].version",
		},
		"with others in it": {
			"config/leagues/" + league + ".json", `{"scorings": {"win_points": 1, "what": {"ever": 2}}}`,
			"config/leagues/" + league + ".json:1: scorings: unknown key, which has no effect; the nearest known one is scoring",
		},
		"of another program": {
			"config/defaults/player.json", `{"a key": 1}`,
			`config/defaults/player.json:1: ["a key"]: unknown key, which has no effect; the nearest known one is llm.league_budget.tokens`,
		},
		"of a document of data": {
			"config/agents/agents_config.json", `{"league_id": "x"}`,
			"config/agents/agents_config.json:1: league_id: unknown key, which has no effect; the nearest known one is players[].player_id",
		},
		"a note":      {"config/system.json", `{"_comment": "ours", "//": "too", "timeouts": {"_why": "slow"}}`, ""},
		"in capitals": {"config/system.json", `{"Timeouts": {"MOVE_TIMEOUT_SEC": 3}}`, ""},
		"that may be": {"config/games/games_registry.json", `{"games": [{"game_type": "even_odd", "display_name": "E", "rules_module": "evenodd", "move_types": ["choose_parity"], "valid_choices": {"choose_parity": ["even", "odd"]}, "min_players": 2, "max_players": 2}]}`, ""},
		"broken":      {"config/defaults/player.json", `{`, ""},
		"another's rules": {
			"config/games/games_registry.json", `{"games": [{"game_type": "even_odd", "move_types": ["choose_parity"], "valid_choices": {"choose_parity": ["even", "odd"]}, "min_players": 2, "max_players": 9}]}`,
			"config/games/games_registry.json:1: games[0].max_players: the rules of even_odd have 2, and they count",
		},
		"a game that there is not": {
			"config/games/games_registry.json", `{"games": [{"game_type": "chess", "min_players": 2, "max_players": 2}]}`,
			`config/games/games_registry.json:1: games[0].game_type: this program has no game "chess"; it is not played`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := open(t)
			write(t, root, tt.file, tt.text)
			got := reopen(t, root.Dir()).Config().Warnings("")
			var want []string
			if tt.want != "" {
				want = []string{tt.want}
			}
			if !slices.Equal(got, want) {
				t.Errorf("\ngot  %q\nwant %q", got, want)
			}
		})
	}
}

// The files that the program writes have only known keys.
func TestDefaultFilesHaveKnownKeysAlone(t *testing.T) {
	t.Parallel()
	if got := open(t).Config().Warnings("spring"); got != nil {
		t.Errorf("got %q", got)
	}
}
