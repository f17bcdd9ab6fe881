package cli

import (
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"

	"agentleague/files"
	"agentleague/protocol"
	"agentleague/rpc"
)

// An identity is who an agent is, and the file in which that is kept.
type identity struct {
	file *files.IdentityFile
	now  rpc.Identity
	made bool // its key is new, and not in the file yet
}

// identity takes the file of an agent. One that shares a port with a crowd, and has an id to ask for, gives the lock back
// at once: it has that on its id, and a crowd has no files to spare.
func (h *house) identity(role protocol.Role, f agentFlags) (*identity, error) {
	file, was, err := h.OpenIdentity(h.league.LeagueID, role, f.name, f.suffix)
	if err != nil {
		return nil, err
	}
	if f.shared != nil && f.id != "" {
		_ = file.Close()
	}
	who := &identity{file: file, now: rpc.Identity{Manager: was.Manager, LeagueID: was.LeagueID, Seal: was.Seal, ID: was.ID, Token: was.Token}}
	if seed, err := hex.DecodeString(was.PrivateKey); err == nil && len(seed) == ed25519.SeedSize {
		who.now.Key = ed25519.NewKeyFromSeed(seed)
		return who, nil
	}
	_, who.now.Key, err = ed25519.GenerateKey(nil)
	who.made = true
	return who, err
}

// refused keeps the key of an agent whose registration came to nothing: with `league readmit` the organiser lets in who has
// that key, and that is the agent when it is started again.
func (i *identity) refused(err error) error {
	if err == nil || !i.made {
		return err
	}
	return errors.Join(err, i.keep(i.now))
}

// at is the identity as it is shown to a manager. One of this process is the one that gave the place, wherever it is now.
func (i *identity) at(manager string, own bool) rpc.Identity {
	now := i.now
	if own && now.Token != "" {
		now.Manager = manager
	}
	return now
}

// keep writes the place down that the agent is given.
func (i *identity) keep(now rpc.Identity) error {
	i.made = false
	return i.file.Save(files.Identity{
		PrivateKey: hex.EncodeToString(now.Key.Seed()), Manager: now.Manager, LeagueID: now.LeagueID, Seal: now.Seal, ID: now.ID, Token: now.Token,
	})
}

// forgetIdentity removes who an agent was that does not come back.
func (h *house) forgetIdentity(role protocol.Role, name, suffix string) error {
	file, _, err := h.OpenIdentity(h.league.LeagueID, role, name, suffix)
	if errors.As(err, new(*files.NamesakeError)) {
		return nil // who has it forgets it when it ends
	}
	if err != nil {
		return err
	}
	return errors.Join(file.Remove(), file.Close())
}

func (i *identity) close() { _ = i.file.Close() }

// joinKeyVariable is where an agent looks for the join key of its invitation.
const joinKeyVariable = "LEAGUE_JOIN_KEY"

// readJoinKey returns the join key of an invitation, or "". It is read from a file or the environment: a flag could be
// read by everybody on the machine.
func (f agentFlags) readJoinKey() (string, error) {
	if f.joinKeyFile == "" {
		return f.joinKey, nil
	}
	text, err := os.ReadFile(f.joinKeyFile)
	if err != nil {
		return "", fmt.Errorf("--join-key-file: %w", err)
	}
	key := strings.TrimSpace(string(text))
	if key == "" || strings.ContainsAny(key, " \t\r\n") {
		return "", errors.New("--join-key-file: " + f.joinKeyFile + ": want one key and nothing else")
	}
	return key, nil
}
