package grid

import (
	"strings"
	"unicode/utf8"
)

// textWidth is how wide the text of a board may be before it goes on below.
const textWidth = 76

// Text draws the board as plain text, for a terminal or a model: a line for each row, a dot for each empty cell, and
// the headings if there are any. A board that is too wide is continued below itself. It ends with a line break.
func (b Board) Text() string {
	head, widths := b.widths()
	gap := "  "
	if most(widths) == 1 {
		gap = " "
	}
	var out strings.Builder
	for from := 0; from < b.Width; {
		if from > 0 {
			out.WriteByte('\n')
		}
		to, room := from, textWidth-head
		for ; to < b.Width && (to == from || room >= widths[to]+len(gap)); to++ {
			room -= widths[to] + len(gap)
		}
		if b.ColumnHeads != nil {
			writeRow(&out, "", head, b.ColumnHeads[from:to], widths[from:to], gap)
		}
		for row := range b.Height() {
			title := ""
			if b.RowHeads != nil {
				title = b.RowHeads[row]
			}
			writeRow(&out, title, head, b.shownRow(row)[from:to], widths[from:to], gap)
		}
		from = to
	}
	return out.String()
}

// widths returns the width of the rows' headings and of each column.
func (b Board) widths() (head int, columns []int) {
	for _, title := range b.RowHeads {
		head = max(head, utf8.RuneCountInString(title))
	}
	columns = make([]int, b.Width)
	for i, title := range b.ColumnHeads {
		columns[i] = utf8.RuneCountInString(title)
	}
	for i, cell := range b.Cells {
		columns[i%b.Width] = max(columns[i%b.Width], utf8.RuneCountInString(cell), 1)
	}
	return head, columns
}

// shownRow returns a row with dots for empty cells.
func (b Board) shownRow(row int) []string {
	out := make([]string, b.Width)
	for i, cell := range b.Cells[row*b.Width : (row+1)*b.Width] {
		if out[i] = cell; cell == "" {
			out[i] = "."
		}
	}
	return out
}

// writeRow writes a line without spaces at its end.
func writeRow(out *strings.Builder, title string, head int, cells []string, widths []int, gap string) {
	var line strings.Builder
	if head > 0 {
		line.WriteString(padded(title, head) + "  ")
	}
	for i, cell := range cells {
		if i > 0 {
			line.WriteString(gap)
		}
		line.WriteString(padded(cell, widths[i]))
	}
	out.WriteString(strings.TrimRight(line.String(), " ") + "\n")
}

func padded(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text)))
}

// most returns the largest of some counts, 0 of none.
func most(of []int) (out int) {
	for _, n := range of {
		out = max(out, n)
	}
	return out
}
