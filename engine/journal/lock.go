package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// An InUseError means that another process has the data directory open.
type InUseError struct {
	Path   string    // the lock
	PID    int       // of the holder; 0 if that could not be read
	Holder string    // the address of the holder, if known
	Since  time.Time // since when
}

// Error names the holder and the remedy.
func (e *InUseError) Error() string {
	who := "another process"
	if e.PID != 0 {
		who = fmt.Sprintf("process %d", e.PID)
	}
	if e.Holder != "" {
		who += " at " + e.Holder
	}
	if !e.Since.IsZero() {
		who += " since " + e.Since.Format(time.RFC3339)
	}
	return fmt.Sprintf("%s: in use by %s: talk to that one, stop it, or use another root", e.Path, who)
}

// holder is the content of a lock file.
type holder struct {
	PID    int       `json:"pid"`
	Holder string    `json:"holder"`
	Since  time.Time `json:"since"`
}

// lockFolder locks dir against other processes. The operating system releases the lock when the process ends, so a lock
// file that a crashed process left behind is not locked.
func lockFolder(dir, address string) (*flock.Flock, error) {
	path := filepath.Join(dir, "journal.lock")
	if err := firstByte(path); err != nil {
		return nil, err
	}
	lock := flock.New(path)
	locked, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if !locked {
		return nil, inUse(path)
	}
	if err := signAs(path, holder{
		PID: os.Getpid(), Holder: address, Since: time.Now().UTC().Truncate(time.Second),
	}); err != nil {
		return nil, errors.Join(err, lock.Unlock())
	}
	return lock, nil
}

// heldAt writes the address of the holder into the lock file; other processes report it.
func heldAt(lock *flock.Flock, address string) error {
	h, err := readHolder(lock.Path())
	if err != nil {
		return fmt.Errorf("%s: %w", lock.Path(), err)
	}
	h.Holder = address
	return signAs(lock.Path(), h)
}

// A Lock locks a data/ folder for a process that stores only copies of its logs there.
type Lock struct{ file *flock.Flock }

// LockFolder locks dir as [Open] does, creating it if needed.
func LockFolder(dir string) (*Lock, error) {
	if err := makeFolder(filepath.Clean(dir), 0o755); err != nil {
		return nil, err
	}
	file, err := lockFolder(filepath.Clean(dir), "")
	if err != nil {
		return nil, err
	}
	return &Lock{file}, nil
}

// HeldAt records the address of this process.
func (l *Lock) HeldAt(address string) error { return heldAt(l.file, address) }

// Unlock lets the next process in.
func (l *Lock) Unlock() error { return unlockFolder(l.file) }

// unlockFolder lets the next process in.
func unlockFolder(lock *flock.Flock) error {
	return errors.Join(sign(lock.Path(), nil), lock.Unlock())
}

// firstByte creates the lock file with the byte that is locked, a space. On Windows other processes cannot read or
// write a locked byte, so the holder is written after it. A write error is ignored: another process may just have
// locked it.
func firstByte(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() > 0 {
		return err
	}
	_, _ = f.Write([]byte(" "))
	return nil
}

// signAs writes the holder into the lock file.
func signAs(path string, h holder) error {
	text, err := json.Marshal(h)
	if err == nil {
		err = sign(path, append(text, '\n'))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// sign writes the content of the lock file.
func sign(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(text, 1)
	return errors.Join(err, f.Truncate(int64(1+len(text))), f.Close())
}

// inUse returns an [InUseError] with the holder, as far as the lock file has it.
func inUse(path string) error {
	h, _ := readHolder(path) // an unreadable file means an unknown holder
	return &InUseError{Path: path, PID: h.PID, Holder: h.Holder, Since: h.Since}
}

// readHolder parses the holder in a lock file. It starts at the second byte, since some systems cannot read the first
// byte while it is locked.
func readHolder(path string) (h holder, err error) {
	f, err := os.Open(path)
	if err != nil {
		return h, err
	}
	defer f.Close()
	text := make([]byte, 4096)
	n, _ := f.ReadAt(text, 1)
	err = json.Unmarshal(text[:n], &h)
	return h, err
}
