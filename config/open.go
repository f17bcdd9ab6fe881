package config

import (
	"bytes"
	"encoding/json"
	"errors"
)

// Open returns the reader of the config files of the root at dir, whose folders exist. It calls create for every
// config file, with its name relative to the root and its default text; create writes missing files only. Games is
// the default registry of games. An unreadable system.json is an error.
func Open(dir string, games []GameEntry, create func(name string, text []byte) error) (*Reader, error) {
	r := &Reader{dir: dir, rules: games, builtIn: len(games), cached: map[string]any{}}
	if err := r.writeDefaults(games, create); err != nil {
		return nil, err
	}
	return r, nil
}

// Peek returns a reader of a root that is not to be touched, and may not even be there: in place of a file that is
// missing it reads the default one.
func Peek(dir string, games []GameEntry) (*Reader, error) {
	r := &Reader{dir: dir, rules: games, builtIn: len(games), cached: map[string]any{}, missing: map[string][]byte{}}
	return r, r.writeDefaults(games, func(name string, text []byte) error {
		r.missing[name] = text
		return nil
	})
}

// writeDefaults passes every config file to create. The id of the default league is read from system.json, which may
// be customized.
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
		create(agentsFile, playing(games, defaultText("agents"))),
		create(LeagueFile(r.defaultLeague), defaultLeague(r.defaultLeague)),
		create(gamesFile, registry),
		create(refereeFile, playing(games, defaultText("referee"))),
		create(playerFile, playing(games, defaultText("player"))),
	)
}

// playing returns a default file whose agents play all games.
func playing(games []GameEntry, text []byte) []byte {
	types, _ := json.Marshal(List[string](gameTypes(games))) // texts
	types = bytes.ReplaceAll(types, []byte(`,`), []byte(`, `))
	return bytes.ReplaceAll(text, []byte(`"game_types": []`), append([]byte(`"game_types": `), bytes.TrimSpace(types)...))
}

// CreateLeagueFile hands the default settings of a league to create.
func CreateLeagueFile(id string, create func(name string, text []byte) error) error {
	if err := CheckLeagueID(id); err != nil {
		return err
	}
	return create(LeagueFile(id), defaultLeague(id))
}

// defaultText returns a default file with the current time as its time of writing.
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
