package files

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/gofrs/flock"
)

// Agents of a crowd keep their ids without an open file for each. Their process has one lock of its own,
// data/agents/.crew-<pid>-<random>.lock, and the holder file of each id names it: the id is theirs as long as somebody
// has that lock. The lock of the id itself is held while it changes hands, by whoever takes it or gives it back, so
// nobody takes an id between a look at its holder and a word of its own there.

// A crew is the lock that the agents of one process share, and what is known of those of others.
type crew struct {
	mu    sync.Mutex
	lock  *flock.Flock // nil: no agent needs it
	ids   int          // that are held by it
	ended sync.Map     // crews of processes that are gone, by name; none of them comes back
}

// LockCrew takes an agent's id as [Root.LockAgent] does, for one of many in this process.
func (r *Root) LockCrew(league, id, address string) (*Lock, error) {
	l, err := r.takeLock(league, id)
	if err != nil {
		return nil, err
	}
	if l.crew, err = r.crew.join(r.path("data/agents")); err != nil {
		return nil, errors.Join(r.told(err), l.lock.Unlock())
	}
	if err := errors.Join(l.At(address), l.lock.Unlock()); err != nil {
		r.crew.leave()
		return nil, r.told(err)
	}
	l.root, l.lock = r, nil
	return l, nil
}

// releaseCrew gives an id of a crew back.
func (l *Lock) releaseCrew() error {
	if l.root == nil {
		return nil
	}
	lock := idLock(strings.TrimSuffix(l.holder, heldBySuffix))
	err := lock.Lock() // who has it now only looks, and is told that the id is held
	if err == nil {
		if err = os.Remove(l.holder); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		err = errors.Join(err, lock.Unlock())
	}
	l.root.crew.leave()
	l.root = nil
	return err
}

// join returns the name of the process's lock, which is taken with the first id.
func (c *crew) join(folder string) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lock == nil {
		name := fmt.Sprintf(".crew-%d-%s.lock", os.Getpid(), strings.ToLower(rand.Text()[:12]))
		lock := flock.New(filepath.Join(folder, name), flock.SetPermissions(0o644))
		if taken, err := lock.TryLock(); err != nil || !taken {
			return "", errors.Join(err, fmt.Errorf("%s cannot be locked; check its file system", lock.Path()))
		}
		c.lock = lock
	}
	c.ids++
	return filepath.Base(c.lock.Path()), nil
}

// leave gives the process's lock back with the last id.
func (c *crew) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ids--; c.ids == 0 {
		_ = os.Remove(c.lock.Path()) // where an open file cannot be removed, whoever meets it next does
		_ = c.lock.Unlock()
		c.lock = nil
	}
}

// lives reports whether somebody has the lock of a crew, which is this process or another.
func (c *crew) lives(folder, name string) bool {
	if _, gone := c.ended.Load(name); gone || !isCrew(name) {
		return false
	}
	c.mu.Lock()
	own := c.lock != nil && filepath.Base(c.lock.Path()) == name
	c.mu.Unlock()
	path := filepath.Join(folder, name)
	if _, err := os.Stat(path); own || err != nil {
		return own || !errors.Is(err, fs.ErrNotExist)
	}
	lock := flock.New(path, flock.SetPermissions(0o644))
	if taken, err := lock.TryRLock(); err != nil || !taken { // who else looks at the same time shares it
		return true
	}
	_ = os.Remove(path)
	_ = lock.Unlock()
	c.ended.Store(name, nil)
	return false
}

// isCrew reports whether a word of a holder file can be the name of a crew's lock.
func isCrew(name string) bool {
	return strings.HasPrefix(name, ".crew-") && strings.HasSuffix(name, ".lock") && filepath.Base(name) == name
}
