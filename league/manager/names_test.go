package manager_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/protocol"
	"agentleague/rpc/rpctest"
)

// renamed orders that an agent has another name.
func (w *world) renamed(sender, token, id, name string) error {
	_, err := w.call(sender, token, &protocol.RenameAgent{Envelope: protocol.Envelope{MessageType: protocol.TypeRenameAgent,
		ConversationID: "c"}, AgentID: id, DisplayName: name})
	return err
}

// merged orders that one agent is made of two.
func (w *world) merged(kept, gone string) error {
	_, err := w.call("admin", adminToken, &protocol.MergeAgents{Envelope: protocol.Envelope{
		MessageType: protocol.TypeMergeAgents, ConversationID: "c"}, KeptID: kept, GoneID: gone})
	return err
}

func TestAnAgentKeepsTheNameThatTheOrganizerGaveIt(t *testing.T) {
	inWorld(t, 51, rpctest.Faults{}, manager.Options{Window: -1}, func(w *world) {
		w.bootAll(1, 2)
		w.await(time.Minute, "all are there", func(s *league.State) bool { return len(s.Agents) == 3 })
		was := w.state().Agents["P01"].Name
		for _, c := range []struct{ id, name, want string }{
			{"P77", "Team Fox", "PLAYER_NOT_REGISTERED"},
			{"P01", "P02", "DUPLICATE_NAME"},
			{"P01", "admin", "DUPLICATE_NAME"},
			{"P01", strings.ToUpper(w.state().Agents["P02"].Name), "DUPLICATE_NAME"},
			{"P01", " \u200b ", "INVALID_MESSAGE"},
		} {
			if err := w.renamed("admin", adminToken, c.id, c.name); !strings.Contains(refusal(err), c.want) {
				t.Errorf("%s as %q: got %v, want %s", c.id, c.name, err, c.want)
			}
		}
		if err := w.renamed("player:P02", w.token("P02"), "P01", "Team Owl"); err == nil || w.state().Agents["P01"].Name != was {
			t.Errorf("a player renames another: %v", err)
		}
		for _, id := range []string{was, "P01"} { // the same order again is no other one
			if err := w.renamed("admin", adminToken, id, "Team Fox"); err != nil {
				t.Fatal(err)
			}
		}
		if got := given(w.state()); len(got) != 1 || !strings.HasPrefix(got[0], "rename P01 by admin via league.v2") {
			t.Errorf("the log has the orders %q", got)
		}
		w.crash("P01")
		w.bootPlayer(1)
		time.Sleep(10 * time.Second)
		if a := w.state().Agents["P01"]; a.Name != "Team Fox" || len(w.state().Agents) != 3 {
			t.Errorf("after it has registered again it is called %q", a.Name)
		}
		if err := w.manager.Orders.Start(w.ctx, "admin"); err != nil || !w.finish(10*time.Minute) {
			t.Fatal(err)
		}
		if err := w.renamed("admin", adminToken, "P02", "Team Owl"); !strings.Contains(refusal(err), "LEAGUE_ALREADY_COMPLETE") {
			t.Errorf("after the end: %v", err)
		}
		w.checkLaws()
	})
}

func TestMergedAgentIsWhereAProgramAnswers(t *testing.T) {
	for name, answers := range map[string]bool{"the first answers": true, "only the second answers": false} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, 52, rpctest.Faults{}, manager.Options{Window: -1}, func(w *world) {
				w.foreign = map[string]*foreigner{}
				w.bootAll(1, 1)
				w.await(time.Minute, "all are there", func(s *league.State) bool { return len(s.Agents) == 2 })
				pong := func(string, map[string]json.RawMessage) (int, string) {
					return 200, `{"jsonrpc":"2.0","id":1,"result":{}}`
				}
				twins := []*foreigner{w.settle("ONE", 9101, pong), w.settle("TWO", 9102, pong)}
				for _, f := range twins {
					f.register("register_player", "player_meta", "Twin")
				}
				time.Sleep(time.Second)
				if s := w.state(); s.Agents["P02"] == nil || s.Agents["P03"] == nil || s.Agents["P03"].Name != "Twin (2)" {
					t.Fatalf("the twins are %+v", s.Players())
				}
				for _, c := range [][2]string{{"P02", "P02"}, {"P01", "P02"}, {"P02", "P01"}, {"P02", "REF01"}, {"P02", "P77"}} {
					if err := w.merged(c[0], c[1]); err == nil {
						t.Errorf("%s and %s are merged", c[0], c[1])
					}
				}
				if !answers {
					twins[0].setAway(true)
					twins[0].process.Crash()
				}
				if err := w.merged("P02", "P03"); err != nil {
					t.Fatal(err)
				}
				s, at := w.state(), map[bool]string{true: twins[0].url, false: twins[1].url}[answers]
				if kept := s.Agents["P02"]; kept.Name != "Twin" || kept.Endpoint != at || s.Agents["P03"].Merged != "P02" || len(s.Players()) != 2 {
					t.Errorf("got %+v and %+v, want the first at %s", kept.Registered, s.Agents["P03"], at)
				}
				// the second program goes on with the id and the ticket that it was given
				told := string(twins[1].post("league_query", `{"protocol":"league.v2","message_type":"LEAGUE_QUERY","sender":"player:P03",`+
					`"timestamp":"2025-01-15T10:00:00Z","conversation_id":"c","auth_token":"`+twins[1].token+`","query_type":"GET_NEXT_MATCH","query_params":{}}`))
				if !strings.Contains(told, "LEAGUE_NOT_STARTED") { // and not that it is unknown
					t.Errorf("the second asks: %s", told)
				}
				if err := w.merged("P02", "P03"); !strings.Contains(refusal(err), "PLAYER_NOT_REGISTERED") {
					t.Errorf("merged twice: %v", err)
				}
				if got := given(s); len(got) != 1 || !strings.HasPrefix(got[0], "merge ") {
					t.Errorf("the log has the orders %q", got)
				}
			})
		})
	}
}
