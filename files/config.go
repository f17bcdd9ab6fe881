package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
)

// A Config reads the config files of a root. Each is read when it is first asked for and not again: a change takes a
// restart. A file that is wrong is an error that names the file, the line and the field; what a file leaves out has the
// value of the default file. Callers share what they get and do not change the lists in it.
type Config struct {
	root *Root

	mu     sync.Mutex
	cached map[string]any // by name of the file
}

// ErrUnknownAgent says that agents_config.json has no such agent.
var ErrUnknownAgent = errors.New("no such agent")

// System returns config/system.json.
func (c *Config) System() (System, error) { return load(c, systemFile, readSystem) }

// Agents returns config/agents/agents_config.json.
func (c *Config) Agents() (Agents, error) { return load(c, agentsFile, readAgents) }

// Games returns config/games/games_registry.json.
func (c *Config) Games() (Games, error) { return load(c, gamesFile, readGames) }

// RefereeDefaults returns config/defaults/referee.json.
func (c *Config) RefereeDefaults() (RefereeDefaults, error) {
	return load(c, refereeFile, readRefereeDefaults)
}

// PlayerDefaults returns config/defaults/player.json.
func (c *Config) PlayerDefaults() (PlayerDefaults, error) {
	return load(c, playerFile, readPlayerDefaults)
}

// League returns config/leagues/<id>.json. A league without a file has the settings of the default league, under its own id.
func (c *Config) League(id string) (League, error) {
	if err := CheckID("league id", id); err != nil {
		return League{}, err
	}
	v, err := load(c, leagueFile(id), func(name string, text []byte) (League, error) { return readLeague(name, text, id) })
	if errors.Is(err, fs.ErrNotExist) && id != c.root.league {
		v, err = c.League(c.root.league)
		v.LeagueID, v.DisplayName = id, id
	}
	return v, err
}

// RefereeByID returns what agents_config.json says about a referee, or [ErrUnknownAgent].
func (c *Config) RefereeByID(id string) (Referee, error) {
	agents, err := c.Agents()
	if err != nil {
		return Referee{}, err
	}
	for _, r := range agents.Referees {
		if r.RefereeID == id {
			return r, nil
		}
	}
	return Referee{}, fmt.Errorf("%s: referee %.64q: %w", agentsFile, id, ErrUnknownAgent)
}

// PlayerByID returns what agents_config.json says about a player, or [ErrUnknownAgent].
func (c *Config) PlayerByID(id string) (Player, error) {
	agents, err := c.Agents()
	if err != nil {
		return Player{}, err
	}
	for _, p := range agents.Players {
		if p.PlayerID == id {
			return p, nil
		}
	}
	return Player{}, fmt.Errorf("%s: player %.64q: %w", agentsFile, id, ErrUnknownAgent)
}

// forget has a file read again.
func (c *Config) forget(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.cached, name)
}

// load returns what read makes of a file, and remembers it unless it is an error.
func load[T any](c *Config, name string, read func(name string, text []byte) (T, error)) (none T, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if v, ok := c.cached[name]; ok {
		return v.(T), nil
	}
	text, err := os.ReadFile(c.root.path(name))
	if err != nil {
		return none, err
	}
	v, err := read(name, text)
	if err != nil {
		return none, err
	}
	c.cached[name] = v
	return v, nil
}
