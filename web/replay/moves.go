package replay

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"agentleague/protocol/grid"
)

// A Row is one exchange of a match: a move of each player, or of one of them.
type Row struct {
	Number int
	Moves  [2]*Cell // of player A and player B
}

// A Cell is a move in the list beside the board.
type Cell struct {
	Moved
	Board   int  // the position that it led to
	Mistake bool // it lost the match
}

// Short returns the move in the width of a list.
func (c Cell) Short() string { return strings.Replace(c.Words(), ", column ", ", col ", 1) }

// Rows lists the moves of a match in rows, as score sheets do. second is the id of player B; mistake is the turn, from
// 1, of the move that lost the match, or 0.
func Rows(all []Position, second string, mistake int) (rows []Row) {
	for at, p := range all {
		for _, m := range p.Moves {
			seat := 0
			if m.PlayerID == second {
				seat = 1
			}
			if n := len(rows); n == 0 || rows[n-1].Moves[seat] != nil || len(p.Moves) == 1 && seat == 0 && rows[n-1].Moves[1] != nil {
				rows = append(rows, Row{Number: n + 1})
			}
			rows[len(rows)-1].Moves[seat] = &Cell{Moved: m, Board: at, Mistake: mistake > 0 && p.Turn == mistake}
		}
	}
	return rows
}

// TwoViews reports whether the players saw different positions.
func TwoViews(all []Position) bool {
	return slices.ContainsFunc(all, func(p Position) bool { return len(p.Seen) > 1 })
}

// Story returns how a match was won, in a sentence: how the winner completed its line, and which move of the loser, of
// the turn mistake, allowed that. It returns "" if no line ended the match.
func Story(all []Position, winner, loser Name, mistake int) string {
	line := Line(all)
	if line == 0 || all[len(all)-1].Moves[0].words == "" {
		return ""
	}
	end := all[len(all)-1]
	story := winner.Title() + " completed " + inWords(line) + " in a row in " + end.Moves[0].words
	lost := moveOf(all, mistake)
	switch {
	case lost != nil && mistake == end.Turn-1 && lost.words == end.Moves[0].words:
		story += ", which " + loser.Title() + "'s move there had made possible"
	case lost != nil && mistake == end.Turn-1:
		story += ", which " + loser.Title() + " had left open"
	case lost != nil:
		story += "; " + loser.Title() + " was lost after its move " + strconv.Itoa((mistake+1)/2) + ", " + lost.words
	}
	return story + "."
}

// moveOf returns the only move of a turn, from 1; nil if there is none.
func moveOf(all []Position, turn int) *Moved {
	for _, p := range all {
		if turn > 0 && p.Turn == turn && len(p.Moves) == 1 {
			return &p.Moves[0]
		}
	}
	return nil
}

// Line returns the length of the line that ended the match; 0 if a line and a single move did not.
func Line(all []Position) int {
	if len(all) == 0 {
		return 0
	}
	end := all[len(all)-1]
	if len(end.Moves) != 1 || len(end.Seen) != 1 || len(end.Seen[0].Board.RowHeads) > 0 {
		return 0
	}
	return len(end.Seen[0].Board.Line)
}

// inWords returns a small number as a word.
func inWords(n int) string {
	if words := []string{"", "", "two", "three", "four", "five", "six"}; n < len(words) {
		return words[n]
	}
	return strconv.Itoa(n)
}

// worded describes each move by its place on the board, such as column 3, if the moves number such places.
func worded(all []Position) {
	var moves []json.RawMessage
	for _, p := range all {
		for _, m := range p.Moves {
			moves = append(moves, m.raw)
		}
	}
	if len(moves) == 0 || len(all[0].Seen) == 0 {
		return
	}
	b := all[0].Seen[0].Board
	where := b.Places(moves)
	if where == grid.Nowhere || len(b.RowHeads) > 0 {
		return
	}
	for _, p := range all {
		for i := range p.Moves {
			n, _ := strconv.Atoi(string(p.Moves[i].raw)) // Places parsed it
			if p.Moves[i].words = "column " + b.Column(n%b.Width); where == grid.AtCell {
				p.Moves[i].words = b.Place(n)
			}
		}
	}
}

// bothViews adds to each position the last view of the player that was not asked, if the players see different things.
func bothViews(all []Position, a, b Name) {
	if !slices.ContainsFunc(all, func(p Position) bool {
		return len(p.Seen) > 1 || len(p.Seen) == 1 && slices.Contains(p.Seen[0].Board.RowHeads, "you")
	}) {
		return
	}
	last := map[string]Sight{}
	for n := range all {
		p := &all[n]
		if p.End || len(p.Seen) == 1 && len(p.Seen[0].Players) != 1 {
			continue
		}
		for _, s := range p.Seen {
			last[s.Players[0]] = s
		}
		for _, id := range []string{a.ID, b.ID} {
			old, known := last[id]
			if known && !slices.ContainsFunc(p.Seen, func(s Sight) bool { return s.Players[0] == id }) {
				old.Earlier, old.Board.New = true, nil
				p.Seen = append(p.Seen, old)
			}
		}
		slices.SortStableFunc(p.Seen, func(x, y Sight) int { return strings.Compare(x.Players[0], y.Players[0]) })
		if a.ID > b.ID {
			slices.Reverse(p.Seen)
		}
	}
}
