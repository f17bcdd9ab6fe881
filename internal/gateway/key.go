package gateway

import (
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/google/renameio/v2"
)

// Key reads the key of a mailbox from a file, and writes a new one if there is none. Only the owner can read the file.
func Key(file string) (ed25519.PrivateKey, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return newKey(file)
	}
	if err != nil {
		return nil, fmt.Errorf("the key of the mailbox: %w", err)
	}
	seed, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(seed) != ed25519.SeedSize {
		return nil, fmt.Errorf("%s: want a key of `league connect`, 64 hexadecimal digits", file)
	}
	return ed25519.NewKeyFromSeed(seed), nil
}

func newKey(file string) (ed25519.PrivateKey, error) {
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		return nil, err
	}
	text := hex.EncodeToString(key.Seed()) + "\n"
	if err := renameio.WriteFile(file, []byte(text), 0o600, renameio.IgnoreUmask()); err != nil {
		return nil, fmt.Errorf("the key of the mailbox cannot be kept: %w", err)
	}
	return key, nil
}
