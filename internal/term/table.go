package term

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/table"

	"agentleague/protocol"
)

// The styles of highlighted and of dimmed text.
var (
	Bold  = lipgloss.NewStyle().Bold(true)
	Faint = lipgloss.NewStyle().Faint(true)

	cell = lipgloss.NewStyle().Padding(0, 1)
)

// Ranks are the texts for shared ranks, such as =3, by player id.
type Ranks map[string]string

func (r Ranks) of(row protocol.Standing) string {
	return cmp.Or(r[row.PlayerID], strconv.Itoa(row.Rank))
}

// PrintTable prints the table of a league, with lines and colour on a terminal and plain elsewhere.
func PrintTable(w io.Writer, rows []protocol.Standing, shared Ranks) {
	PrintRated(w, rows, shared, nil)
}

// PrintRated prints the table with the ratings of its rows, where there are any and room for them.
func PrintRated(w io.Writer, rows []protocol.Standing, shared Ranks, ratings []*protocol.Rating) {
	if Is(w) {
		width, _ := size(w)
		_, _ = lipgloss.Fprintln(w, drawn(rows, shared, ratings, width))
		return
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "RANK\tPLAYER\tNAME\tPLAYED\tWON\tDRAWN\tLOST\tPOINTS")
	if len(ratings) > 0 {
		fmt.Fprint(t, "\tRATING")
	}
	fmt.Fprintln(t)
	for i, r := range rows {
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%d\t%d\t%s\t%d", shared.of(r), Brief(r.PlayerID), Brief(r.DisplayName), r.Played, r.Wins,
			r.Draws, lost(r), r.Points)
		if len(ratings) > 0 {
			fmt.Fprint(t, "\t", rated(ratings, i))
		}
		fmt.Fprintln(t)
	}
	_ = t.Flush()
}

// rated is the rating of a row, "-" if it has none.
func rated(ratings []*protocol.Rating, row int) string {
	if row >= len(ratings) || ratings[row] == nil {
		return "-"
	}
	return ratings[row].String()
}

// roomy is the width from which on a table has all its columns and whole words above them.
const roomy = 80

// spacious is the minimum width of a terminal for a column with ratings.
const spacious = 100

// Table draws the table of a league with lines and colour, in at most width columns. Where there is little room it
// leaves out the ids, and cuts names.
func Table(rows []protocol.Standing, shared Ranks, width int) string {
	return drawn(rows, shared, nil, width)
}

// drawn draws the table with ratings before the points.
func drawn(rows []protocol.Standing, shared Ranks, ratings []*protocol.Rating, width int) string {
	heads, cells := wideHeads, wideCells
	if width < roomy {
		heads, cells = narrowHeads, narrowCells
	}
	figures := 5 // columns on the right
	if len(ratings) > 0 && width >= spacious {
		heads, figures = slices.Insert(slices.Clone(heads), len(heads)-1, "Rating"), 6
	}
	taken := 1 // by lines, padding, and the columns beside the name
	body := make([][]string, len(rows))
	for i, r := range rows {
		body[i] = append([]string{shared.of(r)}, cells(r)...)
		if figures == 6 {
			body[i] = slices.Insert(body[i], len(body[i])-1, rated(ratings, i))
		}
	}
	for col, head := range heads {
		widest := 0
		for _, row := range append(body, heads) {
			widest = max(widest, lipgloss.Width(row[col]))
		}
		if taken += 3; head != nameHead {
			taken += widest
		}
	}
	t := table.New().Headers(heads...).Border(lipgloss.RoundedBorder()).BorderStyle(Faint).
		StyleFunc(func(row, col int) lipgloss.Style {
			s := cell
			if col == 0 || col >= len(heads)-figures {
				s = s.Align(lipgloss.Right)
			}
			if row == table.HeaderRow || col == len(heads)-1 {
				s = s.Bold(true)
			}
			return s
		})
	for _, row := range body {
		row[1] = fit(row[1], max(width-taken, lipgloss.Width(nameHead)))
		t.Row(row...)
	}
	return t.String()
}

// nameHead is the column that is cut where the terminal is too narrow.
const nameHead = "Player"

// The heads of the table, for terminals with room and without.
var (
	wideHeads   = []string{"#", nameHead, "", "Played", "Won", "Drawn", "Lost", "Points"}
	narrowHeads = []string{"#", nameHead, "P", "W", "D", "L", "Pts"}
)

// wideCells are a row for a terminal with room, without the rank.
func wideCells(r protocol.Standing) []string {
	return []string{Brief(r.DisplayName), Brief(r.PlayerID), fmt.Sprint(r.Played), fmt.Sprint(r.Wins),
		fmt.Sprint(r.Draws), lost(r), fmt.Sprint(r.Points)}
}

// narrowCells are the same row for a narrow one: without the id.
func narrowCells(r protocol.Standing) []string {
	return []string{Brief(r.DisplayName), fmt.Sprint(r.Played), fmt.Sprint(r.Wins), fmt.Sprint(r.Draws),
		fmt.Sprint(r.Losses), fmt.Sprint(r.Points)}
}

// lost describes how many of the losses were forfeits.
func lost(r protocol.Standing) string {
	if r.TechnicalLosses == 0 {
		return fmt.Sprint(r.Losses)
	}
	return fmt.Sprintf("%d (%s)", r.Losses, Count(r.TechnicalLosses, "forfeit"))
}

// bar draws how far a league is.
func bar(done, total, width int) string {
	if total == 0 {
		return strings.Repeat("░", width)
	}
	full := done * width / total
	return strings.Repeat("█", full) + strings.Repeat("░", width-full)
}
