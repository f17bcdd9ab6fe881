package manager_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"agentleague/engine/sim"
	"agentleague/league/manager"
	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/rpctest"
)

// opened opens a league that passes all warnings to its admin.
func opened(t *testing.T, o rpc.Options) *manager.Manager {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	m, err := manager.Open(ctx, sim.New(1).Open(sim.Options{}), manager.Options{
		Options: o, AdminToken: "tok_admin", Window: time.Hour,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(); m.Wait() })
	return m
}

// asking sends a request from an address and returns the answer.
func asking(m *manager.Manager, addr, method string, params any) (a struct {
	Result struct {
		Status, Reason string
		PlayerID       *string `json:"player_id"`
		AuthToken      *string `json:"auth_token"`
		ErrorCode      string  `json:"error_code"`
		Data           struct{ Agents []protocol.AgentInfo }
	}
	Error struct {
		ErrorCode string `json:"error_code"`
	}
}) {
	body, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "method": method, "params": params, "id": 1})
	_ = json.Unmarshal(m.Node.Answer(context.Background(), rpc.From{Addr: addr}, body), &a)
	return a
}

func playerAt(name, endpoint string) map[string]any {
	return map[string]any{"player_meta": map[string]any{"display_name": name, "contact_endpoint": endpoint}}
}

func TestEndpointThatMayNotBeCalledIsRejected(t *testing.T) {
	m := opened(t, rpc.Options{Guard: rpc.Guard{Allow: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}}})
	for endpoint, says := range map[string]string{
		"http://198.51.100.7:8101/mcp":       "198.51.100.7 is not this machine and may not be called",
		"http://[2001:db8::7]:8101/mcp":      "2001:db8::7 is not this machine and may not be called",
		"http://169.254.169.254/latest":      "never called, whatever is allowed",
		"http://[::ffff:169.254.169.254]/":   "never called",
		"https://[fd00:ec2::254]/mcp":        "never called",
		"http://0.0.0.0:8101/mcp":            "never called",
		"http://user:secret@localhost:1/mcp": "user name",
	} {
		got := asking(m, "127.0.0.1", "register_player", playerAt("Far", endpoint)).Result
		if got.Status != "REJECTED" || got.ErrorCode != "E024" || got.PlayerID != nil || got.AuthToken != nil ||
			!strings.Contains(got.Reason, says) {
			t.Errorf("%s: got %+v, want a rejection that says %q", endpoint, got, says)
		}
	}
	for i, endpoint := range []string{"http://127.8.0.7:1/mcp", "http://localhost:1/mcp", "http://[::1]:1/mcp"} {
		if got := asking(m, "127.0.0.1", "register_player",
			playerAt(fmt.Sprint("Near ", i), endpoint)).Result; got.Status != "ACCEPTED" {
			t.Errorf("%s: got %+v, want it accepted", endpoint, got)
		}
	}
}

// A name is accepted, and its agent suspended when it turns out where it is.
func TestNameThatMayNotBeCalledIsSuspendedWithItsReason(t *testing.T) {
	m := opened(t, rpc.Options{Resolver: rpctest.Resolver(func() netip.Addr {
		return netip.MustParseAddr("169.254.169.254")
	})})
	if got := asking(m, "127.0.0.1", "register_player",
		playerAt("Sly", "http://player.example:8101/mcp")).Result; got.Status != "ACCEPTED" {
		t.Fatalf("got %+v", got)
	}
	var got []protocol.AgentInfo
	rpctest.Eventually(t, "the suspension", func() bool {
		got = asking(m, "127.0.0.1", "league_query", map[string]any{
			"sender": "admin", "auth_token": "tok_admin", "query_type": "GET_PLAYER_DIRECTORY",
		}).Result.Data.Agents
		return len(got) == 1 && got[0].State == protocol.AgentSuspended
	})
	if !strings.Contains(got[0].Why, "169.254.169.254 is never called") {
		t.Errorf("got %+v, want it suspended with the reason", got)
	}
}

func TestOneAgentCannotAskWithoutEnd(t *testing.T) {
	m := opened(t, rpc.Options{Limits: rpc.Limits{Agent: 10}})
	token := func(name string, port int) (string, map[string]any) {
		r := asking(m, "127.0.0.1", "register_player", playerAt(name, fmt.Sprintf("http://localhost:%d/mcp", port))).Result
		return *r.PlayerID, map[string]any{
			"sender": "player:" + *r.PlayerID, "auth_token": *r.AuthToken, "query_type": "GET_STANDINGS",
		}
	}
	_, greedy := token("Greedy", 1)
	_, modest := token("Modest", 2)
	count := func(params map[string]any, method string) (tooMany int) {
		for range 100 {
			if asking(m, "127.0.0.1", method, params).Error.ErrorCode == "E010" {
				tooMany++
			}
		}
		return tooMany
	}
	if got := count(greedy, "league_query"); got < 50 {
		t.Errorf("%d of 100 queries were too many, want most", got)
	}
	if got := asking(m, "127.0.0.1", "league_query", modest).Error.ErrorCode; got != "" {
		t.Errorf("another agent at the same address is told %s", got)
	}
	before := m.Status().Players
	if got := count(playerAt("Greedy", "http://localhost:1/mcp"), "register_player"); got != 0 ||
		m.Status().Players != before {
		t.Errorf("%d of 100 registrations of one that is in the league were too many, and there are %d players more", got,
			m.Status().Players-before)
	}
	if got := asking(m, "127.0.0.1", "register_player",
		playerAt("New", "http://localhost:3/mcp")).Result.Status; got != "ACCEPTED" {
		t.Errorf("a newcomer is told %s", got)
	}
}

// Thousands of our own agents on one machine are not rate-limited.
func TestLongManyAgentsOfOneMachineAreNotLimited(t *testing.T) {
	m := opened(t, rpc.Options{})
	for i := range 1000 {
		r := asking(m, "127.0.0.1", "register_player",
			playerAt(fmt.Sprint("Agent ", i), fmt.Sprintf("http://localhost:%d/mcp", 10_000+i)))
		if r.Result.Status != "ACCEPTED" {
			t.Fatalf("player %d: got %+v", i, r)
		}
		q := map[string]any{
			"sender": "player:" + *r.Result.PlayerID, "auth_token": *r.Result.AuthToken, "query_type": "GET_STATUS",
		}
		if got := asking(m, "127.0.0.1", "league_query", q).Error.ErrorCode; got != "" {
			t.Fatalf("player %d: its question is answered with %s", i, got)
		}
	}
}
