package config

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// unknown returns a warning, with file and line, for every key that documents of type t do not have. It suggests the
// known key with the nearest name. It skips keys within an unknown one, and names that begin with _ or /, which are
// comments.
func (s *source) unknown(t reflect.Type) (warnings []string) {
	keys := keysOf(t)
	paths := slices.SortedFunc(maps.Keys(s.places),
		func(a, b string) int { return cmp.Compare(s.places[a].start, s.places[b].start) })
	for _, path := range paths {
		name := anyIndex(path)
		if path == "" || known(keys, name) || !known(keys, parent(name)) {
			continue
		}
		if word := strings.Trim(last(name), `["`); strings.HasPrefix(word, "_") || strings.HasPrefix(word, "/") {
			continue
		}
		warnings = append(warnings, s.at(s.places[path].start, path, "unknown key, which has no effect; the nearest "+
			"known one is %s",
			nearest(keys, name)).Error())
	}
	return warnings
}

// known reports whether keys contain a path, or an ancestor that may hold any keys. Like package json it ignores case.
func known(keys map[string]bool, path string) bool {
	for key, free := range keys {
		if strings.EqualFold(key, path) || free && strings.HasPrefix(path, key) {
			return true
		}
	}
	return path == ""
}

// nearest returns the key with the most similar name. Among equals it prefers a sibling.
func nearest(keys map[string]bool, path string) string {
	type distance struct{ name, place int }
	far := map[string]distance{}
	for key := range keys {
		if strings.HasSuffix(key, "[]") {
			continue
		}
		d := distance{name: edits(last(key), last(path))}
		if parent(key) != parent(path) {
			d.place = 1
		}
		far[key] = d
	}
	return slices.MinFunc(slices.Sorted(maps.Keys(far)), func(a, b string) int {
		return cmp.Or(cmp.Compare(far[a].name, far[b].name), cmp.Compare(far[a].place, far[b].place))
	})
}

// edits returns the Levenshtein distance of two names.
func edits(a, b string) int {
	row := make([]int, len(b)+1) // of the letters of a so far, to each beginning of b
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := before
			if a[i] != b[j] {
				change++
			}
			before = row[j+1]
			row[j+1] = min(change, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}

// Warnings returns a sentence for every entry in the config files that has no effect: unknown keys, and contradictions
// between the registry of games and the rules. It covers the default league and the given one. It ignores unreadable
// files, whose users get the error.
func (r *Reader) Warnings(league string) (warnings []string) {
	for _, d := range r.documents(league) {
		if text, _, err := r.text(d.name); err == nil {
			if s, err := parse(d.name, text); err == nil {
				warnings = append(warnings, s.unknown(d.shape)...)
			}
		}
	}
	return append(warnings, r.oddRules()...)
}

// A document is one config file.
type document struct {
	name  string
	shape reflect.Type
}

// documents lists the config files, that of the default league and, if it is another one, of a further league.
func (r *Reader) documents(league string) []document {
	all := []document{
		{systemFile, reflect.TypeFor[System]()},
		{LeagueFile(r.defaultLeague), reflect.TypeFor[League]()},
		{gamesFile, reflect.TypeFor[Games]()},
		{AgentsFile, reflect.TypeFor[Agents]()},
		{refereeFile, reflect.TypeFor[RefereeDefaults]()},
		{playerFile, reflect.TypeFor[PlayerDefaults]()},
	}
	if league != "" && league != r.defaultLeague {
		all = slices.Insert(all, 2, document{LeagueFile(league), reflect.TypeFor[League]()})
	}
	return all
}

// oddRules compares the registry of games with the rules that this program has. These count.
func (r *Reader) oddRules() (warnings []string) {
	games, err := r.Games()
	if err != nil {
		return nil
	}
	text, _, err := r.text(gamesFile)
	if err != nil {
		return nil
	}
	s, err := parse(gamesFile, text)
	if err != nil {
		return nil
	}
	for i, g := range games.Games {
		if err := r.broken[g.GameType]; err != nil {
			warnings = append(warnings, s.errorf(fmt.Sprintf("games[%d].rules_module", i), "%v; the game is not played", err).Error())
			continue
		}
		own := slices.IndexFunc(r.rules, func(own GameEntry) bool { return own.GameType == g.GameType })
		if own < 0 {
			warnings = append(warnings, s.errorf(fmt.Sprintf("games[%d].game_type", i),
				"this program has no game %q; it is not played", g.GameType).Error())
			continue
		}
		rules := r.rules[own]
		for _, c := range []struct {
			key       string
			got, want any
		}{
			{"move_types", []string(g.MoveTypes), []string(rules.MoveTypes)}, {"valid_choices", g.ValidChoices, rules.ValidChoices},
			{"min_players", g.MinPlayers, rules.MinPlayers}, {"max_players", g.MaxPlayers, rules.MaxPlayers},
		} {
			if said := !reflect.ValueOf(c.got).IsZero() || own < r.builtIn; said && !reflect.DeepEqual(c.got, c.want) {
				warnings = append(warnings, s.errorf(fmt.Sprintf("games[%d].%s", i, c.key),
					"the rules of %s have %s, and they count", g.GameType, short(c.want)).Error())
			}
		}
	}
	return warnings
}
