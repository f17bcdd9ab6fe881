package roster

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"agentleague/league"
	"agentleague/league/sheet"
	"agentleague/protocol"
)

// gradeHeads are the columns that a gradebook adds to those of the roster.
var gradeHeads = []string{"agent", "player_id", "present", "rounds", "rank", "points", "wins", "draws", "losses", "forfeits",
	"forfeit_causes"}

// A Threshold is a minimum of a column of the gradebook, which adds a column with yes or no.
type Threshold struct {
	Column string // present, points or wins
	Least  int
}

// Thresholds reads thresholds such as "points=6,present=5"; an empty text has none.
func Thresholds(text string) (out []Threshold, err error) {
	if text == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		column, least, _ := strings.Cut(strings.TrimSpace(part), "=")
		n, bad := strconv.Atoi(least)
		if bad != nil || !slices.Contains([]string{"present", "points", "wins"}, column) {
			return nil, fmt.Errorf("want a minimum of present, points or wins, such as points=6,present=5, got %q", text)
		}
		out = append(out, Threshold{column, n})
	}
	return out, nil
}

// heading returns the heading of the column with the answer.
func (t Threshold) heading() string { return fmt.Sprintf("%s_at_least_%d", t.Column, t.Least) }

// Gradebook writes the roster's columns unchanged and then those of the league, in the format of the file. Cells that a
// spreadsheet would run as a formula get a leading quote.
func (r Roster) Gradebook(out io.Writer, s *league.State, t *league.Table, pass []Threshold) error {
	rows := map[string]protocol.Standing{}
	for _, row := range t.Rows {
		rows[row.PlayerID] = row
	}
	r.Rows = r.orInvited(s)
	width := r.width()
	lines := [][]string{append(padded(r.headings(width), width), r.added(pass)...)}
	for _, row := range r.Rows {
		line := padded(row.Cells, width)
		if row.Name != "" {
			line = append(line, grades(s, rows, row, pass)...)
		}
		lines = append(lines, padded(line, width+len(gradeHeads)+len(pass)))
	}
	return r.write(out, lines)
}

// width returns the number of the roster's columns.
func (r Roster) width() int {
	most := len(r.Header)
	for _, row := range r.Rows {
		most = max(most, len(row.Cells))
	}
	return most
}

// padded returns a copy of a line with at least n cells.
func padded(line []string, n int) []string {
	return append(slices.Clone(line), make([]string, max(n-len(line), 0))...)
}

// headings returns the roster's own header. A file without one has the names in its first column.
func (r Roster) headings(width int) []string {
	if r.Header != nil || width == 0 {
		return r.Header
	}
	out := []string{"name"}
	for n := 2; n <= width; n++ {
		out = append(out, fmt.Sprintf("column_%d", n))
	}
	return out
}

// added returns the headings of the league's columns. One that the roster has too gets a prefix.
func (r Roster) added(pass []Threshold) (out []string) {
	heads := slices.Clone(gradeHeads)
	for _, one := range pass {
		heads = append(heads, one.heading())
	}
	for _, head := range heads {
		if slices.ContainsFunc(r.Header, func(own string) bool { return strings.EqualFold(strings.TrimSpace(own), head) }) {
			head = "league_" + head
		}
		out = append(out, head)
	}
	return out
}

// grades returns the league's cells of a student.
func grades(s *league.State, rows map[string]protocol.Standing, of Row, pass []Threshold) []string {
	id, called, rank := agentOf(s, of), "", ""
	row, present := rows[id], Attended(s, id)
	if a := s.Agents[id]; a != nil {
		called = a.Name
	}
	if row.Rank > 0 {
		rank = strconv.Itoa(row.Rank)
	}
	cells := []string{called, id, strconv.Itoa(present), strconv.Itoa(RoundsOver(s)), rank}
	for _, n := range []int{row.Points, row.Wins, row.Draws, row.Losses, forfeits(s, id)} {
		cells = append(cells, strconv.Itoa(n))
	}
	cells = append(cells, sheet.ForfeitReasons(s, id))
	counts := map[string]int{"present": present, "points": row.Points, "wins": row.Wins}
	for _, one := range pass {
		cells = append(cells, map[bool]string{true: "yes", false: "no"}[counts[one.Column] >= one.Least])
	}
	return cells
}

// forfeits counts the matches that a player lost by forfeit, also if they count no more because it left.
func forfeits(s *league.State, id string) (n int) {
	for _, m := range s.MatchesOf(id) {
		if forfeited(m, id) {
			n++
		}
	}
	return n
}

// write writes lines in the format of the roster's file.
func (r Roster) write(out io.Writer, lines [][]string) error {
	if r.format.mark {
		if _, err := io.WriteString(out, byteOrderMark); err != nil {
			return err
		}
	}
	w := csv.NewWriter(out)
	if w.UseCRLF = r.format.crlf; r.format.comma != 0 {
		w.Comma = r.format.comma
	}
	for _, line := range lines {
		for i := range line {
			line[i] = harmless(line[i])
		}
	}
	return w.WriteAll(lines)
}

// harmless returns a cell that no spreadsheet runs as a formula. Numbers with a sign stay as they are.
func harmless(cell string) string {
	if _, err := strconv.ParseFloat(strings.Replace(cell, ",", ".", 1), 64); err == nil {
		return cell
	}
	if strings.ContainsAny(cell[:min(len(cell), 1)], "\t\r\n") {
		return "'" + cell
	}
	return sheet.NoFormula(cell)
}
