package store

import (
	"cmp"
	"os"

	"agentleague/config"
)

// Agents returns the registered agents of a league.
func (r *Root) Agents(league string) Document[config.Agents] {
	empty := config.Agents{SchemaVersion: config.SchemaVersion, LeagueID: league}
	return newDocument(r, league, "agents.json", empty, func(v config.Agents) ([]byte, error) {
		return DocumentAgents(league, v, cmp.Or(v.LastUpdated, now()))
	})
}

// DocumentAgents returns agents.json with a given time, with the same bytes as Save.
func DocumentAgents(league string, v config.Agents, lastUpdated string) ([]byte, error) {
	v.SchemaVersion, v.ID, v.LeagueID, v.LastUpdated = config.SchemaVersion, "", league, lastUpdated
	return config.Document(v)
}

// addAgents adds agents to the file of preconfigured agents in the data directory.
func (r *Root) addAgents(agents config.Agents) error {
	r.listing.Lock()
	defer r.listing.Unlock()
	path := r.path(config.AgentsFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if text, err = agents.List(text); err != nil {
		return err
	}
	return replace(path, text, 0o644)
}
