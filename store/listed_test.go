package store

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentleague/config"
	"agentleague/league"
	"agentleague/protocol"
)

func TestAgentsOfALeagueAreAddedToTheListOfTheRoot(t *testing.T) {
	t.Parallel()
	root, err := Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(root.Dir(), filepath.FromSlash(config.AgentsFile))
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(before), `"schema_version"`, `"note": "mine", "schema_version"`, 1)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	registered := func(role protocol.Role, id, name string) league.AgentView {
		return league.AgentView{Registered: league.Registered{Role: role, ID: id, Name: name, Endpoint: "http://localhost:8105/mcp"}}
	}
	p := NewProjector(root)
	p.ListsAgents = true
	s := league.Snapshot{LeagueID: "spring", Agents: []league.AgentView{
		registered(protocol.RolePlayer, "P05", "Eve"), registered(protocol.RolePlayer, "P01", "Ada"), registered(protocol.RoleReferee, "REF02", "Judge"),
	}}
	if err := p.Project(s); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Note     string
		Players  []config.Player
		Referees []config.Referee
	}
	after, _ := os.ReadFile(path)
	if err := json.Unmarshal(after, &got); err != nil {
		t.Fatalf("%v: %s", err, after)
	}
	if len(got.Players) != 2 || got.Players[0].DisplayName != "Ada" || got.Players[1].PlayerID != "P05" || got.Note != "mine" ||
		len(got.Referees) != 2 || got.Referees[0].DisplayName != "Referee Alpha" || got.Referees[1].RefereeID != "REF02" {
		t.Errorf("got %s, want Ada in place of P01, P05 and REF02 added, and the rest as it was", after)
	}
}
