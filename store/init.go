package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"agentleague/config"
)

// Init writes the missing config files of a data directory, and if league is not empty, those of that league. It
// creates nothing else. It returns the names of the written and of the existing files, relative to the data directory.
func Init(dir string, games []config.GameEntry, league string) (wrote, kept []string, err error) {
	r := &Root{dir: dir}
	write := func(name string, text []byte) error {
		if err := os.MkdirAll(filepath.Dir(r.path(name)), 0o755); err != nil {
			return err
		}
		err := create(r.path(name), text, 0o644)
		switch {
		case errors.Is(err, fs.ErrExist):
			kept = append(kept, name)
			return nil
		case err == nil:
			wrote = append(wrote, name)
		}
		return err
	}
	settings, err := config.Open(dir, games, write)
	if err == nil && league != "" && league != settings.DefaultLeague() {
		err = config.CreateLeagueFile(league, write)
	}
	return wrote, kept, r.wrapFull(err)
}
