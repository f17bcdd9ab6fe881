package config

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Games is config/games/games_registry.json, which lists the games that may be played. The rules define a game: a
// registry that contradicts them causes a warning.
type Games struct {
	SchemaVersion string          `json:"schema_version"`
	ID            string          `json:"id,omitempty"` // of the document
	LastUpdated   string          `json:"last_updated"`
	Games         List[GameEntry] `json:"games"`
}

// GameEntry is one game of the registry.
type GameEntry struct {
	GameType        string              `json:"game_type"`
	DisplayName     string              `json:"display_name"` // on pages, reports and the wire; "": that of the rules
	RulesModule     string              `json:"rules_module"` // that plays it: a part of this program, or a .wasm file below the root
	MoveTypes       List[string]        `json:"move_types"`
	ValidChoices    map[string][]string `json:"valid_choices"`
	MinPlayers      int                 `json:"min_players"`
	MaxPlayers      int                 `json:"max_players"`
	MaxRoundTimeSec Seconds             `json:"max_round_time_sec"` // for a whole match; 0: no bound
}

// readGames reads config/games/games_registry.json. All errors are reported at once, each with its line.
func readGames(name string, text []byte) (Games, error) {
	v := Games{SchemaVersion: SchemaVersion}
	s, err := decode(name, text, &v)
	if err != nil {
		return Games{}, err
	}
	err = s.schema(v.SchemaVersion)
	for i, g := range v.Games {
		err = errors.Join(err, g.check(s, fmt.Sprintf("games[%d].", i)))
	}
	return v, err
}

// check validates an entry of the registry. The number of players is optional for rules in a WebAssembly module, which
// define it.
func (g GameEntry) check(s *source, path string) error {
	if g.MinPlayers == 0 && g.MaxPlayers == 0 && strings.HasSuffix(g.RulesModule, ".wasm") { // the file has it
		g.MinPlayers, g.MaxPlayers = 1, 1
	}
	return errors.Join(
		s.id(path+"game_type", g.GameType),
		s.within(path+"min_players", g.MinPlayers, 1, many),
		s.within(path+"max_players", g.MaxPlayers, max(1, g.MinPlayers), many),
		s.least(path+"max_round_time_sec", g.MaxRoundTimeSec),
	)
}

// Game returns the registry's entry of a game. It is an error if the registry has no entry, or the program has no rules
// for the game.
func (r *Reader) Game(gameType string) (GameEntry, error) {
	games, err := r.Games()
	if err != nil {
		return GameEntry{}, err
	}
	i := slices.IndexFunc(games.Games, func(g GameEntry) bool { return g.GameType == gameType })
	if i < 0 {
		return GameEntry{}, fmt.Errorf("%s: game %.64q is not in it and is not played; add it, or use %s", gamesFile, gameType,
			cmp.Or(strings.Join(gameTypes(games.Games), ", "), "another file"))
	}
	if err := r.broken[gameType]; err != nil {
		return GameEntry{}, r.errorf(gamesFile, fmt.Sprintf("games[%d].rules_module", i), "%w", err)
	}
	for _, rules := range r.rules {
		if module := games.Games[i].RulesModule; rules.GameType == gameType && module != "" && module != rules.RulesModule {
			return GameEntry{}, r.errorf(gamesFile, fmt.Sprintf("games[%d].rules_module", i), "want %s, got %s",
				short(rules.RulesModule), short(module))
		}
	}
	return games.Games[i], nil
}

// Extend adds games whose rules are files of the data directory. broken maps the games with unusable rules to their
// errors. It must be called before any other method of the reader.
func (r *Reader) Extend(games []GameEntry, broken map[string]error) {
	r.rules, r.broken = append(slices.Clone(r.rules), games...), broken
}

// gameTypes returns the types of games, in their order.
func gameTypes(games []GameEntry) (types []string) {
	for _, g := range games {
		types = append(types, g.GameType)
	}
	return types
}

// short is a value as JSON, for a sentence.
func short(v any) string {
	text, _ := json.Marshal(v) // it was read from JSON, or is as simple
	return string(text)
}
