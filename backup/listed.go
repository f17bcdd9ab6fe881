package backup

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"agentleague/config"
	"agentleague/league"
	"agentleague/store"
	"agentleague/store/wal"
)

// projected lists the files of a league's folder that a backup does not copy as files: the log and its head, which
// it stores separately, and documents derived from the log.
var projected = []string{"journal.jsonl", "journal.head", "standings.json", "rounds.json", "agents.json"}

// listed returns the sorted names of a league's files, without its log.
func listed(root fs.FS, id string) ([]string, error) {
	var out []string
	if _, err := fs.Stat(root, config.LeagueFile(id)); err == nil {
		out = append(out, config.LeagueFile(id))
	}
	for _, secret := range secretNames(id) {
		out = append(out, "data/secrets/"+secret)
	}
	folders := []string{"data/leagues/" + id, "data/matches/" + id, "data/identities/" + id, "data/seats/" + id, "data/rosters/" + id}
	referees, err := fs.Glob(root, "data/referees/*/"+id)
	if err != nil {
		return nil, err
	}
	for _, folder := range append(folders, referees...) {
		err := fs.WalkDir(root, folder, func(name string, d fs.DirEntry, err error) error {
			switch {
			case errors.Is(err, fs.ErrNotExist):
				return nil
			case err != nil || d.IsDir():
				return err
			case !d.Type().IsRegular(), hidden(d.Name()):
				return nil
			case path.Dir(name) == folders[0] && slices.Contains(projected, d.Name()):
				return nil
			}
			out = append(out, name)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// known returns the part of a file that the log covers, or nil if nothing remains. It omits records of matches
// that the log does not mention yet, since these will be reported or played again, and signatures of a later end.
func known(name string, text []byte, s *league.State) []byte {
	parts := strings.Split(name, "/")
	base := path.Base(name)
	switch {
	case base == "last_words.json": // the players' final signatures
		return unless(!s.Completed(), text)
	case parts[1] != "matches" && parts[1] != "referees" && base != "records.log":
		return text
	case len(parts) == 4 && parts[1] == "matches" && path.Ext(base) == ".json":
		return unless(!recorded(s, strings.TrimSuffix(base, ".json")), text)
	case len(parts) == 5 && parts[1] == "referees" && path.Ext(base) == ".json":
		match, attempt := cutAttempt(strings.TrimSuffix(base, ".json"))
		return unless(!assigned(s, parts[2], match, attempt), text)
	case base == "records.log":
		return knownEntries(text, func(match string, attempt int) bool {
			if parts[1] == "leagues" {
				return recorded(s, match)
			}
			return assigned(s, parts[2], match, attempt)
		})
	case strings.HasPrefix(base, "round-"):
		return knownLines(text, func(match string, attempt int) bool {
			if parts[1] == "matches" {
				return recorded(s, match)
			}
			return assigned(s, parts[2], match, attempt)
		})
	}
	return text
}

// knownEntries returns a record log without the entries for which keep returns false. It keeps damaged entries: a
// backup does not repair.
func knownEntries(text []byte, keep func(match string, attempt int) bool) []byte {
	var out bytes.Buffer
	err := wal.Rewrite(&out, bytes.NewReader(text), int64(len(text)), func(it wal.Item) bool {
		match, attempt := store.RecordOf(it)
		return match == "" || keep(match, attempt)
	})
	if err != nil {
		return text
	}
	return out.Bytes()
}

// knownLines returns a round's file without the lines for which keep returns false. It keeps unreadable lines: a
// backup does not repair.
func knownLines(text []byte, keep func(match string, attempt int) bool) []byte {
	out := []byte{}
	for one := range bytes.Lines(text) {
		var of struct {
			Match   string `json:"match_id"`
			Attempt int    `json:"attempt"`
		}
		if !bytes.HasSuffix(one, []byte("\n")) { // a write is in progress
			break
		}
		if json.Unmarshal(one, &of) != nil || keep(of.Match, of.Attempt) {
			out = append(out, one...)
		}
	}
	return out
}

// unless returns text, or nil if no is true.
func unless(no bool, text []byte) []byte {
	if no {
		return nil
	}
	return text
}

// recorded reports whether the log has a result of a match.
func recorded(s *league.State, match string) bool {
	m := s.Matches[match]
	return m != nil && m.Outcome != nil
}

// assigned reports whether the log assigns an attempt to a referee.
func assigned(s *league.State, referee, match string, attempt int) bool {
	m := s.Matches[match]
	return m != nil && slices.ContainsFunc(m.Assigned, func(a league.MatchAssigned) bool {
		return a.Referee == referee && a.Attempt == attempt
	})
}

// cutAttempt parses a name such as "R1M2.1".
func cutAttempt(name string) (match string, attempt int) {
	at := strings.LastIndexByte(name, '.')
	if at < 0 {
		return name, 0
	}
	n, _ := strconv.Atoi(name[at+1:])
	return name[:at], n
}
