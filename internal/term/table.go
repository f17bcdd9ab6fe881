package term

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/table"

	"agentleague/protocol"
)

// The styles of what stands out and of what stays behind.
var (
	Bold  = lipgloss.NewStyle().Bold(true)
	Faint = lipgloss.NewStyle().Faint(true)

	cell = lipgloss.NewStyle().Padding(0, 1)
)

// PrintTable prints the table of a league, with lines and colour on a terminal and plain elsewhere.
func PrintTable(w io.Writer, rows []protocol.Standing) {
	if Is(w) {
		_, _ = lipgloss.Fprintln(w, Table(rows))
		return
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "RANK\tPLAYER\tNAME\tPLAYED\tWON\tDRAWN\tLOST\tPOINTS")
	for _, r := range rows {
		fmt.Fprintf(t, "%d\t%s\t%s\t%d\t%d\t%d\t%s\t%d\n", r.Rank, Brief(r.PlayerID), Brief(r.DisplayName), r.Played, r.Wins,
			r.Draws, lost(r), r.Points)
	}
	_ = t.Flush()
}

// Table draws the table of a league with lines and colour.
func Table(rows []protocol.Standing) string {
	t := table.New().Headers("#", "Player", "", "Played", "Won", "Drawn", "Lost", "Points").
		Border(lipgloss.RoundedBorder()).BorderStyle(Faint).
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
		t.Row(fmt.Sprint(r.Rank), Brief(r.DisplayName), Brief(r.PlayerID), fmt.Sprint(r.Played), fmt.Sprint(r.Wins),
			fmt.Sprint(r.Draws), lost(r), fmt.Sprint(r.Points))
	}
	return t.String()
}

// lost tells how many of the losses were forfeits.
func lost(r protocol.Standing) string {
	if r.TechnicalLosses == 0 {
		return fmt.Sprint(r.Losses)
	}
	return fmt.Sprintf("%d (%s)", r.Losses, count(r.TechnicalLosses, "forfeit"))
}

// bar draws how far a league is.
func bar(done, total, width int) string {
	if total == 0 {
		return strings.Repeat("░", width)
	}
	full := done * width / total
	return strings.Repeat("█", full) + strings.Repeat("░", width-full)
}
