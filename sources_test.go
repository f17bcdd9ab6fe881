package agentleague_test

import (
	"os"
	"os/exec"
	"path"
	"strings"
	"testing"
)

// sources lists the files of the repository, without untracked ones.
func sources(t *testing.T) []string {
	t.Helper()
	listed, err := exec.Command("git", "ls-files", "-z").Output()
	if err != nil {
		t.Skipf("the files of the repository are not known: %v", err)
	}
	var files []string
	opened := map[string]bool{}
	for file := range strings.SplitSeq(strings.TrimSuffix(string(listed), "\x00"), "\x00") {
		if _, err := os.Stat(file); err != nil {
			continue // it is about to be removed from the repository
		}
		files = append(files, file)
		// The go command answers from its cache until something changes that a test has opened: a folder is its list of files.
		if dir := path.Dir(file); !opened[dir] {
			opened[dir] = true
			if _, err := os.ReadDir(dir); err != nil {
				t.Fatal(err)
			}
		}
	}
	return files
}
