package manager_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"agentleague/engine/sim"
	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/rpc"
)

// Two leagues in one process: a message to the first that names the second reaches the second, unless its sender is a
// foreign agent of the first that uses the name by mistake.
func TestMessagesReachTheLeagueThatTheyName(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	disk := sim.New(1).Open(sim.Options{})
	leagues := map[string]manager.OtherLeague{}
	open := func(id string, elsewhere func(string) manager.OtherLeague) *manager.Manager {
		m, err := manager.Open(ctx, disk, manager.Options{
			LeagueID: id, AdminToken: "tok_admin", Window: time.Hour, Elsewhere: elsewhere,
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { stop(); m.Wait() })
		leagues[id] = m
		return m
	}
	second := open("second", nil)
	first := open("first", func(id string) manager.OtherLeague { return leagues[id] })
	send := func(to *manager.Manager, method string, params map[string]any) string {
		body, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "method": method, "params": params, "id": 1})
		var a struct {
			Result struct {
				LeagueID  string `json:"league_id"`
				AuthToken string `json:"auth_token"`
			}
			Error struct {
				ErrorCode string `json:"error_code"`
			}
		}
		_ = json.Unmarshal(to.Node.Answer(t.Context(), rpc.From{Addr: "127.0.0.1"}, body), &a)
		if a.Result.AuthToken != "" {
			return a.Result.LeagueID + " " + a.Result.AuthToken
		}
		return a.Result.LeagueID + a.Error.ErrorCode
	}
	token := map[string]string{}
	for _, id := range []string{"first", "second"} {
		var in string
		got := send(first, "register_referee", map[string]any{
			"league_id": id, "sender": "referee:REF01", "referee_meta": map[string]any{
				"display_name": "Judge", "contact_endpoint": "http://localhost:1/mcp",
			},
		})
		if _, err := fmt.Sscan(got, &in, new(string)); err != nil || in != id {
			t.Fatalf("a registration in %s: got %q", id, got)
		}
		token[id] = got[len(in)+1:]
	}
	fetch := func(league, token string) map[string]any {
		return map[string]any{"league_id": league, "sender": "referee:REF01", "auth_token": token}
	}
	for _, c := range []struct {
		what   string
		to     *manager.Manager
		method string
		params map[string]any
		want   string
	}{
		{"its own", first, "get_assigned_matches", fetch("first", token["first"]), "first"},
		{"the other's", first, "get_assigned_matches", fetch("second", token["second"]), "second"},
		{"its own, which names the other", first, "get_assigned_matches", fetch("second", token["first"]), "first"},
		{"nobody's", first, "get_assigned_matches", fetch("second", "tok_referee_REF01_x"), "E012"},
		{"a league that is not here", first, "pause_league", fetch("third", "tok_admin"), "E026"},
		{"an order", first, "pause_league", fetch("second", "tok_admin"), "second"},
		{"an order about nobody", first, "withdraw_player", map[string]any{
			"league_id": "second", "auth_token": "tok_admin", "player_id": "P77",
		}, "E005"},
		{"an order without the token", first, "resume_league", fetch("second", "tok_wrong"), "E012"},
		{"anybody's question", first, "get_league_status", fetch("second", ""), "second"},
		{"at the second, which knows of no other", second, "pause_league", fetch("first", "tok_admin"), "E026"},
	} {
		if got := send(c.to, c.method, c.params); got != c.want {
			t.Errorf("%s: got %q, want %q", c.what, got, c.want)
		}
	}
	for m, want := range map[*manager.Manager]bool{first: false, second: true} {
		m.Read(func(s *league.State) {
			if s.Paused != want {
				t.Errorf("%s: paused is %v", s.Created.LeagueID, s.Paused)
			}
		})
	}
}
