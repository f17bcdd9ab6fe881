package files

import (
	"cmp"

	"agentleague/config"
)

// An AgentsRepository keeps the agents that registered in one league, data/leagues/<league_id>/agents.json.
type AgentsRepository struct {
	root   *Root
	league string
}

// Agents returns the repository of a league's agents. An id that cannot be one is an error of Load and Save.
func (r *Root) Agents(league string) AgentsRepository { return AgentsRepository{r, league} }

// Load returns the agents; there are none before they were saved.
func (s AgentsRepository) Load() (config.Agents, error) {
	v := config.Agents{SchemaVersion: config.SchemaVersion, LeagueID: s.league}
	name, err := ofLeague(s.league, "agents.json")
	if err != nil {
		return v, err
	}
	return v, s.root.load(name, &v)
}

// Save replaces the agents. The league's id is put in, and the time unless v has one.
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

// DocumentAgents returns agents.json byte for byte as Save writes it at a time.
func DocumentAgents(league string, v config.Agents, lastUpdated string) ([]byte, error) {
	v.SchemaVersion, v.LeagueID, v.LastUpdated = config.SchemaVersion, league, lastUpdated
	return config.Document(v)
}
