package league_test

import (
	"fmt"
	"testing"

	"agentleague/league"
	"agentleague/league/answers"
	"agentleague/protocol"
)

// The matches in a player's history add up to its row of the table.
func TestAPlayersMatchesAreThoseOfTheTable(t *testing.T) {
	t.Parallel()
	s := league.FullState(t)
	played := 0
	for _, row := range s.Standings() {
		matches := answers.HistoryOf(s, row.PlayerID, protocol.QueryParams{}).Matches
		points, lost := 0, 0
		for _, m := range matches {
			points += m.PointsEarned
			if m.Result == protocol.TechnicalLoss {
				lost++
			}
			if of := s.Matches[m.MatchID]; of == nil || of.Opponent(row.PlayerID) != m.OpponentID || int(m.RoundID) != of.Round {
				t.Errorf("%s: %+v is no match of its", row.PlayerID, m)
			}
		}
		stats := protocol.StatsOf(matches)
		got := fmt.Sprint(stats.TotalMatches, stats.Wins, stats.Draws, stats.Losses, lost, points)
		if want := fmt.Sprint(row.Played, row.Wins, row.Draws, row.Losses, row.TechnicalLosses, row.Points); got != want {
			t.Errorf("%s: played, won, drawn, lost, forfeited, points: %s, in the table %s", row.PlayerID, got, want)
		}
		played += len(matches)
		if newest := answers.HistoryOf(s, row.PlayerID, protocol.QueryParams{Limit: 1}).Matches; len(matches) > 0 && (len(newest) != 1 || newest[0].MatchID != matches[len(matches)-1].MatchID) {
			t.Errorf("%s: the newest is %+v", row.PlayerID, newest)
		}
	}
	if played != 2*s.Recorded || played == 0 {
		t.Errorf("%d of twice %d results were told", played, s.Recorded)
	}
}

// A long history is returned in pages, the newest matches first.
func TestAHistoryIsToldInParts(t *testing.T) {
	t.Parallel()
	s, id := league.NewState(), "P01"
	for round := range 4 { // the last is being played
		m := &league.Match{ID: protocol.MatchID(round+1, 1), Round: round + 1, A: id, B: "P02", Outcome: &league.ResultRecorded{}}
		if round == 3 {
			m.Outcome = nil
		}
		s.AddMatch(id, m)
	}
	whole := answers.HistoryOf(s, id, protocol.QueryParams{})
	if whole.Total != 3 || len(whole.Matches) != 3 {
		t.Fatalf("%d matches of %d, want 3: what is being played is not told", len(whole.Matches), whole.Total)
	}
	for offset := -1; offset <= whole.Total+1; offset++ {
		got := answers.HistoryOf(s, id, protocol.QueryParams{Offset: offset, Limit: 1})
		skipped := max(offset, 0)
		switch {
		case got.Total != whole.Total:
			t.Errorf("offset %d: %d in all, want %d", offset, got.Total, whole.Total)
		case skipped >= whole.Total && len(got.Matches) != 0:
			t.Errorf("offset %d: got %+v, want nothing", offset, got.Matches)
		case skipped < whole.Total && (len(got.Matches) != 1 || got.Matches[0].MatchID != whole.Matches[whole.Total-1-skipped].MatchID):
			t.Errorf("offset %d: got %+v", offset, got.Matches)
		}
	}
}

// The answer with a part of the table has the ranks of that part.
func TestTheTableIsToldWithItsRanks(t *testing.T) {
	t.Parallel()
	s := league.FullState(t)
	for _, p := range []protocol.QueryParams{{}, {Offset: 1, Limit: 2}} {
		all := s.Table()
		told := answers.TableOf(s, p, all)
		for i, row := range told.Standings {
			at, _ := all.Row(row.PlayerID)
			if want := all.Ranks[at].String(); len(told.Ranks) != len(told.Standings) || told.Ranks[i] != want {
				t.Errorf("%+v: %s has the rank %v, want %s", p, row.PlayerID, told.Ranks, want)
			}
		}
	}
}
