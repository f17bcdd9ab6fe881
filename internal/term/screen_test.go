package term

import (
	"fmt"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"

	"agentleague/protocol"
)

// TestAPictureFitsItsScreen: a line that wraps, or one too many, would stay when the next picture is drawn.
func TestAPictureFitsItsScreen(t *testing.T) {
	t.Parallel()
	var rows []protocol.Standing
	for n := range 200 {
		rows = append(rows, protocol.Standing{
			Rank: n + 1, PlayerID: protocol.AgentID(protocol.RolePlayer, n+1), Points: 597,
			DisplayName: fmt.Sprintf("Agent %d, whose name is as long as names may be, and wide: 世界", n),
			Played:      199, Wins: 190, Draws: 100, Losses: 9, TechnicalLosses: 3,
		})
	}
	for _, status := range []protocol.LeagueStatus{
		{CurrentRound: 199, TotalRounds: 199, MatchesCompleted: 19_900, TotalMatches: 19_900},
		{CurrentRound: 1, TotalRounds: 3, TotalMatches: 6, PauseReason: strings.Repeat("the disk is full ", 9)},
		{Players: 2, PlayersWanted: 6, RefereesWanted: 1, StartsByItself: true, Missing: strings.Repeat("somebody ", 20)},
	} {
		for _, size := range [][2]int{{60, 24}, {80, 24}, {50, 10}, {120, 40}, {400, 300}} {
			for _, n := range []int{0, 1, 4, 17, 18, 19, 200} {
				text := picture("league_2025_even_odd", status, rows[:n], size[0], size[1])
				lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
				if len(lines) >= size[1] {
					t.Errorf("%v, %d rows: %d lines", size, n, len(lines))
				}
				for _, line := range lines {
					if w := lipgloss.Width(line); w > size[0] {
						t.Errorf("%v, %d rows: %d columns in %q", size, n, w, line)
					}
				}
			}
		}
	}
}

// A large terminal shows all players; a small one shows how many are hidden.
func TestAPictureSaysWhatItLeavesOut(t *testing.T) {
	t.Parallel()
	rows := make([]protocol.Standing, 30)
	for i := range rows {
		rows[i] = protocol.Standing{Rank: i + 1, DisplayName: fmt.Sprint("Agent ", i+1)}
	}
	status := protocol.LeagueStatus{TotalRounds: 29}
	if text := picture("x", status, rows, 60, 24); !strings.Contains(text, "and 13 more") || !strings.Contains(text, "Agent 17 ") {
		t.Errorf("got %s", text)
	}
	if text := picture("x", status, rows, 60, 40); strings.Contains(text, "more") || !strings.Contains(text, "Agent 30 ") {
		t.Errorf("got %s", text)
	}
}
