package files

import (
	"path"

	"agentleague/config"
)

// inLeague returns the name of an agent's file or folder below one that all leagues share. No league means the default one.
func (r *Root) inLeague(league, id string) (string, error) {
	if err := config.CheckID("agent id", id); err != nil {
		return "", err
	}
	if league == "" || league == r.DefaultLeague() {
		return id, nil
	}
	return path.Join(league, id), config.CheckID("league id", league)
}
