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

// format names how a backup is laid out. A later one that this program cannot read has another name.
const format = "league.backup.v1"

// warning stands in the manifest, for whoever finds the file.
const warning = "This file holds secrets of the league: who has it can act as its manager and as the agents that its root hosts."

// A Manifest says what is in a backup.
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
	State   string `json:"state"`       // as `league status` says it
	Round   int    `json:"round"`       // the newest; 0 before the first
	Results int    `json:"results"`     // recorded
	Entries int    `json:"log_entries"` // lines of the log
	Head    string `json:"log_sha256"`  // the hash of the last line, which covers all before it
	Seal    string `json:"seal"`        // the hash of the first
}

// A File is one that a backup holds, by its name in the root.
type File struct {
	Name   string `json:"name"`
	Size   int    `json:"size"`
	SHA256 string `json:"sha256"`
}

// fileOf is a file as the manifest lists it: name, size and hash.
func fileOf(name string, text []byte) File {
	sum := sha256.Sum256(text)
	return File{name, len(text), hex.EncodeToString(sum[:])}
}

// The secrets of a league, less its id. The root's own, by which its referees are known, comes with every league.
var secretsOf = []string{"token.", "draw.", "invite."}

// refereeSecret is the secret by which referees show that they are the organiser's; it belongs to the root, not to
// one league.
const refereeSecret = "referee"

// secretNames are the secrets that go with a league.
func secretNames(id string) (out []string) {
	for _, kind := range secretsOf {
		out = append(out, kind+id)
	}
	return append(out, refereeSecret)
}

// belongs reports whether a file of a root is part of a league, and may be written when it is restored: nothing else in
// a backup is, whatever it is called.
func belongs(name, id string) bool {
	if name == config.LeagueFile(id) {
		return true
	}
	if secret, ok := strings.CutPrefix(name, "data/secrets/"); ok {
		return slices.Contains(secretNames(id), secret)
	}
	for _, folder := range []string{"data/leagues", "data/matches", "data/identities", "data/seats"} {
		if strings.HasPrefix(name, path.Join(folder, id)+"/") {
			return true
		}
	}
	rest, ok := strings.CutPrefix(name, "data/referees/")
	referee, rest, deeper := strings.Cut(rest, "/")
	return ok && deeper && config.ValidID(referee) && strings.HasPrefix(rest, id+"/")
}

// private reports whether only the owner of the root may read a file.
func private(name string) bool {
	for _, folder := range []string{"data/secrets/", "data/identities/", "data/seats/"} {
		if strings.HasPrefix(name, folder) {
			return true
		}
	}
	return strings.HasPrefix(name, "data/referees/") && strings.HasSuffix(name, "/records.log") ||
		strings.Contains(name, "/unreported.jsonl") || strings.Contains(name, "/undecided")
}

// logName and headName are where the log of a league stands.
func logName(id string) string  { return "data/leagues/" + id + "/journal.jsonl" }
func headName(id string) string { return "data/leagues/" + id + "/journal.head" }
