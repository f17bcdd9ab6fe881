package store

import (
	"cmp"

	"agentleague/config"
)

// An AgentsRepository stores the registered agents of one league, data/leagues/<league_id>/agents.json.
type AgentsRepository struct {
	root   *Root
	league string
}

// Agents returns the repository of a league's agents. Load and Save return an error for an invalid id.
func (r *Root) Agents(league string) AgentsRepository { return AgentsRepository{r, league} }

// Load returns the agents; a missing file reads as empty.
func (s AgentsRepository) Load() (config.Agents, error) {
	v := config.Agents{SchemaVersion: config.SchemaVersion, LeagueID: s.league}
	name, err := ofLeague(s.league, "agents.json")
	if err != nil {
		return v, err
	}
	return v, s.root.load(name, &v)
}

// Save replaces the agents, with the league's id, and with the current time unless v has one.
func (s AgentsRepository) Save(v config.Agents) error {
	name, err := ofLeague(s.league, "agents.json")
	if err != nil {
		return err
	}
	text, err := DocumentAgents(s.league, v, cmp.Or(v.LastUpdated, now()))
	if err != nil {
		return err
	}
	return s.root.saveText(name, text)
}

// DocumentAgents returns agents.json with a given time, byte for byte as Save writes it.
func DocumentAgents(league string, v config.Agents, lastUpdated string) ([]byte, error) {
	v.SchemaVersion, v.LeagueID, v.LastUpdated = config.SchemaVersion, league, lastUpdated
	return config.Document(v)
}
