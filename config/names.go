package config

// AgentsFile is the name of the list of preconfigured agents, relative to the data directory.
const AgentsFile = "config/agents/agents_config.json"

// The names of the other config files, relative to the data directory. [LeagueFile] has that of a league.
const (
	systemFile  = "config/system.json"
	gamesFile   = "config/games/games_registry.json"
	refereeFile = "config/defaults/referee.json"
	playerFile  = "config/defaults/player.json"
)

// LeagueFile returns the name of the settings of a league, relative to the data directory.
func LeagueFile(id string) string { return "config/leagues/" + id + ".json" }
