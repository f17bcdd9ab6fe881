package cli

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentleague/protocol"
	"agentleague/server"
)

func TestConfiguredDialects(t *testing.T) {
	root := t.TempDir()
	file := filepath.Join(root, "config", "agents", "agents_config.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	options := func(agents string) (func(protocol.Role, string) string, error) {
		if err := os.WriteFile(file, []byte(agents), 0o644); err != nil {
			t.Fatal(err)
		}
		h, err := (&app{root: root, level: "info", err: io.Discard}).open("")
		if err != nil {
			t.Fatal(err)
		}
		o, err := server.ManagerOptions(h)
		return o.Dialect, err
	}
	dialect, err := options(`{"league_manager": {"endpoint": "http://localhost:8000/mcp"},
		"referees": [{"referee_id": "REF01", "endpoint": "http://localhost:8001/mcp", "dialect": "B"}],
		"players": [{"player_id": "P01", "dialect": "F GAME_OVER=-"}, {"player_id": "P02"}]}`)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		role protocol.Role
		id   string
		want string
	}{
		{protocol.RoleReferee, "REF01", "B"}, {protocol.RolePlayer, "P01", "F GAME_OVER=-"}, {protocol.RolePlayer, "P02", ""}, {protocol.RolePlayer, "REF01", ""},
	} {
		if got := dialect(c.role, c.id); got != c.want {
			t.Errorf("%s %s: got %q, want %q", c.role, c.id, got, c.want)
		}
	}
	if _, err = options(`{"league_manager": {"endpoint": "http://localhost:8000/mcp"}, "referees": [], "players": [{"player_id": "P01", "dialect": "Klingon"}]}`); err == nil ||
		!strings.Contains(err.Error(), `agents_config.json:1: players[0].dialect: want a dialect`) {
		t.Errorf("a dialect that nobody speaks: got %v", err)
	}
}
