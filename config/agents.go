package config

import (
	"errors"
	"fmt"

	"agentleague/dialect/notation"
)

// Agents is config/agents/agents_config.json, which lists the preconfigured agents. The agents.json of a league, which
// lists the agents that registered there, has the same form.
type Agents struct {
	SchemaVersion string        `json:"schema_version"`
	ID            string        `json:"id,omitempty"`                   // of the document
	LeagueID      string        `json:"league_id,omitempty" config:"-"` // of a league's agents.json
	LastUpdated   string        `json:"last_updated"`
	LeagueManager LeagueManager `json:"league_manager"`
	Referees      List[Referee] `json:"referees"`
	Players       List[Player]  `json:"players"`
}

// LeagueManager is where the manager is.
type LeagueManager struct {
	Endpoint string `json:"endpoint"` // where agents and commands expect it
	Version  string `json:"version"`  // in a league's agents.json; "": that of the program
}

// Referee is a configured referee.
type Referee struct {
	RefereeID            string       `json:"referee_id"`
	DisplayName          string       `json:"display_name"`
	Endpoint             string       `json:"endpoint"`
	Version              string       `json:"version"`
	GameTypes            List[string] `json:"game_types"`
	MaxConcurrentMatches int          `json:"max_concurrent_matches"` // default 1
	Dialect              string       `json:"dialect,omitempty"`      // its dialect, overriding its registration
	Active               bool         `json:"active"`                 // default true
}

// Player is a configured player.
type Player struct {
	PlayerID         string       `json:"player_id"`
	DisplayName      string       `json:"display_name"`
	Version          string       `json:"version"`
	PreferredLeagues List[string] `json:"preferred_leagues"` // it joins the first
	GameTypes        List[string] `json:"game_types"`
	DefaultEndpoint  string       `json:"default_endpoint"`
	Dialect          string       `json:"dialect,omitempty"` // its dialect, overriding its registration
	Active           bool         `json:"active"`            // default true
}

// readAgents reads config/agents/agents_config.json. All errors are reported at once, each with its line.
func readAgents(name string, text []byte) (Agents, error) {
	v := Agents{SchemaVersion: SchemaVersion}
	s, err := decode(name, text, &v)
	if err != nil {
		return Agents{}, err
	}
	err = errors.Join(s.schema(v.SchemaVersion), s.endpoint("league_manager.endpoint", v.LeagueManager.Endpoint))
	seen := map[string]bool{}
	for i := range v.Referees {
		err = errors.Join(err, v.Referees[i].check(s, fmt.Sprintf("referees[%d].", i), seen))
	}
	for i := range v.Players {
		err = errors.Join(err, v.Players[i].check(s, fmt.Sprintf("players[%d].", i), seen))
	}
	return v, err
}

// check fills in the defaults of an entry and validates it. seen holds the ids of earlier entries.
func (r *Referee) check(s *source, path string, seen map[string]bool) error {
	r.Active = r.Active || !s.has(path+"active")
	if !s.has(path + "max_concurrent_matches") {
		r.MaxConcurrentMatches = 1
	}
	return errors.Join(
		s.newID(path+"referee_id", r.RefereeID, seen),
		s.endpoint(path+"endpoint", r.Endpoint),
		s.within(path+"max_concurrent_matches", r.MaxConcurrentMatches, 1, many),
		s.dialect(path+"dialect", r.Dialect),
	)
}

// check fills in the defaults of an entry and validates it. seen holds the ids of earlier entries.
func (p *Player) check(s *source, path string, seen map[string]bool) error {
	p.Active = p.Active || !s.has(path+"active")
	return errors.Join(
		s.newID(path+"player_id", p.PlayerID, seen),
		s.endpoint(path+"default_endpoint", p.DefaultEndpoint),
		s.dialect(path+"dialect", p.Dialect),
	)
}

// dialect returns an error unless text is the name or the complete description of a dialect.
func (s *source) dialect(path, text string) error {
	_, err := notation.Parse(text)
	return s.must(err == nil, path, text, "a dialect such as A, B or C (docs/guide/interop.md lists them)")
}

// newID wants an id that no agent before has.
func (s *source) newID(path, id string, seen map[string]bool) error {
	defer func() { seen[id] = true }()
	if err := s.id(path, id); err != nil {
		return err
	}
	return s.must(!seen[id], path, id, "an id that no other agent has")
}
