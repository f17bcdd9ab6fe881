package manager

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"agentleague/league"
	"agentleague/protocol"
)

// A season is a league without a manager: events, their log, and the state that they lead to.
type season struct {
	t     testing.TB
	state *league.State
	log   [][]byte
	now   time.Time
}

// begun returns a season in its first round.
func begun(t testing.TB, referees, players int, created league.Created) *season {
	t.Helper()
	created.LeagueID, created.GameType, created.Schema = "league", "even_odd", 1
	created.Scoring, created.Tiebreakers = protocol.DefaultScoring, league.Tiebreakers
	s := &season{t: t, state: league.NewState(), now: time.Now()}
	s.write(created, league.Epoch{Holder: "a"})
	for n := range referees {
		s.register(protocol.RoleReferee, fmt.Sprintf("REF%02d", n+1), 8001+n)
	}
	for n := range players {
		s.register(protocol.RolePlayer, fmt.Sprintf("P%02d", n+1), 8101+n)
	}
	s.write(league.StartWith(s.state, func(string) string { return "" })...)
	s.write(league.OpenNext(s.state, "5ec7e7", s.state.At())...)
	return s
}

func (s *season) register(role protocol.Role, id string, port int) {
	s.t.Helper()
	s.write(league.Registered{
		Role: role, ID: id, Name: "agent " + id, Key: "key of " + id, Organiser: role == protocol.RoleReferee, Capacity: 1,
		Endpoint: fmt.Sprintf("http://localhost:%d/mcp", port), Place: fmt.Sprintf("localhost:%d/mcp", port), Generation: 1,
	})
}

// write appends events and their consequences to the log and applies them.
func (s *season) write(events ...league.Event) {
	s.t.Helper()
	s.now = s.now.Add(time.Second)
	var batch []league.EncodedEvent
	for len(events) > 0 {
		for _, e := range events {
			if err := s.state.Apply(s.now, e); err != nil {
				s.t.Fatalf("apply %#v: %v", e, err)
			}
			line, err := league.EncodeEvent(s.now, e)
			if err != nil {
				s.t.Fatal(err)
			}
			batch = append(batch, line)
		}
		events = league.Advance(s.state, func(league.MatchAssigned) bool { return true }, "5ec7e7")
	}
	data, err := json.Marshal(batch)
	if err != nil {
		s.t.Fatal(err)
	}
	s.log = append(s.log, data)
}

// report has a referee report a match.
func (s *season) report(referee, match string, attempt int, result protocol.ReportedResult) error {
	r := &protocol.MatchResultReport{Result: result, Attempt: attempt}
	r.MatchID = match
	events, err := league.RecordResult(s.state, referee, r, func(*league.Match) (string, error) { return "", nil })
	if len(events) > 0 {
		s.write(events...)
	}
	return err
}
