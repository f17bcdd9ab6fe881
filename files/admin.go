package files

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// adminFile is where the admin token is kept, which only the owner of the root can read.
const adminFile = "data/admin.token"

// AdminToken returns what those show who may start, pause and withdraw. It is made at first use, for all who have this
// root, and only its owner can read it.
func (r *Root) AdminToken() (string, error) {
	text, err := os.ReadFile(r.path(adminFile))
	if errors.Is(err, fs.ErrNotExist) {
		return r.makeAdminToken()
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

// ErrOtherAdmin says that a root has an admin token of its own, which is not the one that it should have.
var ErrOtherAdmin = errors.New(adminFile + " holds another token than the cluster's")

// KeepAdminToken gives the root the admin token that it has in common with other roots. One that has another already
// keeps it, and is [ErrOtherAdmin].
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

// makeAdminToken makes 256 random bits, for the owner of the root alone to read. Of several processes that begin at
// the same time one writes the file, and all use what is in it.
func (r *Root) makeAdminToken() (string, error) {
	random := make([]byte, 32)
	_, _ = rand.Read(random) // it never fails
	token := "tok_admin_" + base64.RawURLEncoding.EncodeToString(random)
	err := create(r.path(adminFile), []byte(token+"\n"), 0o600)
	if errors.Is(err, fs.ErrExist) {
		return r.AdminToken() // another process was first
	}
	return token, err
}
