package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"agentleague/protocol"
	"agentleague/store"
)

var someone = store.Identity{
	PrivateKey: strings.Repeat("5a", 32),
	Places: []store.Place{
		{Manager: "http://localhost:8999/mcp", LeagueID: "K", Seal: "5ea0", ManagerKey: "4e0", ID: "P07", Epoch: 2, Over: true},
		{Manager: "http://localhost:8000/mcp", LeagueID: "L", Seal: "5ea1", ManagerKey: "4e1", ID: "P01", Epoch: 1, Pending: true,
			OwnerKey: "tok_owner_P01_x"},
	},
}

func TestIdentityIsThereAgain(t *testing.T) {
	root := open(t)
	f, was, err := root.OpenIdentity("L", protocol.RolePlayer, "Agent Alpha", "")
	if err != nil || was.Places != nil || was.PrivateKey != "" {
		t.Fatalf("a new agent is %+v, %v", was, err)
	}
	mustSucceed(t, f.Save(someone))
	path := filepath.Join(root.Dir(), "data/identities/L/player-agent-alpha.json")
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%s: %v, %v; want it to be its owner's alone", path, info, err)
	}
	_, _, err = root.OpenIdentity("L", protocol.RolePlayer, "Agent Alpha", "")
	if held := (*store.NamesakeError)(nil); !errors.As(err, &held) || !strings.Contains(err.Error(), `"Agent Alpha" is already running: P01`) {
		t.Errorf("a second one: %v, want that it runs already", err)
	}
	for _, other := range []struct {
		league, name, suffix string
		role                 protocol.Role
	}{
		{"L", "Agent Alpha", "", protocol.RoleReferee}, {"M", "Agent Alpha", "", protocol.RolePlayer},
		{"L", "Agent Beta", "", protocol.RolePlayer}, {"L", "Agent Alpha", "2", protocol.RolePlayer},
	} {
		g, _, err := root.OpenIdentity(other.league, other.role, other.name, other.suffix)
		if err != nil {
			t.Errorf("%+v: %v", other, err)
			continue
		}
		mustSucceed(t, g.Close())
	}
	mustSucceed(t, f.Close())
	f, was, err = root.OpenIdentity("L", protocol.RolePlayer, "Agent Alpha", "")
	if err != nil || !slices.Equal(was.Places, someone.Places) || was.PrivateKey != someone.PrivateKey ||
		was.DisplayName != "Agent Alpha" {
		t.Errorf("again: %+v, %v", was, err)
	}
	mustSucceed(t, f.Remove())
	mustSucceed(t, f.Close())
}

// Names that are written alike in a file's name are two agents.
func TestNamesThatLookAlikeAreTwo(t *testing.T) {
	root := open(t)
	seen := map[string]bool{}
	for n, name := range []string{
		"Agent A", "agent a", "agent-a", "דנה", "Дана", "..", strings.Repeat("x", 200), strings.Repeat("x", 201),
	} {
		f, was, err := root.OpenIdentity("L", protocol.RolePlayer, name, "")
		if err != nil || was.Places != nil {
			t.Fatalf("%q is %+v, %v; want somebody new", name, was, err)
		}
		one := someone
		id := protocol.AgentID(protocol.RolePlayer, n+1)
		one.Places = []store.Place{{LeagueID: "L", ID: id}}
		mustSucceed(t, f.Save(one))
		mustSucceed(t, f.Close())
		f, was, err = root.OpenIdentity("L", protocol.RolePlayer, name, "")
		if err != nil || !slices.Equal(was.Places, one.Places) || was.DisplayName != name || seen[id] {
			t.Fatalf("%q again is %+v, %v; want %s", name, was, err, id)
		}
		seen[id] = true
		mustSucceed(t, f.Close())
	}
}

func TestDamagedIdentityIsNotReplaced(t *testing.T) {
	root := open(t)
	folder := filepath.Join(root.Dir(), "data/identities/L")
	mustSucceed(t, os.MkdirAll(folder, 0o700))
	for _, text := range []string{"{", "{}", `{"display_name":"A","private_key":"xy"}`} {
		mustSucceed(t, os.WriteFile(filepath.Join(folder, "player-a.json"), []byte(text), 0o600))
		if _, _, err := root.OpenIdentity("L", protocol.RolePlayer, "A", ""); err == nil || !strings.Contains(err.Error(),
			"player-a.json") {
			t.Errorf("%s: got %v, want an error that names the file", text, err)
		}
	}
	mustSucceed(t, os.Remove(filepath.Join(folder, "player-a.json")))
	f, _, err := root.OpenIdentity("L", protocol.RolePlayer, "A", "")
	mustSucceed(t, err) // the lock was given back each time
	mustSucceed(t, f.Close())
}
