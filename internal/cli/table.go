package cli

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/table"

	"agentleague/protocol"
)

var (
	bold  = lipgloss.NewStyle().Bold(true)
	faint = lipgloss.NewStyle().Faint(true)
	cell  = lipgloss.NewStyle().Padding(0, 1)
)

// standingsTable draws the table of a league.
func standingsTable(rows []protocol.Standing) string {
	t := table.New().Headers("#", "Player", "", "Played", "Won", "Drawn", "Lost", "Points").
		Border(lipgloss.RoundedBorder()).BorderStyle(faint).
		StyleFunc(func(row, col int) lipgloss.Style {
			s := cell
			if col == 0 || col > 2 {
				s = s.Align(lipgloss.Right)
			}
			if row == table.HeaderRow || col == 7 {
				s = s.Bold(true)
			}
			return s
		})
	for _, r := range rows {
		t.Row(fmt.Sprint(r.Rank), brief(r.DisplayName), brief(r.PlayerID), fmt.Sprint(r.Played), fmt.Sprint(r.Wins), fmt.Sprint(r.Draws), lost(r), fmt.Sprint(r.Points))
	}
	return t.String()
}

// lost tells how many of the losses were forfeits.
func lost(r protocol.Standing) string {
	if r.TechnicalLosses == 0 {
		return fmt.Sprint(r.Losses)
	}
	return fmt.Sprintf("%d (%d forfeits)", r.Losses, r.TechnicalLosses)
}

// bar draws how far a league is.
func bar(done, total, width int) string {
	if total == 0 {
		return strings.Repeat("░", width)
	}
	full := done * width / total
	return strings.Repeat("█", full) + strings.Repeat("░", width-full)
}
