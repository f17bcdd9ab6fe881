package manager_test

import (
	"strings"
	"testing"
	"time"

	"agentleague/league/manager"
	"agentleague/protocol"
	"agentleague/rpc/rpctest"
)

// TestLateRefereeIsShownToTheOrganizer has a foreign referee register repeatedly in a running league: it is refused,
// and one warning names it. Only the admin sees its address.
func TestLateRefereeIsShownToTheOrganizer(t *testing.T) {
	inWorld(t, 54, rpctest.Faults{}, manager.Options{StartPlayers: 4, Pace: time.Hour}, func(w *world) {
		w.bootAll(1, 4)
		w.await(time.Minute, "started", started)
		for range 5 {
			reply, err := w.call("referee:REF99", "", &protocol.RefereeRegisterRequest{
				Envelope: protocol.Envelope{MessageType: protocol.TypeRefereeRegisterRequest, ConversationID: "conv-late"},
				Meta:     named("Impartial", "http://localhost:8077/mcp"),
			})
			if err != nil || reply.(*protocol.RefereeRegisterResponse).Status != protocol.Rejected {
				t.Fatalf("a stranger that asks to judge gets %+v, %v", reply, err)
			}
		}
		const text = "a referee at http://localhost:8077/mcp, called Impartial, asked to judge after the start and was " +
			"refused: guest referees can join only before the league starts"
		if n := w.count(text); n != 1 {
			t.Errorf("it was logged %d times, want once", n)
		}
		var s protocol.LeagueStatus
		w.data(protocol.TypeLeagueQuery, "admin", adminToken, protocol.QueryStatus, protocol.QueryParams{}, "status", &s)
		if len(s.Warnings) != 1 || s.Warnings[0].Text != text || s.Warnings[0].Count != 5 || s.Warnings[0].Address == "" {
			t.Errorf("the admin's status has %+v", s.Warnings)
		}
		if got := w.manager.Warnings(); len(got) != 1 || got[0] != s.Warnings[0] {
			t.Errorf("the page has %+v", got)
		}
		for _, kind := range []string{"", protocol.QueryStatus} {
			typ, sender, token := protocol.TypeGetLeagueStatus, "player:nobody", ""
			if kind != "" {
				typ, sender, token = protocol.TypeLeagueQuery, "player:P01", w.token("P01")
			}
			a, err := w.query(typ, sender, token, kind, protocol.QueryParams{})
			if err != nil || strings.Contains(string(a.Data), "warnings") {
				t.Errorf("%s is shown the warnings: %s, %v", sender, a.Data, err)
			}
		}
	})
}
