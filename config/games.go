package config

import (
	"errors"
	"fmt"
)

// Games is config/games/games_registry.json: the games that can be played.
type Games struct {
	SchemaVersion string          `json:"schema_version"`
	LastUpdated   string          `json:"last_updated"`
	Games         List[GameEntry] `json:"games"`
}

// GameEntry is one game of the registry.
type GameEntry struct {
	GameType        string              `json:"game_type"`
	DisplayName     string              `json:"display_name"`
	RulesModule     string              `json:"rules_module"`
	MoveTypes       List[string]        `json:"move_types"`
	ValidChoices    map[string][]string `json:"valid_choices"`
	MinPlayers      int                 `json:"min_players"`
	MaxPlayers      int                 `json:"max_players"`
	MaxRoundTimeSec Seconds             `json:"max_round_time_sec"` // for a whole match; 0: no bound
}

func readGames(name string, text []byte) (Games, error) {
	v := Games{SchemaVersion: SchemaVersion}
	s, err := decode(name, text, &v)
	if err != nil {
		return Games{}, err
	}
	err = s.schema(v.SchemaVersion)
	for i, g := range v.Games {
		err = errors.Join(err, s.game(fmt.Sprintf("games[%d].", i), g))
	}
	return v, err
}

func (s *source) game(path string, g GameEntry) error {
	return errors.Join(
		s.id(path+"game_type", g.GameType),
		s.within(path+"min_players", g.MinPlayers, 1, many),
		s.within(path+"max_players", g.MaxPlayers, max(1, g.MinPlayers), many),
		s.least(path+"max_round_time_sec", g.MaxRoundTimeSec),
	)
}
