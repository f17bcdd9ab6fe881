package config

import (
	"fmt"
	"strings"

	"agentleague/protocol"
)

// MaxID is how long an id may be, in bytes.
const MaxID = 128

// idRule describes a valid id, with the place for [MaxID].
const idRule = `1 to %d letters, digits, "_", "-" and ".", not "." first`

// CheckID returns an error unless id can be a name in a path: letters, digits, "_", "-" and ".", the last not first.
// Ids come over the network and from config files. The argument name of the id is for the error.
func CheckID(what, id string) error {
	if ValidID(id) {
		return nil
	}
	return fmt.Errorf("%s %.64q: want "+idRule, what, id, MaxID)
}

// ValidID reports whether id passes [CheckID].
func ValidID(id string) bool {
	if id == "" || len(id) > MaxID || id[0] == '.' {
		return false
	}
	for i := range len(id) {
		if !InID(rune(id[i])) {
			return false
		}
	}
	return true
}

// InID reports whether an id may contain c.
func InID(c rune) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '-', c == '.':
		return true
	}
	return false
}

// ToID returns a text as an id: "_" stands for each character that no id has. A text without other characters becomes
// otherwise.
func ToID(text, otherwise string) string {
	id := strings.TrimLeft(strings.Map(func(c rune) rune {
		if !InID(c) {
			return '_'
		}
		return c
	}, text), ".")
	if id == "" {
		return otherwise
	}
	return id[:min(len(id), MaxID)]
}

// CheckLeagueID returns an error unless id can be that of a league besides the root's default one: a name in a path,
// short enough for prefixes in file names, and not the id of an agent. In the folders that leagues share, agents of
// the default league have their files under their ids, and other leagues have folders under theirs.
func CheckLeagueID(id string) error {
	const most = MaxID - len("token.")
	if err := CheckID("league id", id); err != nil {
		return err
	}
	first, _, _ := strings.Cut(id, ".")
	switch {
	case len(id) > most:
		return fmt.Errorf("league id %.64q: want at most %d characters", id, most)
	case strings.HasSuffix(id, ".") || strings.Contains(id, ".."):
		return fmt.Errorf(`league id %q: want "." only between other characters`, id)
	case protocol.ValidID(protocol.RolePlayer, first) || protocol.ValidID(protocol.RoleReferee, first):
		return fmt.Errorf("league id %q: this is the id of an agent; choose another", id)
	}
	return nil
}
