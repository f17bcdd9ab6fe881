package connectfour

import (
	"errors"
	"fmt"
	"math/bits"
	"strconv"

	"agentleague/game"
)

// The size of the board.
const (
	columns = 7
	rows    = 6
	cells   = columns * rows
)

// A board has a bit set of cells for each seat. A column takes seven bits, the
// lowest cell first. The seventh bit stays empty, so that shifts never carry a line
// from the top of one column into the next.
//
//	6 13 20 …   (empty)
//	5 12 19 …   top
//	…
//	0  7 14 …   bottom
type board [2]uint64

// stride is the distance in bits between neighbors in a row.
const stride = rows + 1

// bit is the cell at a height in a column.
func bit(column, height int) uint64 { return 1 << (column*stride + height) }

// discs is how many discs have been dropped.
func (b board) discs() int { return bits.OnesCount64(b[0] | b[1]) }

// next returns the seat to move while the match continues.
func (b board) next() game.Seat { return game.Seat(b.discs() % 2) }

// height returns the number of discs in a column.
func (b board) height(column int) int {
	return bits.OnesCount64((b[0] | b[1]) >> (column * stride) & (1<<rows - 1))
}

// open returns the columns with room, in order.
func (b board) open() []int {
	free := make([]int, 0, columns)
	for column := range columns {
		if (b[0]|b[1])&bit(column, rows-1) == 0 {
			free = append(free, column)
		}
	}
	return free
}

// drop puts a disc of a seat into a column with room.
func (b *board) drop(seat game.Seat, column int) { b[seat] |= bit(column, b.height(column)) }

// over reports whether the match is over, by four in a row or a full board.
func (b board) over() bool { return four(b[0]) || four(b[1]) || b.discs() == cells }

// directions are the distances in bits between neighbors: up, across, and on both diagonals.
var directions = [...]int{1, stride, stride - 1, stride + 1}

// four reports whether a set of cells has four in a row.
func four(set uint64) bool {
	for _, d := range directions {
		pairs := set & (set >> d)
		if pairs&(pairs>>(2*d)) != 0 {
			return true
		}
	}
	return false
}

// line returns the cells of four in a row in a set, numbered row by row from the top as the board is
// shown; nil if there are none.
func line(set uint64) []int {
	for _, d := range directions {
		fours := set & (set >> d) & (set >> (2 * d)) & (set >> (3 * d))
		if fours == 0 {
			continue
		}
		var out []int
		for at, n := bits.TrailingZeros64(fours), 0; n < 4; at, n = at+d, n+1 {
			out = append(out, (rows-1-at%stride)*columns+at/stride)
		}
		return out
	}
	return nil
}

// headings are the numbers of the columns.
func headings() []string {
	names := make([]string, columns)
	for column := range names {
		names[column] = strconv.Itoa(column)
	}
	return names
}

// shown returns the board as rows of marks, the top first.
func (b board) shown() [][]string {
	out := make([][]string, rows)
	for row := range out {
		out[row] = make([]string, columns)
		for column := range columns {
			for seat := range game.Seat(2) {
				if b[seat]&bit(column, rows-1-row) != 0 {
					out[row][column] = game.Mark(seat)
				}
			}
		}
	}
	return out
}

// result returns the outcome of a match that ended with this board.
func (b board) result() game.Outcome {
	o := game.Outcome{
		Scores:  []int{0, 0},
		Reason:  "the board is full with no four in a row",
		Details: map[string]any{"board": b.shown(), "board_columns": headings(), "line": nil},
	}
	for seat := range b {
		if cells := line(b[seat]); cells != nil {
			o.Scores[seat] = 1
			o.Reason = fmt.Sprintf("{%d} has four %s in a row", seat, game.Mark(game.Seat(seat)))
			o.Details["line"] = cells
		}
	}
	return o
}

// boardOf parses a displayed board. It returns an error for an unreachable board.
func boardOf(marks [][]string) (b board, err error) {
	if len(marks) != rows {
		return b, fmt.Errorf("the board has %d rows, want %d", len(marks), rows)
	}
	for row, cells := range marks {
		if len(cells) != columns {
			return b, fmt.Errorf("row %d of the board has %d cells, want %d", row, len(cells), columns)
		}
		for column, mark := range cells {
			switch mark {
			case game.Mark(0):
				b[0] |= bit(column, rows-1-row)
			case game.Mark(1):
				b[1] |= bit(column, rows-1-row)
			case "":
			default:
				return b, fmt.Errorf("row %d of the board has %.16q, want X, O or nothing", row, mark)
			}
		}
	}
	return b, b.check()
}

// check returns an error unless a match can lead to this board: no disc floats, the seats have alternated, and no disc
// was dropped after four in a row.
func (b board) check() error {
	for column := range columns {
		if stack := (b[0] | b[1]) >> (column * stride) & (1<<stride - 1); stack&(stack+1) != 0 {
			return fmt.Errorf("a disc in column %d hangs in the air", column)
		}
	}
	x, o := bits.OnesCount64(b[0]), bits.OnesCount64(b[1])
	switch {
	case x != o && x != o+1:
		return fmt.Errorf("%d X and %d O are on the board: the players move in turn", x, o)
	case four(b[0]) && (four(b[1]) || x == o), four(b[1]) && x != o:
		return errors.New("somebody moved after the end of the match")
	}
	return nil
}
