package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
)

// A Value is one value in force, and where it comes from.
type Value struct {
	File  string          // of the configuration, relative to the data directory
	Key   string          // its path in the file, such as timeouts.move_timeout_sec
	Value json.RawMessage // as it counts
	Line  int             // in the file; 0: the file does not have it, and the default counts
}

// Values returns every value of the configuration that counts for a league; no id means the default league.
func (r *Reader) Values(league string) (out []Value, err error) {
	if league == "" {
		league = r.defaultLeague
	}
	for _, d := range []struct {
		file string
		read func() (any, error)
	}{
		{systemFile, func() (any, error) { return r.System() }},
		{r.leagueFileOf(league), func() (any, error) { return r.League(league) }},
		{gamesFile, func() (any, error) { return r.Games() }},
		{AgentsFile, func() (any, error) { return r.Agents() }},
		{refereeFile, func() (any, error) { return r.RefereeDefaults() }},
		{playerFile, func() (any, error) { return r.PlayerDefaults() }},
	} {
		v, err := d.read()
		if err != nil {
			return nil, err
		}
		lines, err := r.lines(d.file)
		if err != nil {
			return nil, err
		}
		add := func(path string, v any) error {
			text, err := json.Marshal(v)
			out = append(out, Value{File: d.file, Key: path, Value: text, Line: lines[path]})
			return err
		}
		if err := eachValue("", reflect.ValueOf(v), add); err != nil {
			return nil, fmt.Errorf("%s: %w", d.file, err)
		}
	}
	return out, nil
}

// leagueFileOf returns the file with the settings of a league.
func (r *Reader) leagueFileOf(league string) string {
	if _, _, err := r.text(LeagueFile(league)); errors.Is(err, fs.ErrNotExist) {
		return LeagueFile(r.defaultLeague)
	}
	return LeagueFile(league)
}

// lines returns the line of every value in an existing file; a default file has none.
func (r *Reader) lines(file string) (map[string]int, error) {
	text, own, err := r.text(file)
	if err != nil || !own {
		return nil, err
	}
	s, err := parse(file, text)
	if err != nil {
		return nil, err
	}
	out := map[string]int{}
	for path, p := range s.places {
		out[path] = s.line(p.start)
	}
	return out, nil
}

// eachValue calls f for every value of a document, by its path. Lists of single values, and values of any type, are
// one value.
func eachValue(path string, v reflect.Value, f func(path string, v any) error) error {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return eachValue(path, v.Elem(), f)
		}
	case reflect.Struct:
		for field, inner := range v.Fields() {
			if field.Tag.Get("config") == "-" {
				continue
			}
			if err := eachValue(member(path, jsonName(field)), inner, f); err != nil {
				return err
			}
		}
		return nil
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.Struct {
			break
		}
		for i := range v.Len() {
			if err := eachValue(fmt.Sprintf("%s[%d]", path, i), v.Index(i), f); err != nil {
				return err
			}
		}
		return nil
	}
	return f(path, v.Interface())
}
