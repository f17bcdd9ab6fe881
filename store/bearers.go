package store

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Bearers stores the tokens for third-party servers by their endpoints: one file per endpoint in data/bearers, which
// only its owner can read.
type Bearers struct{ root *Root }

// Bearers returns the tokens of this root.
func (r *Root) Bearers() Bearers { return Bearers{r} }

// offerLifetime is how long an offered token stays valid; the process that offered it may have died.
const offerLifetime = time.Minute

// Of returns the token for an endpoint: the offered one, or else the stored one, or "".
func (b Bearers) Of(endpoint string) string {
	offered := b.file(endpoint) + ".offered"
	if info, err := os.Stat(offered); err == nil && time.Since(info.ModTime()) < offerLifetime {
		if token := readToken(offered); token != "" {
			return token
		}
	}
	return readToken(b.file(endpoint))
}

// Offer makes a token valid for an endpoint for up to offerLifetime, until it is stored or withdrawn.
func (b Bearers) Offer(endpoint, token string) error {
	if err := CheckBearer(token); err != nil {
		return err
	}
	path := b.file(endpoint) + ".offered"
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return b.root.wrapFull(err)
	}
	return b.root.wrapFull(replace(path, []byte(token+"\n"), 0o600))
}

// Keep makes the offered token permanent.
func (b Bearers) Keep(endpoint string) error {
	path := b.file(endpoint)
	if err := os.Rename(path+".offered", path); err != nil {
		return b.root.wrapFull(err)
	}
	return b.root.wrapFull(syncFolder(filepath.Dir(path)))
}

// Withdraw removes the offered token. A stored token stays.
func (b Bearers) Withdraw(endpoint string) error {
	err := os.Remove(b.file(endpoint) + ".offered")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// file returns the path of an endpoint's token. Its name does not reveal the endpoint.
func (b Bearers) file(endpoint string) string {
	sum := sha256.Sum256([]byte(endpoint))
	return b.root.path("data/bearers/" + hex.EncodeToString(sum[:16]))
}

// readToken returns the token in a file; a missing file, the usual case, reads as "".
func readToken(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// CheckBearer returns an error for a malformed token. The error does not contain the token.
func CheckBearer(token string) error {
	odd := func(r rune) bool { return r <= ' ' || r > '~' }
	switch {
	case token == "":
		return errors.New("it is empty")
	case len(token) > 16<<10:
		return fmt.Errorf("it is longer than %d bytes", 16<<10)
	case strings.ContainsFunc(token, odd):
		return errors.New("it is not one word of plain letters, digits and signs")
	}
	return nil
}
