package league

import (
	"fmt"
	"testing"

	"agentleague/protocol"
)

// What a player is told of its matches adds up to its row of the table.
func TestAPlayersMatchesAreThoseOfTheTable(t *testing.T) {
	t.Parallel()
	s := fullState(t)
	played := 0
	for _, row := range s.Standings() {
		matches := MatchesOf(s, row.PlayerID, 0)
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
		if newest := MatchesOf(s, row.PlayerID, 1); len(matches) > 0 && (len(newest) != 1 || newest[0].MatchID != matches[len(matches)-1].MatchID) {
			t.Errorf("%s: the newest is %+v", row.PlayerID, newest)
		}
	}
	if played != 2*s.Recorded || played == 0 {
		t.Errorf("%d of twice %d results were told", played, s.Recorded)
	}
}
