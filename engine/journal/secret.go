package journal

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/gofrs/flock"

	"agentleague/engine"
)

// secrets stores secrets in separate files with mode 0600.
type secrets struct {
	folder string

	mu    sync.Mutex
	known map[string][]byte
}

// Secret returns the secret of that name and creates it if needed. It is synced to disk before Secret returns.
func (e *Engine) Secret(ctx context.Context, name string) ([]byte, error) {
	err := engine.CheckName(name)
	if err == nil {
		err = e.enter(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("secret: %w", err)
	}
	b, err := e.secrets.get(name)
	if err != nil {
		return nil, fmt.Errorf("secret %s: %w", name, e.translate(err))
	}
	return bytes.Clone(b), nil
}

// get returns a secret and creates it if needed. It is synced to disk before get returns.
func (s *secrets) get(name string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b := s.known[name]; b != nil {
		return b, nil
	}
	b, err := findSecret(filepath.Join(s.folder, name))
	if err != nil {
		return nil, err
	}
	if s.known == nil {
		s.known = map[string][]byte{}
	}
	s.known[name] = b
	return b, nil
}

// SharedSecret returns a secret in the data/ folder dir, and creates it if needed, without opening an engine. It is for
// secrets that several processes of a data directory share; concurrent callers get the same secret.
func SharedSecret(dir, name string) ([]byte, error) {
	err := engine.CheckName(name)
	var b []byte
	if err == nil {
		b, err = findSecret(filepath.Join(dir, "secrets", name))
	}
	if err != nil {
		return nil, fmt.Errorf("secret %s: %w", name, err)
	}
	return b, nil
}

// CopySecret stores a secret of another engine in the data/ folder dir, where [SharedSecret] finds it. If a different
// secret of that name exists, it changes nothing and returns [engine.ErrTaken].
func CopySecret(dir, name string, secret []byte) error {
	err := engine.CheckSecret(name, secret)
	if err == nil {
		err = (&secrets{folder: filepath.Join(dir, "secrets")}).put(name, secret)
	}
	if err != nil {
		return fmt.Errorf("secret %s: %w", name, err)
	}
	return nil
}

// ReadSecret reads a secret from a file that was copied from another machine.
func ReadSecret(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return ParseSecret(path, text)
}

// findSecret returns the secret at path and creates it if needed.
func findSecret(path string) ([]byte, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if err := makeSecret(path); err != nil {
			return nil, err
		}
	}
	return readSecret(path)
}

// makeSecret writes random bytes to path, unless the file exists by then.
func makeSecret(path string) error {
	b := make([]byte, engine.SecretSize)
	rand.Read(b)
	return writeSecret(path, b)
}

// writeSecret writes b to path atomically, unless the file exists by then.
func writeSecret(path string, b []byte) error {
	if err := makeFolder(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = fmt.Fprintf(f, "%x\n", b)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return place(f.Name(), path)
}

// place renames a file, unless a file with the new name exists.
func place(from, to string) error {
	err := os.Link(from, to)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return nil
	}
	return placeAlone(from, to) // no hard links here
}

// placeAlone is place for file systems without hard links: it checks and renames under a lock.
func placeAlone(from, to string) error {
	lock := flock.New(to + ".lock")
	if err := lock.Lock(); err != nil {
		return err
	}
	defer func() { _ = lock.Unlock() }()
	if _, err := os.Stat(to); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(from, to)
}

// readSecret returns the secret at path. It syncs the folder, because the writer may have crashed before that.
func readSecret(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	b, err := ParseSecret(path, text)
	if err != nil {
		return nil, err
	}
	return b, syncFolders(filepath.Dir(path), filepath.Dir(filepath.Dir(path)))
}

// ParseSecret parses the text of a secret's file. Errors name its path.
func ParseSecret(path string, text []byte) ([]byte, error) {
	b, err := hex.DecodeString(string(bytes.TrimSuffix(text, []byte("\n"))))
	if err != nil || len(text) != hex.EncodedLen(engine.SecretSize)+1 {
		return nil,
			fmt.Errorf(
				"%s: want %d hex digits and a newline, got %d bytes of something else; put it back from a backup: what was made "+
					"with it needs it",
				path, hex.EncodedLen(engine.SecretSize), len(text))
	}
	return b, nil
}

// PutSecret stores a secret that another engine created.
func (e *Engine) PutSecret(ctx context.Context, name string, secret []byte) error {
	err := engine.CheckSecret(name, secret)
	if err == nil {
		err = e.enter(ctx)
	}
	if err == nil {
		err = e.secrets.put(name, secret)
	}
	if err != nil {
		return fmt.Errorf("secret %s: %w", name, e.translate(err))
	}
	return nil
}

// put stores a secret. If a different secret of that name exists, it changes nothing and returns [engine.ErrTaken].
func (s *secrets) put(name string, secret []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := filepath.Join(s.folder, name)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if err := writeSecret(path, secret); err != nil {
			return err
		}
	}
	is, err := readSecret(path)
	if err == nil && !bytes.Equal(is, secret) {
		err = fmt.Errorf("%s: %w", path, engine.ErrTaken)
	}
	return err
}
