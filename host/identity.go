package host

import (
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"sync"

	"agentleague/files"
	"agentleague/protocol"
	"agentleague/rpc"
)

// An identity is who an agent is, and the file in which that is kept.
type identity struct {
	file *files.IdentityFile
	now  rpc.Identity

	mu   sync.Mutex // a manager may still be welcoming the agent when its run ends
	made bool       // its key is new, and not in the file yet
}

// identity takes the file of an agent, which is one for all its seasons. One that shares a port with a crowd, and has
// an id to ask for, gives the lock back at once: it has that on its id, and a crowd has no files to spare.
func (h *Env) identity(role protocol.Role, f Agent) (*identity, error) {
	file, was, err := h.OpenIdentity(h.League.FirstSeason(), role, f.Name, f.Suffix)
	if err != nil {
		return nil, err
	}
	if f.Shared != nil && f.ID != "" {
		_ = file.Close()
	}
	who := &identity{
		file: file, now: rpc.Identity{
			Manager: was.Manager, LeagueID: was.LeagueID, Seal: was.Seal, ID: was.ID, Token: was.Token,
		},
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

// refused keeps the key of an agent whose registration came to nothing: with `league readmit` the organiser lets in who
// has that key, and that is the agent when it is started again.
func (i *identity) refused(err error) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if err == nil || !i.made {
		return err
	}
	return errors.Join(err, i.save(i.now))
}

// at is the identity as it is shown to a manager. One of this process is the one that gave the place, wherever it is
// now.
func (i *identity) at(manager string, own bool) rpc.Identity {
	now := i.now
	if own && now.Token != "" {
		now.Manager = manager
	}
	return now
}

// keep writes the place down that the agent is given.
func (i *identity) keep(now rpc.Identity) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.save(now)
}

// save writes the file. The caller holds the lock.
func (i *identity) save(now rpc.Identity) error {
	i.made = false
	return i.file.Save(files.Identity{
		PrivateKey: hex.EncodeToString(now.Key.Seed()), Manager: now.Manager, LeagueID: now.LeagueID, Seal: now.Seal,
		ID: now.ID, Token: now.Token,
	})
}

// ForgetIdentity removes who an agent was that does not come back.
func (h *Env) ForgetIdentity(role protocol.Role, name, suffix string) error {
	file, _, err := h.OpenIdentity(h.League.FirstSeason(), role, name, suffix)
	if errors.As(err, new(*files.NamesakeError)) {
		return nil // who has it forgets it when it ends
	}
	if err != nil {
		return err
	}
	return errors.Join(file.Remove(), file.Close())
}

func (i *identity) close() { _ = i.file.Close() }
