package manager_test

import (
	"encoding/json"
	"net/netip"
	"strings"
	"testing"
	"time"

	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/league/registration"
	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/rpctest"
)

// parrot is a third-party player that answers with its own words.
func parrot(method string, _ map[string]json.RawMessage) (int, string) {
	switch method {
	case "receive_game_invitation":
		return 200, `{"jsonrpc":"2.0","id":1,"result":{"accept":true}}`
	case "receive_parity_call":
		return 200, `{"jsonrpc":"2.0","id":1,"result":{"choice":"even"}}`
	case "receive_game_over", "receive_round_announcement":
		return 200, `{"jsonrpc":"2.0","id":1,"result":{"status":"ok"}}`
	}
	return 200, notFound
}

func TestEnlistedAgentsPlayAlthoughTheyNeverRegistered(t *testing.T) {
	o := manager.Options{StartPlayers: 3, StartReferees: 1}
	inWorld(t, 41, rpctest.Faults{}, o, func(w *world) {
		w.foreign = map[string]*foreigner{}
		w.bootManager()
		var judge *foreigner
		judge = w.settle("JUDGE", 9001, func(method string, params map[string]json.RawMessage) (int, string) {
			if method != "run_match" {
				return 200, notFound
			}
			match := strings.Trim(string(params["match_id"]), `"`)
			var a struct{ ID string }
			_ = json.Unmarshal(params["player_A"], &a)
			go func() { // it has no token to show
				if judge.process.Sleep(judge.process.Context(), "play "+match, 5*time.Second) == nil {
					judge.post("match_result_report", `{"sender":"referee:REF01","match_id":"`+match+
						`","result":{"winner":"`+a.ID+`"}}`)
				}
			}()
			return 200, `{"jsonrpc":"2.0","id":1,"result":{"status":"started"}}`
		})
		w.settle("ONE", 9101, parrot)
		w.settle("TWO", 9102, parrot)
		for _, c := range []struct {
			role           protocol.Role
			port, name, id string
		}{
			{protocol.RoleReferee, "9001", "", "REF01"}, {protocol.RolePlayer, "9101", "Parrot", "P01"},
			{protocol.RolePlayer, "9102", " \x1b[2J ", "P02"}, {protocol.RolePlayer, "9101", "", "P01"},
		} {
			got, err := w.manager.Registrar.Enlist(w.ctx, registration.Recruit{Role: c.role,
				Endpoint: "http://localhost:" + c.port + "/mcp", Name: c.name, By: "admin via page"})
			if err != nil || got.ID != c.id {
				t.Fatalf("%+v: got %q, %v", c, got.ID, err)
			}
		}
		w.bootPlayer(3)
		if !w.finish(20 * time.Minute) {
			return
		}
		s := w.state()
		if s.Recorded != 3 || len(s.Players()) != 3 {
			t.Errorf("%d results of %q", s.Recorded, s.Players())
		}
		for _, m := range s.Matches {
			if m.Outcome.Referee != "REF01" || m.Outcome.Result.Status == protocol.TechnicalLoss || m.Outcome.Attempt != 1 {
				t.Errorf("%s: got %+v", m.ID, m.Outcome)
			}
		}
		if a, b := s.Agents["P01"], s.Agents["P02"]; a.Name != "Parrot" || a.By != "admin via page" || b.Name != "[2J" ||
			a.Issued != 1 || s.Agents["P03"].By != "" {
			t.Errorf("got %+v and %+v", a, b)
		}
		if got := given(s); len(got) != 3 || got[0] != "enlisted REF01 by admin via page" {
			t.Errorf("orders: %q", got)
		}
	})
}

func TestEnlistedAgentIsRefusedAsOneThatRegistersIs(t *testing.T) {
	o := manager.Options{MaxPlayers: 2, Window: -1}
	o.Guard = rpc.Guard{Allow: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}}
	inWorld(t, 42, rpctest.Faults{}, o, func(w *world) {
		w.bootAll(1, 1)
		w.await(time.Minute, "both are there", func(s *league.State) bool { return len(s.Agents) == 2 })
		before := *w.state().Agents["P01"]
		for _, c := range []struct {
			role           protocol.Role
			endpoint, name string
			want           string
		}{
			{"captain", "http://localhost:9101/mcp", "X", "INVALID_MESSAGE role: want player or referee"},
			{protocol.RolePlayer, "localhost:9101", "X", "INVALID_MESSAGE endpoint: want a URL"},
			{protocol.RolePlayer, "file:///etc/passwd", "X", "INVALID_MESSAGE endpoint: want a URL"},
			{protocol.RolePlayer, "", "", "INVALID_MESSAGE endpoint: want a URL"},
			{protocol.RolePlayer, "http://10.1.2.3:9101/mcp", "X", "ENDPOINT_NOT_ALLOWED contact_endpoint"},
			{protocol.RolePlayer, "http://localhost:9101/mcp", before.Name,
				`DUPLICATE_NAME the name "` + before.Name + `" belongs to P01`},
			{protocol.RolePlayer, "http://localhost:9101/mcp", "X", ""},
			{protocol.RolePlayer, "http://localhost:9102/mcp", "Y", "LEAGUE_FULL the league is full"},
			{protocol.RolePlayer, before.Endpoint, "Z", ""}, // it is there already, by itself
		} {
			enlisted, err := w.manager.Registrar.Enlist(w.ctx, registration.Recruit{Role: c.role, Endpoint: c.endpoint,
				Name: c.name, By: "admin"})
			id := enlisted.ID
			switch e := protocol.AsError(err); {
			case c.want == "" && (err != nil || id == ""):
				t.Errorf("%+v: got %q, %v", c, id, err)
			case c.want != "" && (err == nil || !strings.HasPrefix(e.Kind.Name+" "+e.Detail, c.want)):
				t.Errorf("%+v: got %v", c, err)
			}
		}
		if now := *w.state().Agents["P01"]; now.Name != before.Name || !now.Native() || now.By != "" {
			t.Errorf("one that had registered itself is now %+v", now)
		}
		if _, err := w.call("player:P01", w.token("P01"), &protocol.EnlistAgent{
			Envelope: protocol.Envelope{MessageType: protocol.TypeEnlistAgent, ConversationID: "c"}, Role: protocol.RolePlayer,
			Endpoint: "http://localhost:9102/mcp",
		}); refusal(err) != "AUTH_TOKEN_INVALID 6001" {
			t.Errorf("a player enlists another: got %v", err)
		}
	})
}

// An agent that was enlisted and is unreachable is excluded, like one that registered and left.
func TestEnlistedAgentThatIsNotThereIsLeftOut(t *testing.T) {
	inWorld(t, 43, rpctest.Faults{}, manager.Options{StartAfter: time.Second, StartReferees: 1}, func(w *world) {
		w.bootAll(1, 2)
		w.await(time.Minute, "two are there", func(s *league.State) bool { return len(s.Agents) == 3 })
		if _, err := w.manager.Registrar.Enlist(w.ctx, registration.Recruit{Role: protocol.RolePlayer,
			Endpoint: "http://localhost:9109/mcp", Name: "Nobody", By: "admin"}); err != nil {
			t.Fatal(err)
		}
		if !w.finish(10 * time.Minute) {
			return
		}
		if s := w.state(); len(s.Players()) != 2 || s.Agents["P03"] == nil ||
			s.Agents["P03"].State != protocol.AgentSuspended {
			t.Errorf("%q play; P03 is %+v", s.Players(), s.Agents["P03"])
		}
		w.checkLaws()
	})
}
