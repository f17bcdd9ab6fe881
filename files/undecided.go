package files

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"agentleague/config"
	"agentleague/protocol"
)

// undecidedFolder is the folder in a league's records of matches that wait for their draw.
const undecidedFolder = "undecided"

// Undecided is a match that was played to its last move and waits for the manager's draw.
type Undecided struct {
	Ref  protocol.RecordRef
	Text []byte // in the referee's own words
}

// SaveUndecided returns once the text is on disk, readable by its owner alone.
func (s *Records) SaveUndecided(ref protocol.RecordRef, text []byte) error {
	name, err := s.undecidedName(ref)
	if err != nil {
		return err
	}
	if err := s.makeFolder(path.Dir(name)); err != nil {
		return s.root.told(err)
	}
	if err := replace(s.root.path(name), text, 0o600); err != nil {
		return s.root.told(err)
	}
	return s.syncFolder(path.Dir(name))
}

// undecidedName returns where a match waits.
func (s *Records) undecidedName(ref protocol.RecordRef) (string, error) {
	name, err := s.name(ref)
	return path.Join(path.Dir(name), undecidedFolder, path.Base(name)+".json"), err
}

// RemoveUndecided forgets a match that waits no longer. One that is not there is forgotten already.
func (s *Records) RemoveUndecided(ref protocol.RecordRef) error {
	name, err := s.undecidedName(ref)
	if err != nil {
		return err
	}
	if err := os.Remove(s.root.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Undecided returns the matches that wait, in all leagues. What cannot be read is an error beside the others.
func (s *Records) Undecided() (found []Undecided, failed error) {
	leagues, failed := entries(s.root.path(s.folder))
	for _, league := range leagues {
		if !league.IsDir() || !config.ValidID(league.Name()) {
			continue
		}
		folder := path.Join(s.folder, league.Name(), undecidedFolder)
		list, err := entries(s.root.path(folder))
		failed = errors.Join(failed, err)
		for _, e := range list {
			ref, ok := undecidedRef(league.Name(), e.Name())
			if !ok {
				continue
			}
			text, err := os.ReadFile(s.root.path(path.Join(folder, e.Name())))
			if err != nil {
				failed = errors.Join(failed, err)
				continue
			}
			found = append(found, Undecided{ref, text})
		}
	}
	slices.SortFunc(found, func(a, b Undecided) int { return compareRefs(a.Ref, b.Ref) })
	return found, failed
}

// undecidedRef reads the name of a file.
func undecidedRef(league, name string) (ref protocol.RecordRef, ok bool) {
	name, ok = strings.CutSuffix(name, ".json")
	at := strings.LastIndexByte(name, '.')
	if !ok || at < 0 {
		return ref, false
	}
	n, err := strconv.Atoi(name[at+1:])
	return protocol.RecordRef{LeagueID: league, MatchID: name[:at], Attempt: n}, err == nil && n >= 0
}
