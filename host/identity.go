package host

import (
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"slices"
	"sync"

	"agentleague/dialect/profile"
	"agentleague/protocol"
	"agentleague/rpc/native"
	"agentleague/store"
)

// An identity is an agent's key and memberships, with the file that stores them.
type identity struct {
	file *store.IdentityFile
	role protocol.Role
	now  native.Identity

	mu   sync.Mutex // a manager may still be welcoming the agent when its run ends
	made bool       // its key is new, and not in the file yet
}

// identity opens and locks the identity file of an agent, which is the same in all seasons. For an agent that shares a
// port and requests an id, it releases the lock at once: the lock on the id suffices, and a large group would exceed
// the limit of open files.
func (h *Env) identity(role protocol.Role, f Agent) (*identity, error) {
	file, was, err := h.OpenIdentity(h.League.FirstSeason(), role, f.Name, f.Suffix)
	if err != nil {
		return nil, err
	}
	if f.Shared != nil && f.ID != "" {
		_ = file.Close()
	}
	who := &identity{file: file, role: role}
	if profile.New(f.Profile, "") != nil { // it is third-party to every manager
		was.Places = nil
	}
	for _, p := range was.Places {
		who.now.Memberships = append(who.now.Memberships, native.Membership{
			Manager: p.Manager, LeagueID: p.LeagueID, Seal: p.Seal, ManagerKey: p.ManagerKey, ID: p.ID, Epoch: p.Epoch,
			Pending: p.Pending, Over: p.Over,
		})
	}
	if f.Seed != nil {
		who.now.Key, who.made = ed25519.NewKeyFromSeed(f.Seed), was.PrivateKey == ""
		return who, nil
	}
	if seed, err := hex.DecodeString(was.PrivateKey); err == nil && len(seed) == ed25519.SeedSize {
		who.now.Key = ed25519.NewKeyFromSeed(seed)
		return who, nil
	}
	_, who.now.Key, err = ed25519.GenerateKey(nil)
	who.made = true
	return who, err
}

// refused stores the key of an agent whose registration failed, and returns err. After `league readmit` the manager
// admits the owner of that key, which the agent still has after a restart.
func (i *identity) refused(err error) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if err == nil || !i.made {
		return err
	}
	return errors.Join(err, i.save(i.now))
}

// at returns the identity for registration with a manager. If own is set, the manager runs in this process, and all
// memberships are presented as its own, because its address may have changed.
func (i *identity) at(manager string, own bool) native.Identity {
	now := i.now
	now.Own = own
	if own {
		now.Memberships = slices.Clone(now.Memberships)
		for n := range now.Memberships {
			now.Memberships[n].Manager = manager
		}
	}
	return now
}

// keep stores an identity with changed memberships.
func (i *identity) keep(now native.Identity) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.save(now)
}

// save writes the file. The caller holds the lock.
func (i *identity) save(now native.Identity) error {
	i.made = false
	out := store.Identity{PrivateKey: hex.EncodeToString(now.Key.Seed())}
	for _, m := range now.Memberships {
		p := store.Place{
			Manager: m.Manager, LeagueID: m.LeagueID, Seal: m.Seal, ManagerKey: m.ManagerKey, ID: m.ID, Epoch: m.Epoch,
			Pending: m.Pending, Over: m.Over,
		}
		if i.role == protocol.RolePlayer && m.Token != "" {
			p.OwnerKey = protocol.OwnerKey(m.Token, m.LeagueID, m.ID)
		}
		out.Places = append(out.Places, p)
	}
	return i.file.Save(out)
}

// ForgetIdentity removes the identity file of an agent that will not return. A file in use is left to its user.
func (h *Env) ForgetIdentity(role protocol.Role, name, suffix string) error {
	file, _, err := h.OpenIdentity(h.League.FirstSeason(), role, name, suffix)
	if errors.As(err, new(*store.NamesakeError)) {
		return nil // its owner removes it at its end
	}
	if err != nil {
		return err
	}
	return errors.Join(file.Remove(), file.Close())
}

func (i *identity) close() { _ = i.file.Close() }
