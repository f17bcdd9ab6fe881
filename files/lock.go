package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
)

// A Lock keeps an agent's id for one process. The system gives it back when the process ends, however it ends.
type Lock struct {
	lock   *flock.Flock
	holder string // the file that tells who has it; the lock itself cannot be read everywhere
}

// HeldError refuses the id of an agent that runs already.
type HeldError struct {
	Agent  string
	Holder string // such as "pid 4711 at http://localhost:8001/mcp"
}

// Error says who it is, and what to do.
func (e *HeldError) Error() string {
	return fmt.Sprintf("%s is already running: %s; stop that one, or use another id or root", e.Agent, e.Holder)
}

// LockAgent takes an agent's id in a league, data/agents/<id>.lock, for an agent that can be found at an address. If it
// is taken the error is a [HeldError] that tells the pid and address of who has it. No league means the default one; an
// agent that does not know its address yet tells it later, with [Lock.At].
func (r *Root) LockAgent(league, id, address string) (*Lock, error) {
	name, err := r.inLeague(league, id)
	if err != nil {
		return nil, err
	}
	path := r.path("data/agents/" + name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	l := &Lock{lock: flock.New(path+".lock", flock.SetPermissions(0o644)), holder: path + ".holder"}
	switch taken, err := l.lock.TryLock(); {
	case err != nil:
		return nil, err
	case !taken:
		return nil, &HeldError{Agent: id, Holder: l.heldBy()}
	}
	if err := l.At(address); err != nil {
		return nil, errors.Join(r.told(err), l.lock.Unlock())
	}
	return l, nil
}

// At says where the agent can be found. No address means that it is not known yet.
func (l *Lock) At(address string) error {
	holder := fmt.Sprintf("pid %d", os.Getpid())
	if address != "" {
		holder += " at " + address
	}
	return replace(l.holder, []byte(holder+"\n"), 0o644)
}

// Release gives the id back. Releasing again does nothing.
func (l *Lock) Release() error {
	if !l.lock.Locked() {
		return nil
	}
	if err := os.Remove(l.holder); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, l.lock.Unlock())
	}
	return l.lock.Unlock()
}

// heldBy is for an error message: what the holder wrote about itself when it took the lock.
func (l *Lock) heldBy() string {
	text, err := os.ReadFile(l.holder)
	if err != nil {
		return "another process" // it has only just begun, or is about to end
	}
	return strings.TrimSpace(string(text))
}
