package cli

import (
	"io/fs"
	"strings"
)

// playedInstead is the default league of a verb: the root's default one or, if that was never played, the last played
// one.
func playedInstead(root fs.FS, id string) string {
	if _, err := fs.Stat(root, "data/leagues/"+id); err == nil {
		return id
	}
	logs, _ := fs.Glob(root, "data/leagues/*/journal.jsonl") // the pattern is right
	var newest fs.FileInfo
	for _, name := range logs {
		info, err := fs.Stat(root, name)
		if err == nil && (newest == nil || info.ModTime().After(newest.ModTime())) {
			newest, id = info, strings.Split(name, "/")[2]
		}
	}
	return id
}
