package store

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"agentleague/config"
	"agentleague/store/logs"
)

// A Root is one tree of files. It is safe for concurrent use, also by several processes.
type Root struct {
	dir     string
	config  *config.Reader
	logs    *logs.Folder
	looking sync.Mutex // for room
	listing sync.Mutex // guards the list of preconfigured agents

	crew       crew     // the lock that its hosted agents share
	matches    sync.Map // of leagues: their records
	identities sync.Map // the group syncs of folders of identities

	bookMu sync.Mutex
	books  map[string]*AnswerBook // that are open, by file
}

// folders are the folders of a new data directory. The folders of leagues and agents are created on demand.
var folders = []string{
	"config/agents", "config/leagues", "config/games", "config/defaults",
	"data/leagues", "data/matches", "data/players", "data/referees", "data/agents",
	"logs/league", "logs/agents", "logs/system",
}

// Open opens the tree at dir. It creates missing folders and config files, but never changes an existing config
// file. games is the content of a new registry of games. An unreadable system.json is an error.
func Open(dir string, games []config.GameEntry) (*Root, error) {
	r := &Root{dir: dir}
	above := missing(filepath.Clean(dir))
	for _, folder := range folders {
		if err := os.MkdirAll(r.path(folder), 0o755); err != nil {
			return nil, err
		}
	}
	if err := syncFolders(append([]string{r.path("data"), r.path(".")}, above...)); err != nil {
		return nil, err
	}
	settings, err := config.Open(dir, games, r.writeOnce)
	if err != nil {
		return nil, r.wrapFull(err)
	}
	r.config = settings
	system, err := settings.System()
	if err != nil {
		return nil, r.wrapFull(err)
	}
	r.logs = logs.New(dir, r.inLeague)
	r.logs.Rotate(logs.Rotation{
		MaxBytes: int64(system.Logging.MaxFileMB) << 20, MaxAge: time.Duration(system.Logging.MaxAgeDays) * 24 * time.Hour,
		Keep: system.Logging.KeepFiles, MaxTotal: int64(system.Logging.MaxTotalMB) << 20,
	})
	return r, nil
}

// writeOnce writes a file unless it exists.
func (r *Root) writeOnce(name string, text []byte) error {
	if err := create(r.path(name), text, 0o644); !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// missing returns the folders whose entries change when dir is created: its parent, and further ancestors if the
// parent is missing.
func missing(dir string) (out []string) {
	for {
		parent := filepath.Dir(dir)
		out = append(out, parent)
		if _, err := os.Stat(parent); err == nil || parent == dir {
			return out
		}
		dir = parent
	}
}

// syncFolders syncs the data folders, the data directory and the folders above. Without that a power failure could lose
// a folder with all files that were synced in it. It runs at every open, since a process that created folders may have
// died before the sync.
func syncFolders(all []string) error {
	for _, folder := range all {
		if err := syncFolder(folder); err != nil && !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EINVAL) {
			return err // an unreadable folder was not created here, and some file systems cannot sync folders
		}
	}
	return nil
}

// Dir returns the folder of the tree, as passed to Open.
func (r *Root) Dir() string { return r.dir }

// DefaultLeague returns the id of the league whose agents' files are not in a separate folder.
func (r *Root) DefaultLeague() string { return r.config.DefaultLeague() }

// Config returns the reader of the config files.
func (r *Root) Config() *config.Reader { return r.config }

// Logs returns the logs of the data directory.
func (r *Root) Logs() *logs.Folder { return r.logs }

// path converts a name relative to the root to a path.
func (r *Root) path(name string) string { return filepath.Join(r.dir, filepath.FromSlash(name)) }

// inLeague returns the name of an agent's file or folder relative to a folder that all leagues share. League "" is
// the default one.
func (r *Root) inLeague(league, id string) (string, error) {
	if err := config.CheckID("agent id", id); err != nil {
		return "", err
	}
	if league == "" || league == r.DefaultLeague() {
		return id, nil
	}
	return path.Join(league, id), config.CheckID("league id", league)
}

// makeFolder creates a folder of the tree, with its parents, durably.
func (r *Root) makeFolder(name string) error {
	folder := r.path(name)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for top := filepath.Clean(r.dir); folder != top; {
		folder = filepath.Dir(folder)
		if err := syncFolder(folder); err != nil {
			return err
		}
	}
	return nil
}

// wrapFull converts an error of a full disk into a [FullError]. It returns other errors unchanged.
func (r *Root) wrapFull(err error) error {
	if !isFull(err) {
		return err
	}
	return &FullError{Place: r.dir, Err: err}
}
