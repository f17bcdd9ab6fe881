package config

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"agentleague/protocol"
)

// The defaults are kept as the files that are written: there is no second list of them in code.
//
//go:embed defaults/*.json
var defaults embed.FS

// The names of the config files, relative to the root. [LeagueFile] has that of a league.
const (
	systemFile  = "config/system.json"
	agentsFile  = "config/agents/agents_config.json"
	gamesFile   = "config/games/games_registry.json"
	refereeFile = "config/defaults/referee.json"
	playerFile  = "config/defaults/player.json"
)

// writeDefaults hands every config file to create. Which league is the default one is read from system.json, which may be
// somebody's own.
func (r *Reader) writeDefaults(games []GameEntry, create func(name string, text []byte) error) error {
	if err := create(systemFile, defaultText("system")); err != nil {
		return err
	}
	system, err := r.System()
	if err != nil {
		return err
	}
	r.defaultLeague = system.DefaultLeagueID
	registry, err := Document(Games{SchemaVersion: SchemaVersion, LastUpdated: now(), Games: games})
	return errors.Join(
		err,
		create(agentsFile, defaultText("agents")),
		create(LeagueFile(r.defaultLeague), defaultLeague(r.defaultLeague)),
		create(gamesFile, registry),
		create(refereeFile, defaultText("referee")),
		create(playerFile, defaultText("player")),
	)
}

// defaultText returns a default file that says that it was written now.
func defaultText(name string) []byte {
	return fill(embedded(name), "last_updated", "", now())
}

// defaultLeague returns the default settings of a league under its own id.
func defaultLeague(id string) []byte {
	builtin := builtin[League]("league")
	text := defaultText("league")
	if id != builtin.LeagueID {
		text = fill(text, "league_id", builtin.LeagueID, id)
		text = fill(text, "display_name", builtin.DisplayName, id)
	}
	return text
}

// fill puts value in the place of old. The rest of the text, which people are to read and change, keeps its form.
func fill(text []byte, field, old, value string) []byte {
	return bytes.Replace(text, fmt.Appendf(nil, "%q: %q", field, old), fmt.Appendf(nil, "%q: %q", field, value), 1)
}

// builtin returns the values of a default file, for fields that somebody's own file leaves out.
func builtin[T any](name string) (v T) {
	if err := json.Unmarshal(embedded(name), &v); err != nil {
		panic(err) // the file is part of the program, and tested
	}
	return v
}

func embedded(name string) []byte {
	text, err := defaults.ReadFile("defaults/" + name + ".json")
	if err != nil {
		panic(err) // likewise
	}
	return text
}

func now() string { return protocol.Stamp(time.Now()) }
