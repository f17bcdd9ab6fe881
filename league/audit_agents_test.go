package league

import (
	"regexp"
	"testing"

	"agentleague/protocol"
)

// aboutAgents matches the fields in findings about agents that join, leave, judge or protest.
var aboutAgents = regexp.MustCompile(`^(id|players|P\d+|.*\.(name|state|key|contested|referee))$`)

// All that the decisions lead to is sound: silence, being put out and taken back, protests, and matches played again.
func TestHowAgentsComeAndGoIsSound(t *testing.T) {
	s := begun(t, 2, 4, Created{MaxForfeits: 3})
	play := func() {
		for _, m := range s.state.Open() {
			r := protocol.ReportedResult{}
			if m.A == "P04" || m.B == "P04" {
				winner := m.Opponent("P04")
				r.Winner = &winner
				r.Details.Status = protocol.TechnicalLoss
				r.Details.Forfeits = map[string]string{"P04": protocol.Timeout.Code}
			}
			if _, err := s.report(m.Attempt().Referee, m.ID, m.Attempt().Attempt, r); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.write(AgentState{"REF02", protocol.AgentSuspended, "it does not answer"})
	play()
	protest := Contested{Match: "R1M1", Attempt: 1, By: "player:P01", What: protocol.ProtestResult}
	s.write(Contest(s.state, protest)...)
	if again := Contest(s.state, protest); again != nil {
		t.Fatalf("the same protest once more: %v", again)
	}
	s.write(AgentState{"REF02", protocol.AgentActive, ""}, AgentState{"P04", protocol.AgentActive, ""})
	s.write(OpenNext(s.state, "5ec7e7", s.state.At())...)
	play()
	s.write(Annulled{Match: "R1M1", By: "admin"})
	play()
	s.write(OpenNext(s.state, "5ec7e7", s.state.At())...)
	play()
	if got := s.state.Agents["P04"].State; got == protocol.AgentShutdown || !s.state.Completed() {
		t.Fatalf("P04 is %s, the league over: %v; want one that came back in time", got, s.state.Completed())
	}
	s.sound(t)

	s = begun(t, 1, 4, Created{MaxForfeits: 1})
	play()
	s.write(Readmitted{ID: "P04", By: "admin"})
	s.write(OpenNext(s.state, "5ec7e7", s.state.At())...)
	play()
	if got := s.state.Agents["P04"].State; got != protocol.AgentShutdown {
		t.Fatalf("P04 is %s, want it out again", got)
	}
	s.sound(t)
}

// sound wants nothing to be found about agents.
func (s *season) sound(t *testing.T) {
	t.Helper()
	a, err := s.audited()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range a.Findings {
		if aboutAgents.MatchString(f.Field) {
			t.Errorf("found %+v", f)
		}
	}
}
