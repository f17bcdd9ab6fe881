package files

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

// An Identity is data/identities/<league_id>/<role>-<name>.json: the key that a native agent is known by, and the places
// that it has in leagues. Whoever has it is that agent, so only the owner of the root can read the file.
type Identity struct {
	SchemaVersion string        `json:"schema_version"`
	Role          protocol.Role `json:"role"`
	DisplayName   string        `json:"display_name"`
	PrivateKey    string        `json:"private_key"`      // the seed of an ed25519 key, hexadecimal
	Places        []Place       `json:"places,omitempty"` // the newest last
	LastUpdated   string        `json:"last_updated"`
}

// Place is an agent's place in a league. The agent's token follows from it and from the key, and is not in the file.
type Place struct {
	Manager    string `json:"manager"` // address of the manager that gave it
	LeagueID   string `json:"league_id"`
	Seal       string `json:"seal"`
	ManagerKey string `json:"manager_key"` // agreement key of the manager
	ID         string `json:"id"`
	Epoch      int    `json:"epoch"`
	Pending    bool   `json:"pending,omitempty"` // nothing of the manager was authenticated since it was given
	Over       bool   `json:"over,omitempty"`
	OwnerKey   string `json:"owner_key,omitempty"` // of a player: what its owner shows on the league's pages
}

// An IdentityFile is where an agent that runs keeps who it is.
type IdentityFile struct {
	root *Root
	name string // relative to the root
	lock *flock.Flock
	role protocol.Role
	of   string // the agent's name
}

// NamesakeError refuses an agent whose name another has that runs on the same root.
type NamesakeError struct {
	Name   string
	Holder string
}

// Error says who it is, and what to do.
func (e *NamesakeError) Error() string {
	return fmt.Sprintf("an agent called %q is already running: %s; stop that one, or choose another name or root", e.Name, e.Holder)
}

// OpenIdentity takes the file of an agent, and returns what it says; of an agent that has none yet, nothing. The file
// is the agent's alone until it is closed: a second one of that name gets a [NamesakeError]. Suffix tells agents of one
// name apart; usually it is empty.
func (r *Root) OpenIdentity(league string, role protocol.Role, name, suffix string) (*IdentityFile, Identity, error) {
	if err := config.CheckID("league id", league); err != nil {
		return nil, Identity{}, err
	}
	f := &IdentityFile{root: r, role: role, of: name}
	for _, more := range []string{suffix, suffix + "-" + shortHash(name)} {
		// the second where another name is written the same
		if err := f.take("data/identities/" + league + "/" + string(role) + "-" + fileSlug(name) + dashed(more) +
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

// take locks a file. The lock beside it stays: one that is removed could be taken twice.
func (f *IdentityFile) take(name string) error {
	f.name = name
	path := f.root.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return f.root.told(err)
	}
	f.lock = flock.New(strings.TrimSuffix(path, ".json")+".lock", flock.SetPermissions(0o600))
	switch taken, err := f.lock.TryLock(); {
	case err != nil:
		return f.root.told(err)
	case !taken:
		return &NamesakeError{Name: f.of, Holder: f.heldBy()}
	}
	return nil
}

// heldBy says who has the file, as far as the agent's id tells.
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

// load is the identity on disk, or the zero one before the first start. One that cannot be used is an error with what
// to do: a new key made in its place would lose the agent's place in its league.
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

// Save keeps who the agent is: it is on disk when Save returns.
func (f *IdentityFile) Save(v Identity) error {
	v.SchemaVersion, v.Role, v.DisplayName, v.LastUpdated = config.SchemaVersion, f.role, f.of, now()
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	path := f.root.path(f.name)
	if err := replace(path, append(text, '\n'), 0o600); err != nil {
		return f.root.told(err)
	}
	folder := filepath.Dir(path)
	return f.root.told(f.root.syncOf(folder).do(func() error { // a crowd comes at once
		return errors.Join(syncFolder(folder), syncFolder(filepath.Dir(folder)), syncFolder(f.root.path("data")))
	}))
}

// syncOf returns what the names in a folder of identities are synced by.
func (r *Root) syncOf(folder string) *groupSync {
	s, _ := r.identities.LoadOrStore(folder, newGroupSync())
	return s.(*groupSync)
}

// Remove forgets who the agent was.
func (f *IdentityFile) Remove() error {
	if err := os.Remove(f.root.path(f.name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Close lets another agent have the name. What is saved later is saved all the same: an agent of a crowd, of which none
// has a lock of its own, closes at once. Closing again does nothing.
func (f *IdentityFile) Close() error {
	if f.lock == nil {
		return nil
	}
	err := f.lock.Unlock()
	f.lock = nil
	return err
}

// fileSlug is a name as a part of a file's: lower case, and with a part of its hash where it loses more than that.
func fileSlug(name string) string {
	const longest = 64
	plain := strings.ReplaceAll(strings.ToLower(name), " ", "-")
	slug := inPath(plain, "agent")
	if slug == plain && len(slug) <= longest {
		return slug
	}
	return slug[:min(len(slug), longest)] + "-" + shortHash(name)
}

// dashed is a suffix with the dash that it may already have.
func dashed(suffix string) string {
	if suffix = strings.TrimPrefix(suffix, "-"); suffix == "" {
		return ""
	}
	return "-" + suffix
}

// shortHash tells names apart that look the same once they are file names: 32 bits are enough for the agents of one
// machine.
func shortHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:4])
}
