package replay

import (
	"encoding/json"
	"strings"

	"agentleague/league/view"
	"agentleague/protocol"
	"agentleague/web/board"
)

// The limits of a sheet of moves: exchanges, and characters of a cell.
const (
	stepsMost = 100
	cellMost  = 24
)

// Sheet returns the positions of a match without a board: a sheet with the moves of both players,
// empty and filled, and the number that was drawn, with its parity; "": none.
func Sheet(moves [2][]string, drawn, parity string, a, b Name) []Position {
	width := max(len(moves[0]), len(moves[1]))
	if width == 0 || width > stepsMost {
		return nil
	}
	full := board.Board{Cells: make([]string, 2*width), Width: 2, ColumnHeads: []string{a.Title(), b.Title()}}
	end := Position{Turn: width, End: true, players: [2]Name{a, b}}
	for i := range width {
		for seat, list := range moves {
			if i >= len(list) {
				continue
			}
			full.Cells[2*i+seat] = view.Clean(list[i], cellMost)
			end.Moves = append(end.Moves, Moved{PlayerID: []string{a.ID, b.ID}[seat], Move: view.Clean(list[i], moveMost)})
			if parity == list[i] {
				full.Line = append(full.Line, 2*i+seat)
			}
		}
	}
	empty := full
	empty.Cells, empty.Line = make([]string, 2*width), nil
	end.Seen = []Sight{{Board: full}}
	if drawn != "" {
		end.Seen[0].Facts = []board.Fact{{Name: "drawn", Value: strings.TrimSpace(drawn + " " + parity)}}
	}
	return []Position{{players: end.players, Seen: []Sight{{Board: empty}}}, end}
}

// Retraced returns the positions of a match from a spectator's views, before each turn and at the end; nil if they have
// no board.
func Retraced(views []json.RawMessage, moves []protocol.PlayedMove, a, b Name) (out []Position) {
	names := RowNames(a, b, Name{})
	for turn, context := range views {
		sight, ok := sightOf(context)
		if !ok {
			return nil
		}
		p := Position{Turn: turn, End: turn == len(views)-1, players: [2]Name{a, b}}
		for _, m := range moves {
			if m.Turn == turn-1 {
				p.Moves = append(p.Moves, Moved{PlayerID: m.PlayerID, Move: view.Clean(board.Plain(m.Move), moveMost), raw: m.Move})
			}
		}
		sight.Board, sight.Facts = sight.Board.Named(names), board.Named(sight.Facts, names)
		if turn > 0 {
			sight.Board = sight.Board.Since([]board.Board{out[turn-1].Seen[0].Board})
		}
		p.Seen = []Sight{sight}
		out = append(out, p)
	}
	worded(out)
	return out
}

// Frames encodes the changes of the cells from each position to the next as JSON: lists of [cell, text, class], the
// first of the whole board. It returns "" if the positions are not of one board.
func Frames(all []Position) string {
	var out [][][3]any
	before := map[int]string{}
	for _, p := range all {
		if len(p.Seen) == 0 || len(p.Seen[0].Board.Cells) != len(all[0].Seen[0].Board.Cells) || p.Seen[0].Board.RowHeads != nil {
			return ""
		}
		frame := [][3]any{}
		for _, row := range p.Seen[0].Board.Grid().Rows {
			for _, c := range row.Cells {
				if look := c.Text + "|" + c.Class; before[c.Number] != look {
					before[c.Number] = look
					frame = append(frame, [3]any{c.Number, c.Text, c.Class})
				}
			}
		}
		out = append(out, frame)
	}
	text, _ := json.Marshal(out) // encoding cannot fail
	return string(text)
}
