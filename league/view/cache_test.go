package view

import (
	"testing"
	"time"

	"agentleague/league"
	"agentleague/protocol"
)

// A still league is a source in which only a test changes something.
type still struct {
	state *league.State
	seq   uint64
	at    time.Time
}

func (s *still) Read(f func(s *league.State)) { f(s.state) }
func (s *still) Sequence() uint64             { return s.seq }
func (s *still) Endpoint() string             { return "http://127.0.0.1:1/mcp" }
func (s *still) Missing() string              { return "" }
func (s *still) Starts() league.Start         { return league.Start{} }
func (s *still) WaitsFor() string             { return "" }
func (s *still) Resting() string              { return "" }
func (s *still) Draining() bool               { return false }

// write applies events.
func (s *still) write(t *testing.T, events ...league.Event) {
	t.Helper()
	for _, e := range events {
		if err := s.state.Apply(s.at, e); err != nil {
			t.Fatal(err)
		}
		s.seq++
	}
}

// begun is a league of three players whose first round is open.
func begun(t *testing.T) *still {
	t.Helper()
	s := &still{state: league.NewState(), at: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	s.write(t, league.Created{Schema: 1, LeagueID: "spring", GameType: "even_odd", Cycles: 1, Scoring: protocol.DefaultScoring,
		Tiebreakers: league.Tiebreakers}, league.Registered{Role: protocol.RoleReferee, ID: "REF01", Name: "Ref"})
	players := []string{"P01", "P02", "P03"}
	for _, id := range players {
		s.write(t, league.Registered{Role: protocol.RolePlayer, ID: id, Name: "Agent " + id})
	}
	s.write(t, league.Started{Players: players}, league.RoundOpened{Round: 1})
	return s
}

func same(id string) string { return id }

// The latest table is made once for each change, and only for changes that it shows.
func TestLatestTableFollowsTheLog(t *testing.T) {
	t.Parallel()
	s := begun(t)
	c := NewCache(s)
	m := s.state.InRound(1)[0]
	first := c.Latest(s.state)
	s.write(t, league.MatchAssigned{Match: m.ID, Referee: "REF01", Attempt: 1})
	if c.Latest(s.state) != first {
		t.Error("an assignment changed the table")
	}
	s.write(t, league.ResultRecorded{Match: m.ID, Referee: "REF01", Attempt: 1,
		Result: league.Result{Status: protocol.Win, Winner: m.B}})
	now := c.Latest(s.state)
	if now == first || now.Rows[0].PlayerID != m.B || now.Rows[0].Points != 3 || first.Rows[0].Points != 0 {
		t.Errorf("after a result the table is %+v, before it was %+v", now.Rows, first.Rows)
	}
	if c.Latest(s.state) != now {
		t.Error("the same table was made twice")
	}
	if c.Latest(s.state.Clone()) == now {
		t.Error("another state has the same table")
	}
}

// A recent view may lag behind the log, unless its reader has changed something.
func TestRecentViewIsPaced(t *testing.T) {
	t.Parallel()
	s := begun(t)
	c := NewCache(s)
	names := Names{League: same, Game: same}
	first := c.Recent(names)
	c.fresh = time.Now().Add(time.Hour)
	s.write(t, league.Paused{})
	if c.Recent(names) != first {
		t.Error("a view was made although one is recent")
	}
	c.Expire()
	if now := c.Recent(names); !now.Paused || first.Paused || now.Seq != s.seq {
		t.Errorf("after an order: paused %v at %d, before %v", now.Paused, now.Seq, first.Paused)
	}
}
