package league

import (
	"encoding/json"
	"errors"
	"iter"
	"strings"
	"testing"

	"agentleague/engine"
	"agentleague/protocol"
)

// audited is the audit of a season's log, by rules that take any result.
func (s *season) audited() (*Audit, error) {
	return NewAudit(s.entries(), func(*protocol.MatchResultReport, string, string) error { return nil })
}

func (s *season) entries() iter.Seq2[engine.Entry, error] { return entries(s.log) }

func TestAWalkoverIsSound(t *testing.T) {
	s := begun(t, 1, 2, Created{})
	s.write(Withdrawn{ID: "P02"})
	a, err := s.audited()
	m := a.State.Matches["R1M1"]
	if err != nil || m.Outcome == nil || m.Outcome.Attempt != 0 || a.Provable(m) {
		t.Fatalf("got %+v, %v, want a match that was not played and proves nothing", m, err)
	}
	for _, f := range a.Findings { // the secret of these tests is none
		if f.Field != "draw_secret" {
			t.Errorf("found %+v", f)
		}
	}
	rec := a.State.RecordFromLog(m)
	if err := a.CheckRecord(m, &rec); err != nil {
		t.Errorf("the manager's own record: %v", err)
	}
}

func TestResultsOfStrangersAreNotProvable(t *testing.T) {
	for _, ours := range []bool{true, false} {
		s := newSeason(t, Created{})
		if ours {
			s.join(1, 2)
		} else {
			s.admitted(applicant(protocol.RoleReferee, "stranger"))
			s.join(0, 2)
		}
		s.write(StartWith(s.state, everybodyReached)...)
		s.write(OpenNext(s.state, "5ec7e7", s.state.At())...)
		if _, err := s.report("REF01", "R1M1", 1, protocol.ReportedResult{}); err != nil {
			t.Fatal(err)
		}
		a, err := s.audited()
		if err != nil {
			t.Fatal(err)
		}
		if got := a.Provable(a.State.Matches["R1M1"]); got != ours {
			t.Errorf("a referee of ours %v: provable %v", ours, got)
		}
		if a.Line["R1M1"] == 0 {
			t.Error("nobody knows where the result stands")
		}
		noRecord := false
		for _, f := range a.Findings {
			noRecord = noRecord || f.Field == "R1M1.record_sha256" && f.Line == a.Line["R1M1"]
		}
		if noRecord != ours {
			t.Errorf("a referee of ours %v: that it has no record is found: %v", ours, noRecord)
		}
	}
}

func TestALogThatContradictsItselfIsNamedByLine(t *testing.T) {
	s := begun(t, 1, 2, Created{})
	again, err := EncodeEvent(s.now, RoundOpened{7})
	if err != nil {
		t.Fatal(err)
	}
	data, _ := json.Marshal([]EncodedEvent{again})
	s.log = append(s.log, data)
	a, err := s.audited()
	var wrong *LogError
	if !errors.As(err, &wrong) || wrong.Line != len(s.log) || a.Lines != len(s.log) ||
		!strings.Contains(err.Error(), "round 7 was opened after round 1") {
		t.Errorf("got %v at line %d, want it named at line %d", err, a.Lines, len(s.log))
	}
}
