package web

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"agentleague/protocol"
	"agentleague/protocol/grid"
	"agentleague/web/board"
)

// A moveRow is one exchange of a match: a move of each player, or of one of them.
type moveRow struct {
	Number int
	Moves  [2]*moveCell // of player A and player B
}

// A moveCell is a move in the list beside the board.
type moveCell struct {
	Moved
	Board   int  // the position that it led to
	Mistake bool // it lost the match
}

// Took returns the player's time for the move; "" if it is unknown.
func (c moveCell) Took() string {
	if c.TookMS <= 0 {
		return ""
	}
	return took(c.TookMS)
}

// Short returns the move in the width of a list.
func (c moveCell) Short() string { return strings.Replace(c.Words(), ", column ", ", col ", 1) }

// Moves lists the moves of the match in rows, as score sheets do.
func (v MatchView) Moves() (rows []moveRow) {
	for at, p := range v.Positions {
		for _, m := range p.Moves {
			seat := 0
			if m.PlayerID == v.B.ID {
				seat = 1
			}
			if n := len(rows); n == 0 || rows[n-1].Moves[seat] != nil || len(p.Moves) == 1 && seat == 0 && rows[n-1].Moves[1] != nil {
				rows = append(rows, moveRow{Number: n + 1})
			}
			mistake := v.Mistake > 0 && p.Turn == v.Mistake
			rows[len(rows)-1].Moves[seat] = &moveCell{Moved: m, Board: at, Mistake: mistake}
		}
	}
	return rows
}

// TwoViews reports whether the players saw different positions, so that the page offers both perspectives.
func (v MatchView) TwoViews() bool {
	return slices.ContainsFunc(v.Positions, func(p Position) bool { return len(p.Seen) > 1 })
}

// Lost returns the losing move; nil if it is unknown.
func (v MatchView) lost() *Moved {
	for _, p := range v.Positions {
		if v.Mistake > 0 && p.Turn == v.Mistake && len(p.Moves) == 1 {
			return &p.Moves[0]
		}
	}
	return nil
}

// story returns the match in a sentence: how the winner completed its line, and which move of the loser allowed that.
// Otherwise it is the referee's reason.
func (v MatchView) story() string {
	winner, loser := v.A, v.B
	if v.B.Ending == protocol.Win {
		winner, loser = v.B, v.A
	}
	lost, last := v.lost(), len(v.Positions)-1
	if line := v.line(); line > 0 && winner.Ending == protocol.Win && v.Positions[last].Moves[0].words != "" {
		story := winner.title() + " completed " + inWords(line) + " in a row in " + v.Positions[last].Moves[0].words
		switch {
		case lost != nil && v.Mistake == v.Positions[last].Turn-1 && lost.words == v.Positions[last].Moves[0].words:
			return story + ", which " + loser.title() + "'s move there had made possible."
		case lost != nil && v.Mistake == v.Positions[last].Turn-1:
			return story + ", which " + loser.title() + " had left open."
		case lost != nil:
			return story + "; " + loser.title() + " was lost after its move " + strconv.Itoa((v.Mistake+1)/2) + ", " + lost.words + "."
		}
		return story + "."
	}
	reason := strings.TrimSuffix(v.Reason, ".")
	if reason == "" {
		return ""
	}
	return capital(reason) + "."
}

// line returns the length of the line that ended the match; 0 if a line and a single move did not.
func (v MatchView) line() int {
	if len(v.Positions) == 0 {
		return 0
	}
	end := v.Positions[len(v.Positions)-1]
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
func bothViews(all []Position, a, b NameView) {
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

// sheetOfMoves returns the positions of a match whose game reports no board: a sheet with the moves of both players,
// empty and filled, and the number that was drawn.
func (v *MatchView) sheetOfMoves(moves [2][]string, lines []Line) []Position {
	width := max(len(moves[0]), len(moves[1]))
	if width == 0 || width > stepsMost {
		return nil
	}
	full := board.Board{Cells: make([]string, 2*width), Width: 2, ColumnHeads: []string{v.A.title(), v.B.title()}}
	end := Position{Turn: width, End: true}
	for i := range width {
		for seat, list := range moves {
			if i >= len(list) {
				continue
			}
			move := list[i]
			full.Cells[2*i+seat] = said(move, 24)
			end.Moves = append(end.Moves, Moved{PlayerID: []string{v.A.ID, v.B.ID}[seat], Move: said(move, 60)})
			if v.Draw != nil && v.Draw.Parity == move {
				full.Line = append(full.Line, 2*i+seat)
			}
		}
	}
	empty := full
	empty.Cells, empty.Line = make([]string, 2*width), nil
	end.Seen = []Sight{{Board: full}}
	if v.Draw != nil && v.Draw.Number != nil {
		end.Seen[0].Facts = []board.Fact{{Name: "drawn", Value: strings.TrimSpace(strconv.Itoa(*v.Draw.Number) + " " + v.Draw.Parity)}}
	}
	end.players = [2]NameView{v.A.NameView, v.B.NameView}
	start := Position{players: end.players, Seen: []Sight{{Board: empty}}}
	for i, l := range lines {
		if lines[i].Board = 0; slices.ContainsFunc(lines[:i+1], func(l Line) bool { return l.Type == string(protocol.TypeGameOver) }) || l.To == managerLane {
			lines[i].Board = 1
		}
	}
	return []Position{start, end}
}

// stepsMost limits the exchanges of a sheet of moves.
const stepsMost = 100

// retraced sets the positions from a spectator's views, before each turn and at the end.
func (v *MatchView) retraced(views []json.RawMessage) {
	for turn, context := range views {
		sight, ok := sightOf(context)
		if !ok {
			v.Positions = nil
			return
		}
		p := Position{Turn: turn, End: turn == len(views)-1, players: [2]NameView{v.A.NameView, v.B.NameView}}
		for _, m := range v.moves {
			if m.Turn == turn-1 {
				p.Moves = append(p.Moves, Moved{PlayerID: m.PlayerID, Move: said(board.Plain(m.Move), 60), raw: m.Move})
			}
		}
		names := rowNames(v.A.NameView, v.B.NameView, NameView{})
		sight.Board, sight.Facts = sight.Board.Named(names), board.Named(sight.Facts, names)
		if turn > 0 {
			sight.Board = sight.Board.Since([]board.Board{v.Positions[turn-1].Seen[0].Board})
		}
		p.Seen = []Sight{sight}
		v.Positions = append(v.Positions, p)
	}
	worded(v.Positions)
}
