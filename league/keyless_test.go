package league

import (
	"testing"

	"agentleague/protocol"
)

// keyless is a registration as versions without keys wrote it.
func keyless(role protocol.Role, id string) Registered {
	return Registered{Role: role, ID: id, Name: "Agent " + id, Endpoint: "http://localhost:8101/mcp", MatchTokens: true,
		Conversation: "conv-" + id, Generation: 1}
}

// TestKeylessLogIsReadByItsOwnRules has agents that share an address in the log, referees without the organizer's mark,
// and a player that registers after the end.
func TestKeylessLogIsReadByItsOwnRules(t *testing.T) {
	s := createdWith(t, Created{Schema: 1, Tiebreakers: Tiebreakers})
	s.write(keyless(protocol.RoleReferee, "REF01"), keyless(protocol.RolePlayer, "P01"), keyless(protocol.RolePlayer, "P02"))
	s.write(Started{Players: []string{"P01", "P02"}}, RoundOpened{1}, MatchAssigned{"R1M1", "REF01", 1})
	s.write(ResultRecorded{Match: "R1M1", Attempt: 1, Referee: "REF01", Result: Result{Status: protocol.Draw},
		RecordSHA256: "hash"}, RoundClosed{1}, Completed{"secret"})
	s.write(keyless(protocol.RolePlayer, "P02"))
	a, err := s.audited()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range a.Findings {
		if f.Field != "draw_secret" && f.Field != "R1M1.draw_key" { // those of these tests are none
			t.Errorf("found %+v", f)
		}
	}
	m := a.State.Matches["R1M1"]
	if !a.Provable(m) || m.Proof != Judged || a.State.Snapshot().Rounds[0].Matches[0].Proof != "" {
		t.Errorf("provable %v, %s, documents state %q", a.Provable(m), m.Proof,
			a.State.Snapshot().Rounds[0].Matches[0].Proof)
	}
	for id, agent := range a.State.Agents {
		if agent.LostPlace() {
			t.Errorf("%s has lost a place that the log does not have", id)
		}
	}
	regulars := RegularsOf(a.State)
	ap := Application{Role: protocol.RolePlayer, Meta: protocol.AgentMeta{DisplayName: "Agent P01", PublicKey: "key"}}
	if regulars.reservesName(ap) {
		t.Error("an agent cannot come back with its first key")
	}
}

func TestKeylessMembersAreADifferenceWhereKeysAre(t *testing.T) {
	placed, organiser := keyless(protocol.RolePlayer, "P01"), keyless(protocol.RoleReferee, "REF01")
	placed.Place, organiser.Organiser = "localhost:8101/mcp", true
	current := Registered{Role: protocol.RolePlayer, ID: "P02", Name: "P02", Endpoint: "http://localhost:8102/mcp",
		Place: "localhost:8102/mcp"}
	for name, log := range map[string][]Event{
		"P01.match_tokens":   {placed},
		"REF01.match_tokens": {organiser},
		"P03.match_tokens":   {current, keyless(protocol.RolePlayer, "P03")},
	} {
		s := createdWith(t, Created{Schema: 1, Tiebreakers: Tiebreakers})
		s.write(log...)
		if a, err := s.audited(); err != nil || len(a.about(name)) != 1 {
			t.Errorf("%s: found %+v, %v", name, a.Findings, err)
		}
	}
}
