package host

import (
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"slices"
	"sync"

	"agentleague/protocol"
	"agentleague/rpc/native"
	"agentleague/store"
)

// An identity is the stored identity of an agent, and its file.
type identity struct {
	file *store.IdentityFile
	role protocol.Role
	now  native.Identity

	mu   sync.Mutex // a manager may still be welcoming the agent when its run ends
	made bool       // its key is new, and not in the file yet
}

// identity locks the file of an agent, which is one for all its seasons. An agent that shares a port, and has an id
// to request, releases the lock at once: the lock on its id is enough, and a large group would run out of open files.
func (h *Env) identity(role protocol.Role, f Agent) (*identity, error) {
	file, was, err := h.OpenIdentity(h.League.FirstSeason(), role, f.Name, f.Suffix)
	if err != nil {
		return nil, err
	}
	if f.Shared != nil && f.ID != "" {
		_ = file.Close()
	}
	who := &identity{file: file, role: role}
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

// refused keeps the key of an agent whose registration failed: `league readmit` admits the owner of that key, which
// is the agent after its next start.
func (i *identity) refused(err error) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if err == nil || !i.made {
		return err
	}
	return errors.Join(err, i.save(i.now))
}

// at is the identity in the form shown to a manager. A manager in this process assigned its places, at any address.
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

// keep writes the places down that the agent is given.
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

// ForgetIdentity removes the identity of an agent that does not come back.
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
