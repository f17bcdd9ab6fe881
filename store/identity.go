package store

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"

	"agentleague/config"
	"agentleague/protocol"
)

// An Identity is data/identities/<league_id>/<role>-<name>.json: a native agent's private key and its memberships in
// leagues. The private key is the agent's identity, so only the owner of the data directory can read the file.
type Identity struct {
	SchemaVersion string        `json:"schema_version"`
	Role          protocol.Role `json:"role"`
	DisplayName   string        `json:"display_name"`
	PrivateKey    string        `json:"private_key"`      // the seed of an ed25519 key, hexadecimal
	Places        []Place       `json:"places,omitempty"` // the newest last
	LastUpdated   string        `json:"last_updated"`
}

// Place is an agent's membership in a league. The agent's token is derived from this data and the private key, and is
// not in the file.
type Place struct {
	Manager    string `json:"manager"` // address of the manager that granted it
	LeagueID   string `json:"league_id"`
	Seal       string `json:"seal"`
	ManagerKey string `json:"manager_key"` // agreement key of the manager
	ID         string `json:"id"`
	Epoch      int    `json:"epoch"`
	Pending    bool   `json:"pending,omitempty"` // no message of the manager was authenticated since the place was granted
	Over       bool   `json:"over,omitempty"`
	OwnerKey   string `json:"owner_key,omitempty"` // of a player: the key of its owner for the league's pages
}

// An IdentityFile stores the identity of a running agent.
type IdentityFile struct {
	root *Root
	name string // relative to the data directory
	lock *flock.Flock
	role protocol.Role
	of   string // the agent's name
}

// NamesakeError means that another agent with the same name runs on the same data directory.
type NamesakeError struct {
	Name   string
	Holder string
}

// Error names the running agent and the remedy.
func (e *NamesakeError) Error() string {
	return fmt.Sprintf("an agent called %q is already running: %s; stop that one, or choose another name or root", e.Name, e.Holder)
}

// OpenIdentity locks the file of an agent and returns its content, or the zero Identity if there is no file yet.
// Until Close, opening the same name returns a [NamesakeError]. suffix distinguishes agents with the same name,
// and is usually empty.
func (r *Root) OpenIdentity(league string, role protocol.Role, name, suffix string) (*IdentityFile, Identity, error) {
	if err := config.CheckID("league id", league); err != nil {
		return nil, Identity{}, err
	}
	f := &IdentityFile{root: r, role: role, of: name}
	for _, more := range []string{suffix, suffix + "-" + shortHash(name)} {
		// Another agent may have a different name that converts to the same file name.
		if err := f.lockFile("data/identities/" + league + "/" + string(role) + "-" + fileSlug(name) + dashed(more) +
			".json"); err != nil {
			return nil, Identity{}, err
		}
		was, err := f.load()
		if err == nil && (was.DisplayName == "" || was.DisplayName == name) {
			return f, was, nil
		}
		_ = f.Close()
		if err != nil {
			return nil, Identity{}, err
		}
	}
	return nil, Identity{}, fmt.Errorf("%s belongs to another agent than %q; choose another name", f.name, name)
}

// lockFile locks a file. The lock file is never removed: a removed lock could be taken twice.
func (f *IdentityFile) lockFile(name string) error {
	f.name = name
	path := f.root.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return f.root.wrapFull(err)
	}
	f.lock = flock.New(strings.TrimSuffix(path, ".json")+".lock", flock.SetPermissions(0o600))
	switch taken, err := f.lock.TryLock(); {
	case err != nil:
		return f.root.wrapFull(err)
	case !taken:
		return &NamesakeError{Name: f.of, Holder: f.heldBy()}
	}
	return nil
}

// heldBy describes the process that holds the file by the id of its agent, if known.
func (f *IdentityFile) heldBy() string {
	was, err := f.load()
	if err != nil || len(was.Places) == 0 {
		return "another process"
	}
	newest := was.Places[len(was.Places)-1]
	at, err := f.root.inLeague(newest.LeagueID, newest.ID)
	if err != nil {
		return newest.ID
	}
	holder, _ := (&Lock{holder: f.root.path("data/agents/" + at + heldBySuffix)}).heldBy()
	return newest.ID + ", " + holder
}

// load returns the stored identity, or the zero one if there is none. An unreadable file is an error that names the
// remedy: with a new key instead, the agent would lose its membership in the league.
func (f *IdentityFile) load() (v Identity, err error) {
	text, err := os.ReadFile(f.root.path(f.name))
	if errors.Is(err, fs.ErrNotExist) {
		return v, nil
	}
	if err != nil {
		return v, err
	}
	if err := config.Decode(f.name, text, &v); err != nil {
		return v, err
	}
	if _, err := hex.DecodeString(v.PrivateKey); err != nil || len(v.PrivateKey) != 64 || v.DisplayName == "" {
		return v, fmt.Errorf("%s: want a display_name and a private_key of 64 hexadecimal digits; restore the file, "+
			"or remove it to start as a new agent", f.name)
	}
	return v, nil
}

// Save writes the identity durably.
func (f *IdentityFile) Save(v Identity) error {
	v.SchemaVersion, v.Role, v.DisplayName, v.LastUpdated = config.SchemaVersion, f.role, f.of, now()
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	path := f.root.path(f.name)
	if err := replace(path, append(text, '\n'), 0o600); err != nil {
		return f.root.wrapFull(err)
	}
	folder := filepath.Dir(path)
	return f.root.wrapFull(f.root.syncOf(folder).do(func() error { // agents of a crowd save concurrently and share a sync
		return errors.Join(syncFolder(folder), syncFolder(filepath.Dir(folder)), syncFolder(f.root.path("data")))
	}))
}

// syncOf returns the group commit of a folder, by which concurrent writes of identities share one fsync.
func (r *Root) syncOf(folder string) *groupSync {
	s, _ := r.identities.LoadOrStore(folder, newGroupSync())
	return s.(*groupSync)
}

// Remove deletes the identity.
func (f *IdentityFile) Remove() error {
	if err := os.Remove(f.root.path(f.name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Close releases the name for other agents. Save still works after Close: an agent that shares its process with
// many others closes at once, so as not to keep a file open. Close is idempotent.
func (f *IdentityFile) Close() error {
	if f.lock == nil {
		return nil
	}
	err := f.lock.Unlock()
	f.lock = nil
	return err
}

// fileSlug converts a name to lower case, with "-" for spaces, for use in a file name. If the conversion changes
// anything else, or the name is long, it appends a part of the name's hash.
func fileSlug(name string) string {
	const longest = 64
	plain := strings.ReplaceAll(strings.ToLower(name), " ", "-")
	slug := config.ToID(plain, "agent")
	if slug == plain && len(slug) <= longest {
		return slug
	}
	return slug[:min(len(slug), longest)] + "-" + shortHash(name)
}

// dashed returns a suffix with a leading dash.
func dashed(suffix string) string {
	if suffix = strings.TrimPrefix(suffix, "-"); suffix == "" {
		return ""
	}
	return "-" + suffix
}

// shortHash returns 32 bits of a hash, enough to tell apart the agents of one machine whose names convert to the
// same file name.
func shortHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:4])
}
