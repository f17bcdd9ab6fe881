package store

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Credentials stores the credentials for third-party MCP servers by their endpoints, as text: one file per endpoint in data/bearers, which
// only its owner can read.
type Credentials struct{ root *Root }

// Credentials returns the credentials stored in this data directory.
func (r *Root) Credentials() Credentials { return Credentials{r} }

// offerLifetime is how long offered credentials stay valid if the process that offered them ends without withdrawing
// them.
const offerLifetime = time.Minute

// Of returns the credentials for an endpoint: the offered ones, or else the stored ones, or "".
func (c Credentials) Of(endpoint string) string {
	offered := c.file(endpoint) + ".offered"
	if info, err := os.Stat(offered); err == nil && time.Since(info.ModTime()) < offerLifetime {
		if text := readText(offered); text != "" {
			return text
		}
	}
	return readText(c.file(endpoint))
}

// Offer makes credentials valid for an endpoint for up to offerLifetime, until they are stored or withdrawn.
func (c Credentials) Offer(endpoint, text string) error {
	path := c.file(endpoint) + ".offered"
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return c.root.wrapFull(err)
	}
	return c.root.wrapFull(replace(path, []byte(strings.TrimSpace(text)+"\n"), 0o600))
}

// Keep makes the offered credentials permanent.
func (c Credentials) Keep(endpoint string) error {
	path := c.file(endpoint)
	if err := os.Rename(path+".offered", path); err != nil {
		return c.root.wrapFull(err)
	}
	return c.root.wrapFull(syncFolder(filepath.Dir(path)))
}

// Withdraw removes the offered credentials. Stored ones stay.
func (c Credentials) Withdraw(endpoint string) error {
	err := os.Remove(c.file(endpoint) + ".offered")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// file returns the path of an endpoint's credentials. Its name does not reveal the endpoint.
func (c Credentials) file(endpoint string) string {
	sum := sha256.Sum256([]byte(endpoint))
	return c.root.path("data/bearers/" + hex.EncodeToString(sum[:16]))
}

// readToken returns the token in a file; a missing file, the usual case, reads as "".
func readText(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}
