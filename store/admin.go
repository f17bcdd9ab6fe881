package store

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// adminFile holds the admin token; only the owner of the data directory can read it.
const adminFile = "data/admin.token"

// AdminToken returns the token that authorizes the admin's orders, such as start, pause and withdraw. It is created at
// first use and shared by all processes of this data directory. Only the owner of the data directory can read its file.
func (r *Root) AdminToken() (string, error) {
	text, err := os.ReadFile(r.path(adminFile))
	if errors.Is(err, fs.ErrNotExist) {
		return makeAdminToken(r)
	}
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(text))
	if token == "" {
		return "", fmt.Errorf("%s: empty; remove the file to get a new token", adminFile)
	}
	return token, nil
}

// ErrOtherAdmin means that a data directory has another admin token than its cluster.
var ErrOtherAdmin = errors.New(adminFile + " holds another token than the cluster's")

// KeepAdminToken stores the admin token that the data directory shares with other data directories. If the directory
// has a different token, that token stays, and KeepAdminToken returns [ErrOtherAdmin].
func (r *Root) KeepAdminToken(token string) error {
	err := create(r.path(adminFile), []byte(token+"\n"), 0o600)
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	was, err := r.AdminToken()
	if err == nil && was != token {
		return ErrOtherAdmin
	}
	return err
}

// makeAdminToken creates a token of 256 random bits that only the owner of the data directory can read. If several
// processes start concurrently, one writes the file, and all use its content.
func makeAdminToken(r *Root) (string, error) {
	random := make([]byte, 32)
	_, _ = rand.Read(random) // it never fails
	token := "tok_admin_" + base64.RawURLEncoding.EncodeToString(random)
	err := create(r.path(adminFile), []byte(token+"\n"), 0o600)
	if errors.Is(err, fs.ErrExist) {
		return r.AdminToken() // another process was faster
	}
	return token, err
}
