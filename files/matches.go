package files

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"agentleague/config"
	"agentleague/protocol"
)

// A MatchRepository keeps the records of one league's matches, byte for byte: their hashes are in the journal.
//
//	data/matches/<league_id>/<match_id>.json      a record that a person can read
//	data/matches/<league_id>/round-<n>.jsonl      the records of a round, each a line: those of a large league
type MatchRepository struct {
	root   *Root
	league string
}

// Matches returns the repository of a league's matches. Ids that cannot be any are an error of Load and Save.
func (r *Root) Matches(league string) MatchRepository { return MatchRepository{r, league} }

// Load returns the record of a match, or [ErrNoRecord].
func (s MatchRepository) Load(match string) ([]byte, error) {
	name, err := s.name(match)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(s.root.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		text, err = s.lines().get(lineKey{match: match})
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("match %s of %s: %w", match, s.league, ErrNoRecord)
	}
	return text, err
}

// Has reports whether the record of a match is there whole: with that hash, or without one as any JSON. A power cut may
// have left the name of a file without all that was in it.
func (s MatchRepository) Has(match, hash string) bool {
	if sum, err := hex.DecodeString(hash); err == nil && len(sum) == sha256.Size && config.ValidID(match) && !s.lines().loose() {
		return s.lines().has(lineKey{match: match}, [sha256.Size]byte(sum))
	}
	text, err := s.Load(match)
	if hash == "" {
		return err == nil && json.Valid(text)
	}
	return err == nil && protocol.RecordHash(text) == hash
}

// Save replaces the record of a match by a file. It does not wait for the disk: the record is its referee's to keep.
func (s MatchRepository) Save(match string, document []byte) error {
	name, err := s.name(match)
	if err != nil {
		return err
	}
	s.lines().files.Store(true)
	return s.root.saveSoon(name, document)
}

// SaveLine replaces the record of a match, which must be a single line, by a line in its round's file. It does not wait
// for the disk either.
func (s MatchRepository) SaveLine(match string, document []byte) error {
	if _, err := s.name(match); err != nil {
		return err
	}
	record := sealedLine{key: lineKey{match: match}, hash: sha256.Sum256(document), document: document}
	if err := s.lines().add(record); err != nil {
		return s.root.told(err)
	}
	return s.unhide(record)
}

// Count tells how many records there seem to be: files, and lines of round files. Round files of more than most bytes
// in all are an error.
func (s MatchRepository) Count(most int64) (n int, err error) {
	folder := s.root.path("data/matches/" + s.league)
	list, err := entries(folder)
	for _, e := range list {
		if !isRoundFile(e.Name()) {
			n++
			continue
		}
		text, failed := os.ReadFile(filepath.Join(folder, e.Name()))
		if most -= int64(len(text)); failed != nil || most < 0 {
			return n, errors.Join(failed, errors.New("too many records to count"))
		}
		for line := range bytes.Lines(text) {
			if !unwritten(line) {
				n++
			}
		}
	}
	return n, err
}

// lines are the records that are no files of their own.
func (s MatchRepository) lines() *roundLog { return s.root.roundLog(s.league) }

// name is where the record of a match is. Both ids become parts of a path, so they are checked.
func (s MatchRepository) name(match string) (string, error) {
	err := errors.Join(config.CheckID("league id", s.league), config.CheckID("match id", match))
	return "data/matches/" + s.league + "/" + match + ".json", err
}
