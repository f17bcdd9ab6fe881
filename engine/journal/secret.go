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

	"agentleague/engine"
)

// secrets are files of their own, which nobody else may read.
type secrets struct {
	folder string

	mu    sync.Mutex
	known map[string][]byte
}

// Secret returns the secret of that name, which is on disk by then.
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
		return nil, fmt.Errorf("secret %s: %w", name, e.told(err))
	}
	return bytes.Clone(b), nil
}

func (s *secrets) get(name string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b := s.known[name]; b != nil {
		return b, nil
	}
	path := filepath.Join(s.folder, name)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if err := makeSecret(path); err != nil {
			return nil, err
		}
	}
	b, err := readSecret(path)
	if err != nil {
		return nil, err
	}
	if s.known == nil {
		s.known = map[string][]byte{}
	}
	s.known[name] = b
	return b, nil
}

// makeSecret puts new random bytes at path, unless there are some by then.
func makeSecret(path string) error {
	if err := makeFolder(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	b := make([]byte, engine.SecretSize)
	rand.Read(b)
	_, err = fmt.Fprintf(f, "%x\n", b)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return place(f.Name(), path)
}

// place gives a file its name, unless another has that name.
func place(from, to string) error {
	err := os.Link(from, to)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return nil
	}
	return os.Rename(from, to) // no hard links here; the lock and secrets.mu keep others out
}

// readSecret returns the secret at path once it is sure to stay there: whoever made it may have died
// before that.
func readSecret(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	b, err := hex.DecodeString(string(bytes.TrimSuffix(text, []byte("\n"))))
	if err != nil || len(text) != hex.EncodedLen(engine.SecretSize)+1 {
		return nil, fmt.Errorf("%s: want %d hex digits and a newline, got %d bytes of something else; put it back from a backup: what was made with it needs it",
			path, hex.EncodedLen(engine.SecretSize), len(text))
	}
	return b, syncFolders(filepath.Dir(path), filepath.Dir(filepath.Dir(path)))
}
