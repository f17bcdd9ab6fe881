package config

import (
	"fmt"
	"strings"

	"agentleague/protocol"
)

// MaxID is how long an id may be, in bytes.
const MaxID = 128

// idRule describes a valid id in errors. Its argument is [MaxID].
const idRule = `1 to %d letters, digits, "_", "-" and ".", not "." first`

// CheckID returns an error unless id is safe as a file name: letters, digits, "_", "-" and ".", the last not first. It
// protects against path traversal, since ids come from the network and from config files. The error calls the id what.
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
		if !inID(rune(id[i])) {
			return false
		}
	}
	return true
}

// inID reports whether an id may contain c.
func inID(c rune) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '-', c == '.':
		return true
	}
	return false
}

// ToID converts a text to an id, with "_" for each character that ids do not allow. If the result
// is empty, it returns otherwise.
func ToID(text, otherwise string) string {
	id := strings.TrimLeft(strings.Map(func(c rune) rune {
		if !inID(c) {
			return '_'
		}
		return c
	}, text), ".")
	if id == "" {
		return otherwise
	}
	return id[:min(len(id), MaxID)]
}

// CheckLeagueID returns an error unless id is valid for a league other than the data directory's default one. It must
// be a valid and short file name and must not have the form of an agent's id: in shared folders, files of the default
// league's agents are named by agent id, and the folders of other leagues by league id.
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
