package league

import (
	"strings"
	"testing"
	"time"

	"agentleague/protocol"
)

// findings are those of an audit about a field.
func (a *Audit) about(field string) (out []string) {
	for _, f := range a.Findings {
		if f.Field == field {
			out = append(out, f.What+f.Got)
		}
	}
	return out
}

// createdWith is a season of a league that is created just so.
func createdWith(t *testing.T, created Created) *season {
	created.LeagueID, created.GameType, created.Scoring = "league", "even_odd", protocol.DefaultScoring
	if created.Schema == 0 {
		created.Schema, created.ManagerKey = Schema, protocol.AgreementPublic(managerKey)
	}
	s := &season{limits: roomy, secret: "5ec7e7", t: t, state: NewState(), now: time.Now(), kept: func(MatchAssigned) bool { return true }}
	s.write(created, Epoch{Holder: "a"})
	return s
}

func TestWhatNoManagerWritesIsADifference(t *testing.T) {
	t.Run("a tie-break that there is not", func(t *testing.T) {
		s := createdWith(t, Created{Tiebreakers: []string{"points", "alphabet"}})
		a, _ := s.audited()
		if got := a.about("tiebreakers"); len(got) != 1 || !strings.Contains(got[0], `unknown rule "alphabet"`) {
			t.Errorf("got %q", got)
		}
	})
	t.Run("a code that nobody knows", func(t *testing.T) {
		for code, known := range map[string]bool{"E001": true, protocol.Declined: true, "E777": false, "": false} {
			s := begun(t, 1, 2, Created{})
			r := protocol.ReportedResult{
				Details: protocol.ReportDetails{Status: protocol.TechnicalLoss, Forfeits: map[string]string{"P01": code}},
			}
			winner := "P02"
			r.Winner = &winner
			if _, err := s.report("REF01", "R1M1", 1, r); err != nil {
				t.Fatal(err)
			}
			a, err := s.audited()
			if got := a.about("R1M1.forfeits.P01"); err != nil || (len(got) == 0) != known {
				t.Errorf("%q: got %q, %v; want it known: %v", code, got, err, known)
			}
		}
	})
	t.Run("a name that no agent can have", func(t *testing.T) {
		s := newSeason(t, Created{})
		s.write(Registered{Role: protocol.RolePlayer, ID: "P01", Name: "Ada\x1b[2J", Endpoint: "http://localhost:8101/mcp"})
		a, _ := s.audited()
		if got := a.about("P01.name"); len(got) != 1 {
			t.Errorf("got %q", got)
		}
	})
	t.Run("a guest where guests may not judge", func(t *testing.T) {
		for _, may := range []bool{true, false} {
			s := createdWith(t, Created{Tiebreakers: Tiebreakers, GuestsMayJudge: may})
			s.write(Registered{Role: protocol.RoleReferee, ID: "REF01", Name: "Guest", Endpoint: "http://localhost:8001/mcp"})
			s.join(0, 2)
			s.write(StartWith(s.state, everybodyReached)...)
			s.write(RoundOpened{1}, MatchAssigned{"R1M1", "REF01", 1})
			a, err := s.audited()
			if got := a.about("R1M1.referee"); err != nil || (len(got) == 0) != may {
				t.Errorf("guests may judge %v: got %q, %v", may, got, err)
			}
		}
	})
}

// The key of an attempt that was struck is that of its time.
func TestAnAttemptThatWasStruckKeepsItsDraw(t *testing.T) {
	a := &Audit{voids: map[string][]int{"R1M1": {1, 3}}}
	for attempt, want := range map[int]string{1: "R1M1", 2: "R1M1#2", 3: "R1M1#2", 4: "R1M1#3"} {
		if got := a.nameOf(MatchAssigned{Match: "R1M1", Attempt: attempt}); got != want {
			t.Errorf("attempt %d: got %s, want %s", attempt, got, want)
		}
	}
}
