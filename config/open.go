package config

import (
	"bytes"
	"encoding/json"
	"errors"
)

// Open returns the reader of the config files of the data directory at dir, whose folders must exist. It calls create
// with the name, relative to the data directory, and the default text of every config file; create must keep existing
// files. games is the registry of built-in games. An unreadable system.json is an error.
func Open(dir string, games []GameEntry, create func(name string, text []byte) error) (*Reader, error) {
	r := &Reader{dir: dir, rules: games, builtIn: len(games), cached: map[string]any{}}
	if err := r.writeDefaults(games, create); err != nil {
		return nil, err
	}
	return r, nil
}

// Peek returns a reader that never writes to the data directory, which need not exist. In place of a missing file it
// reads the default one.
func Peek(dir string, games []GameEntry) (*Reader, error) {
	r := &Reader{dir: dir, rules: games, builtIn: len(games), cached: map[string]any{}, missing: map[string][]byte{}}
	return r, r.writeDefaults(games, func(name string, text []byte) error {
		r.missing[name] = text
		return nil
	})
}

// writeDefaults calls create for every config file. The default league is the one named in system.json, which may be
// customized.
func (r *Reader) writeDefaults(games []GameEntry, create func(name string, text []byte) error) error {
	if err := create(systemFile, defaultText("system")); err != nil {
		return err
	}
	system, err := r.System()
	if err != nil {
		return err
	}
	r.defaultLeague = system.DefaultLeagueID
	registry, err := Document(Games{SchemaVersion: SchemaVersion, ID: "games_registry", LastUpdated: now(), Games: games})
	return errors.Join(
		err,
		create(AgentsFile, playing(games, defaultText("agents"))),
		create(LeagueFile(r.defaultLeague), defaultLeague(r.defaultLeague)),
		create(gamesFile, registry),
		create(refereeFile, playing(games, defaultText("referee"))),
		create(playerFile, playing(games, defaultText("player"))),
	)
}

// playing returns a default file in which agents play all of the games.
func playing(games []GameEntry, text []byte) []byte {
	types, _ := json.Marshal(List[string](gameTypes(games))) // texts
	types = bytes.ReplaceAll(types, []byte(`,`), []byte(`, `))
	return bytes.ReplaceAll(text, []byte(`"game_types": []`), append([]byte(`"game_types": `), bytes.TrimSpace(types)...))
}

// CreateLeagueFile calls create with the name and the default text of a league's settings file.
func CreateLeagueFile(id string, create func(name string, text []byte) error) error {
	if err := CheckLeagueID(id); err != nil {
		return err
	}
	return create(LeagueFile(id), defaultLeague(id))
}

// defaultText returns a default file with the current time as last_updated.
func defaultText(name string) []byte {
	return fill(embedded(name), "last_updated", "", now())
}

// defaultLeague returns the default settings file of a league with the given id.
func defaultLeague(id string) []byte {
	builtin := builtin[League]("league")
	text := defaultText("league")
	if id != builtin.LeagueID {
		text = fill(text, "league_id", builtin.LeagueID, id)
		text = fill(text, "display_name", builtin.DisplayName, id)
	}
	return text
}
