package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
)

// A Lock holds an agent's id for one process. The system releases it when the process ends, however it ends.
type Lock struct {
	lock   *flock.Flock // nil for an id of a crew, whose lock is only taken to check and to leave
	holder string       // the file that names the holder; the lock itself cannot be read everywhere
	crew   string       // the name of the crew lock that holds the id; "": its own lock
	root   *Root        // of a crew's id, until its release
}

// HeldError means that an agent with that id is running.
type HeldError struct {
	Agent  string
	Holder string // such as "pid 4711 at http://localhost:8001/mcp"
}

// Error names the running agent and the remedy.
func (e *HeldError) Error() string {
	return fmt.Sprintf("%s is already running: %s; stop that one, or use another id or root", e.Agent, e.Holder)
}

// LockAgent locks an agent's id in a league, data/agents/<id>.lock, for the agent at an address. If the id is
// taken it returns a [HeldError] with the pid and address of the holder. League "" is the default one. If the
// agent does not know its address yet, it sets it later with [Lock.At].
func (r *Root) LockAgent(league, id, address string) (*Lock, error) {
	l, err := r.takeLock(league, id)
	if err != nil {
		return nil, err
	}
	if err := l.At(address); err != nil {
		return nil, errors.Join(r.wrapFull(err), l.lock.Unlock())
	}
	return l, nil
}

// takeLock locks the file of an id, unless a process holds the id by its shared lock (see crew).
func (r *Root) takeLock(league, id string) (*Lock, error) {
	name, err := r.inLeague(league, id)
	if err != nil {
		return nil, err
	}
	path := r.path("data/agents/" + name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	l := &Lock{lock: idLock(path), holder: path + heldBySuffix}
	switch taken, err := l.lock.TryLock(); {
	case err != nil:
		return nil, err
	case !taken:
		holder, _ := l.heldBy()
		return nil, &HeldError{Agent: id, Holder: holder}
	}
	if holder, crew := l.heldBy(); r.crew.isHeld(r.path("data/agents"), crew) {
		return nil, errors.Join(&HeldError{Agent: id, Holder: holder}, l.lock.Unlock())
	}
	return l, nil
}

// heldBySuffix is the suffix of the file that names the holder of an id.
const heldBySuffix = ".holder"

// idLock returns the lock of the id with the given base path.
func idLock(path string) *flock.Flock { return flock.New(path+".lock", flock.SetPermissions(0o644)) }

// At records the agent's address for others that find the id locked; "" means that the address is not known yet.
func (l *Lock) At(address string) error {
	holder := fmt.Sprintf("pid %d", os.Getpid())
	if address != "" {
		holder += " at " + address
	}
	if l.crew != "" { // readers hold the lock of the id, or only print the holder
		return os.WriteFile(l.holder, []byte(holder+"\n"+l.crew+"\n"), 0o644)
	}
	return replace(l.holder, []byte(holder+"\n"), 0o644)
}

// Release releases the id. It is idempotent.
func (l *Lock) Release() error {
	if l.crew != "" {
		return l.releaseCrew()
	}
	if !l.lock.Locked() {
		return nil
	}
	if err := os.Remove(l.holder); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, l.lock.Unlock())
	}
	return l.lock.Unlock()
}

// heldBy returns the description of the process that holds the id. crew is the name of the shared lock by which that
// process holds the id, or "" if it holds the lock of the id itself.
func (l *Lock) heldBy() (holder, crew string) {
	text, err := os.ReadFile(l.holder)
	if err != nil {
		return "another process", "" // it is starting or ending
	}
	holder, crew, _ = strings.Cut(strings.TrimSpace(string(text)), "\n")
	return holder, crew
}
