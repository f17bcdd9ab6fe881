package config

import "errors"

// RefereeDefaults is config/defaults/referee.json: the settings of a new referee.
type RefereeDefaults struct {
	SchemaVersion        string   `json:"schema_version"`
	ID                   string   `json:"id"` // which of the two files this is
	LastUpdated          string   `json:"last_updated"`
	Version              string   `json:"version"`
	GameTypes            []string `json:"game_types"`             // none: every game
	MaxConcurrentMatches int      `json:"max_concurrent_matches"` // how many it plays at the same time
	Active               bool     `json:"active"`
}

// PlayerDefaults is config/defaults/player.json: the settings of a new player.
type PlayerDefaults struct {
	SchemaVersion         string   `json:"schema_version"`
	ID                    string   `json:"id"` // which of the two files this is
	LastUpdated           string   `json:"last_updated"`
	Version               string   `json:"version"`
	GameTypes             []string `json:"game_types"`              // none: every game
	Strategy              string   `json:"strategy"`                // as `league help strategies` names them
	AutoAcceptInvitations bool     `json:"auto_accept_invitations"` // false: it declines every invitation
	MaxHistorySize        int      `json:"max_history_size"`        // matches; 0: all
	LLM                   LLM      `json:"llm"`
	Active                bool     `json:"active"`
}

// readRefereeDefaults reads config/defaults/referee.json over the defaults of the program.
func readRefereeDefaults(name string, text []byte) (RefereeDefaults, error) {
	v := builtin[RefereeDefaults]("referee")
	s, err := decode(name, text, &v)
	if err != nil {
		return RefereeDefaults{}, err
	}
	return v, errors.Join(
		s.schema(v.SchemaVersion),
		s.oneOf("id", v.ID, "referee_defaults"),
		s.within("max_concurrent_matches", v.MaxConcurrentMatches, 1, many),
	)
}

// readPlayerDefaults reads config/defaults/player.json over the defaults of the program.
func readPlayerDefaults(name string, text []byte) (PlayerDefaults, error) {
	v := builtin[PlayerDefaults]("player")
	s, err := decode(name, text, &v)
	if err != nil {
		return PlayerDefaults{}, err
	}
	return v, errors.Join(
		s.schema(v.SchemaVersion),
		s.oneOf("id", v.ID, "player_defaults"),
		s.must(v.Strategy != "", "strategy", v.Strategy, "the name of a strategy, such as random"),
		s.within("max_history_size", v.MaxHistorySize, 0, many),
		v.LLM.check(s),
	)
}
