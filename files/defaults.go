package files

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"agentleague/protocol"
)

// The defaults are kept as the files that are written: there is no second list of them in code.
//
//go:embed defaults/*.json
var defaults embed.FS

// schemaVersion is the version of the shape of every document here.
const schemaVersion = "1.0.0"

const (
	systemFile  = "config/system.json"
	agentsFile  = "config/agents/agents_config.json"
	gamesFile   = "config/games/games_registry.json"
	refereeFile = "config/defaults/referee.json"
	playerFile  = "config/defaults/player.json"
)

func leagueFile(id string) string { return "config/leagues/" + id + ".json" }

// writeDefaults writes the config files that are missing. Which league is the default one is read from system.json,
// since that may be somebody's own.
func (r *Root) writeDefaults(games []GameEntry) error {
	if err := r.writeOnce(systemFile, defaultText("system")); err != nil {
		return err
	}
	system, err := r.config.System()
	if err != nil {
		return err
	}
	r.league = system.DefaultLeagueID
	registry, err := document(Games{SchemaVersion: schemaVersion, LastUpdated: now(), Games: games})
	return errors.Join(
		err,
		r.writeOnce(agentsFile, defaultText("agents")),
		r.writeOnce(leagueFile(r.league), defaultLeague(r.league)),
		r.writeOnce(gamesFile, registry),
		r.writeOnce(refereeFile, defaultText("referee")),
		r.writeOnce(playerFile, defaultText("player")),
	)
}

func (r *Root) writeOnce(name string, text []byte) error {
	if err := create(r.path(name), text, 0o644); !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// defaultText returns a default file, of now.
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
		panic(err) // it is part of the program, and tested
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
