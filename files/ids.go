package files

import (
	"fmt"
	"path"
)

// maxID is how long an id may be, in bytes.
const maxID = 128

// CheckID returns an error unless id can be a name in a path: letters, digits, "_", "-" and ".", the last not first.
// What says which id it is.
func CheckID(what, id string) error {
	if validID(id) {
		return nil
	}
	return fmt.Errorf(`%s %.64q: want 1 to %d letters, digits, "_", "-" and ".", not "." first`, what, id, maxID)
}

func validID(id string) bool {
	if id == "" || len(id) > maxID || id[0] == '.' {
		return false
	}
	for i := range len(id) {
		if !inID(rune(id[i])) {
			return false
		}
	}
	return true
}

func inID(c rune) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '-', c == '.':
		return true
	}
	return false
}

// inLeague returns the name of an agent's file or folder below one that all leagues share. No league means the default one.
func (r *Root) inLeague(league, id string) (string, error) {
	if err := CheckID("agent id", id); err != nil {
		return "", err
	}
	if league == "" || league == r.league {
		return id, nil
	}
	return path.Join(league, id), CheckID("league id", league)
}
