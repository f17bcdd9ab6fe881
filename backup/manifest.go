package backup

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"
	"strings"
	"time"

	"agentleague/config"
)

// manifestFile is the last file of a backup.
const manifestFile = "manifest.json"

// format identifies the layout of a backup. An incompatible layout must get another value.
const format = "league.backup.v1"

// warning is the note in the manifest for readers of the file.
const warning = "This file holds secrets of the league: who has it can act as its manager and as the agents that its root hosts."

// A Manifest lists the content of a backup.
type Manifest struct {
	Format  string    `json:"format"`
	Note    string    `json:"note"`
	TakenAt time.Time `json:"taken_at"`
	Leagues []League  `json:"leagues"`
	Files   []File    `json:"files"` // all but the manifest, in the order of their names
}

// A League is one season in a backup.
type League struct {
	ID      string `json:"league_id"`
	State   string `json:"state"`       // as printed by `league status`
	Round   int    `json:"round"`       // the newest; 0 before the first
	Results int    `json:"results"`     // recorded
	Entries int    `json:"log_entries"` // lines of the log
	Head    string `json:"log_sha256"`  // the hash of the last line, which covers all before it
	Seal    string `json:"seal"`        // the hash of the first

	Missing int      `json:"records_missing,omitempty"` // of results; a manager fetches them from their referees
	Damaged []string `json:"damaged,omitempty"`         // descriptions of damaged records; the backup has them as they are
}

// A File is a file in a backup, by its name in the data directory.
type File struct {
	Name   string `json:"name"`
	Size   int    `json:"size"`
	SHA256 string `json:"sha256"`
}

// fileOf returns the manifest entry of a file: name, size and hash.
func fileOf(name string, text []byte) File {
	sum := sha256.Sum256(text)
	return File{name, len(text), hex.EncodeToString(sum[:])}
}

// secretPrefixes are the prefixes of the names of a league's secrets. The league's id follows.
var secretPrefixes = []string{"token.", "draw.", "invite."}

// refereeSecret is the name of the secret by which referees prove that they are the organiser's. It belongs to the data
// directory rather than to one league, and is in every backup.
const refereeSecret = "referee"

// secretNames returns the names of a league's secrets.
func secretNames(id string) (out []string) {
	for _, kind := range secretPrefixes {
		out = append(out, kind+id)
	}
	return append(out, refereeSecret)
}

// belongs reports whether a file of a data directory is part of a league. A backup may contain only such files.
func belongs(name, id string) bool {
	if name == config.LeagueFile(id) {
		return true
	}
	if secret, ok := strings.CutPrefix(name, "data/secrets/"); ok {
		return slices.Contains(secretNames(id), secret)
	}
	for _, folder := range []string{"data/leagues", "data/matches", "data/identities", "data/seats", "data/rosters"} {
		if strings.HasPrefix(name, path.Join(folder, id)+"/") {
			return true
		}
	}
	rest, ok := strings.CutPrefix(name, "data/referees/")
	referee, rest, deeper := strings.Cut(rest, "/")
	return ok && deeper && config.ValidID(referee) && strings.HasPrefix(rest, id+"/")
}

// private reports whether only the owner of the data directory may read a file.
func private(name string) bool {
	for _, folder := range []string{"data/secrets/", "data/identities/", "data/seats/", "data/rosters/"} {
		if strings.HasPrefix(name, folder) {
			return true
		}
	}
	return strings.HasPrefix(name, "data/referees/") && strings.HasSuffix(name, "/records.log") ||
		strings.Contains(name, "/unreported.jsonl") || strings.Contains(name, "/undecided")
}

// logName and headName return the paths of a league's log and of its head.
func logName(id string) string  { return "data/leagues/" + id + "/journal.jsonl" }
func headName(id string) string { return "data/leagues/" + id + "/journal.head" }
