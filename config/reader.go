package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// A Reader reads the config files of a data directory. Each file is read once, when it is first needed: a change
// requires a restart. Errors name the file, the line and the field; omitted keys have the value of the default file.
// The results are shared, so callers must not change lists in them. A Reader is safe for concurrent use.
type Reader struct {
	dir           string            // the data directory
	defaultLeague string            // its id, as system.json had it when the reader was opened
	rules         []GameEntry       // the games that this program has
	builtIn       int               // the number of built-in games; the others are files of the data directory
	broken        map[string]error  // modules of the registry that cannot be used, by their games
	missing       map[string][]byte // the content of missing files, by name; nil: files must exist

	mu     sync.Mutex
	cached map[string]any // by name of the file
}

// ErrUnknownAgent means that agents_config.json has no such agent.
var ErrUnknownAgent = errors.New("no such agent")

// System returns config/system.json.
func (r *Reader) System() (System, error) { return load(r, systemFile, readSystem) }

// Agents returns config/agents/agents_config.json.
func (r *Reader) Agents() (Agents, error) { return load(r, AgentsFile, readAgents) }

// Games returns config/games/games_registry.json.
func (r *Reader) Games() (Games, error) { return load(r, gamesFile, readGames) }

// RefereeDefaults returns config/defaults/referee.json.
func (r *Reader) RefereeDefaults() (RefereeDefaults, error) {
	return load(r, refereeFile, func(name string, text []byte) (RefereeDefaults, error) {
		v, err := readRefereeDefaults(name, text)
		v.GameTypes = r.playable(v.GameTypes)
		return v, err
	})
}

// PlayerDefaults returns config/defaults/player.json.
func (r *Reader) PlayerDefaults() (PlayerDefaults, error) {
	return load(r, playerFile, func(name string, text []byte) (PlayerDefaults, error) {
		v, err := readPlayerDefaults(name, text)
		v.GameTypes = r.playable(v.GameTypes)
		return v, err
	})
}

// League returns config/leagues/<id>.json. A league without a file has the settings of the default league, under its
// own id.
func (r *Reader) League(id string) (League, error) {
	if err := CheckID("league id", id); err != nil {
		return League{}, err
	}
	v, err := load(r, LeagueFile(id), func(name string, text []byte) (League, error) { return readLeague(name, text, id) })
	if errors.Is(err, fs.ErrNotExist) && id != r.defaultLeague {
		v, err = r.League(r.defaultLeague)
		v.LeagueID, v.DisplayName, v.Season = id, id, nil
	}
	return v, err
}

// DefaultLeague returns the id of the league that system.json names.
func (r *Reader) DefaultLeague() string { return r.defaultLeague }

// RefereeByID returns the entry of a referee in agents_config.json, or [ErrUnknownAgent].
func (r *Reader) RefereeByID(id string) (Referee, error) {
	agents, err := r.Agents()
	if err != nil {
		return Referee{}, err
	}
	for _, referee := range agents.Referees {
		if referee.RefereeID == id {
			return referee, nil
		}
	}
	return Referee{}, fmt.Errorf("%s: referee %.64q: %w", AgentsFile, id, ErrUnknownAgent)
}

// PlayerByID returns the entry of a player in agents_config.json, or [ErrUnknownAgent].
func (r *Reader) PlayerByID(id string) (Player, error) {
	agents, err := r.Agents()
	if err != nil {
		return Player{}, err
	}
	for _, player := range agents.Players {
		if player.PlayerID == id {
			return player, nil
		}
	}
	return Player{}, fmt.Errorf("%s: player %.64q: %w", AgentsFile, id, ErrUnknownAgent)
}

// ForgetLeague makes the next call of [Reader.League] read the settings of that league again.
func (r *Reader) ForgetLeague(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.cached, LeagueFile(id))
}

// load returns the parsed file of that name. It caches the result of read, unless that is an error.
func load[T any](r *Reader, name string, read func(name string, text []byte) (T, error)) (none T, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if v, ok := r.cached[name]; ok {
		return v.(T), nil
	}
	text, _, err := r.text(name)
	if err != nil {
		return none, err
	}
	v, err := read(name, text)
	if err != nil {
		return none, err
	}
	r.cached[name] = v
	return v, nil
}

// text returns the text of a config file. own reports whether it is a file of the data directory: for a reader of
// [Peek] a missing file has the default text.
func (r *Reader) text(name string) (text []byte, own bool, err error) {
	text, err = os.ReadFile(filepath.Join(r.dir, filepath.FromSlash(name)))
	if otherwise, ok := r.missing[name]; ok && errors.Is(err, fs.ErrNotExist) {
		return otherwise, false, nil
	}
	return text, true, err
}
