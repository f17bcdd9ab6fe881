package store

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

// Many agents in one process hold their ids without an open file for each. Their process has one lock,
// data/agents/.crew-<pid>-<random>.lock, and the holder file of each id names that lock: the id is taken as long
// as any process holds it. While an id is claimed or released its own lock is held too, so that check-and-claim is
// atomic.

// A crew is the lock that the agents of one process share, with a cache of the shared locks of processes that have
// ended.
type crew struct {
	mu    sync.Mutex
	lock  *flock.Flock // nil: no agent needs it
	ids   int          // that are held by it
	ended sync.Map     // crews of ended processes, by name; an ended crew never returns
}

// LockCrew locks an agent's id like [Root.LockAgent], but through the lock that this process's agents share.
func (r *Root) LockCrew(league, id, address string) (*Lock, error) {
	l, err := r.takeLock(league, id)
	if err != nil {
		return nil, err
	}
	if l.crew, err = r.crew.join(r.path("data/agents")); err != nil {
		return nil, errors.Join(r.wrapFull(err), l.lock.Unlock())
	}
	if err := errors.Join(l.At(address), l.lock.Unlock()); err != nil {
		r.crew.leave()
		return nil, r.wrapFull(err)
	}
	l.root, l.lock = r, nil
	return l, nil
}

// releaseCrew releases an id that is held by the shared lock.
func (l *Lock) releaseCrew() error {
	if l.root == nil {
		return nil
	}
	lock := idLock(strings.TrimSuffix(l.holder, heldBySuffix))
	err := lock.Lock() // another holder is only checking, and finds the id held
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

// join counts one more id that the process's shared lock holds, and returns the name of that lock. The first call
// acquires it.
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

// leave counts one id less, and with the last one releases the process's shared lock.
func (c *crew) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ids--; c.ids == 0 {
		_ = os.Remove(c.lock.Path()) // an open file cannot be removed on every system; the next process to find it removes it
		_ = c.lock.Unlock()
		c.lock = nil
	}
}

// isHeld reports whether any process, including this one, holds the shared lock with that name.
func (c *crew) isHeld(folder, name string) bool {
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
	if taken, err := lock.TryRLock(); err != nil || !taken { // concurrent checks share the read lock
		return true
	}
	_ = os.Remove(path)
	_ = lock.Unlock()
	c.ended.Store(name, nil)
	return false
}

// isCrew reports whether a word in a holder file is the name of a shared lock.
func isCrew(name string) bool {
	return strings.HasPrefix(name, ".crew-") && strings.HasSuffix(name, ".lock") && filepath.Base(name) == name
}
