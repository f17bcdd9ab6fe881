package config

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
)

// List returns the text of config/agents/agents_config.json with the agents of a league. An entry with the same id is
// replaced; all other members and entries stay as they are.
func (v Agents) List(text []byte) ([]byte, error) {
	was, err := readAgents(AgentsFile, text)
	if err != nil {
		return nil, err
	}
	change, err := json.Marshal(map[string]any{
		"last_updated": v.LastUpdated,
		"referees":     listed(was.Referees, v.Referees, func(r Referee) string { return r.RefereeID }),
		"players":      listed(was.Players, v.Players, func(p Player) string { return p.PlayerID }),
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", AgentsFile, err)
	}
	out, err := Document(merged(text, change))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", AgentsFile, err)
	}
	return out, nil
}

// listed returns the entries of was, with those of now in place of entries with the same id, in the order of their ids.
func listed[E any](was, now List[E], id func(E) string) List[E] {
	out := slices.DeleteFunc(slices.Clone(was), func(e E) bool {
		return slices.ContainsFunc(now, func(n E) bool { return id(n) == id(e) })
	})
	out = append(out, now...)
	slices.SortFunc(out, func(a, b E) int { return cmp.Compare(id(a), id(b)) })
	return out
}
