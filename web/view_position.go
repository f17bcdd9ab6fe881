package web

import (
	"cmp"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"agentleague/protocol"
	"agentleague/web/board"
)

// A Position is the state of a match between two moves, as its players saw it. For a finished match it includes
// information that was hidden from a player.
type Position struct {
	Turn  int     `json:"turn"`            // moves so far; simultaneous moves count once
	Moves []Moved `json:"moves,omitempty"` // that led to it
	End   bool    `json:"end,omitempty"`
	Seen  []Sight `json:"seen"`

	players [2]NameView // whose names replace their ids in words
	clock   [2]float64  // milliseconds that each player has used
	used    map[string]float64
	marks   [2]string // of the players on the board
}

// Clocks returns the time that each player has used up to the position; "" if it is unknown.
func (p Position) Clocks() (out [2]string) {
	for i, ms := range p.clock {
		if ms > 0 {
			out[i] = took(ms)
		}
	}
	return out
}

// Seat returns the seat of the only player with a view: a or b; "" if it is everyone's.
func (p Position) Seat(s Sight) string {
	switch {
	case len(p.Seen) < 2 || len(s.Players) != 1:
		return ""
	case s.Players[0] == p.players[0].ID:
		return "a"
	}
	return "b"
}

// called returns the display name of a player.
func (p Position) called(id string) string { return named(id, p.players[:]...) }

// Words returns the point in the match: after 3 moves, P02 played 4.
func (p Position) Words() string {
	words := "after " + strconv.Itoa(p.Turn) + " moves"
	switch {
	case p.End:
		words = "the end"
	case p.Turn == 0:
		words = "the start"
	case p.Turn == 1:
		words = "after 1 move"
	}
	for _, m := range p.Moves {
		words += ", " + p.called(m.PlayerID) + " played " + m.Words()
	}
	if len(p.Seen) == 1 && len(p.Seen[0].Players) == 1 {
		words += "; " + p.called(p.Seen[0].Players[0]) + " to move"
	}
	return words
}

// Whose returns a phrase such as "as P01 saw it" for a view that not all players have; "" for any other.
func (p Position) Whose(s Sight) string {
	if len(p.Seen) < 2 || len(s.Players) == 0 {
		return ""
	}
	words := "as " + named(strings.Join(s.Players, " and "), p.players[:]...) + " saw it"
	if s.Earlier {
		words += " last"
	}
	return words
}

// A Moved is a move of a player.
type Moved struct {
	PlayerID string  `json:"player_id"`
	Move     string  `json:"move"` // in a form for people
	TookMS   float64 `json:"took_ms,omitempty"`

	raw   json.RawMessage
	words string // its place on the board
}

// Words returns the move in a form for people: its place on the board, if it has one.
func (m Moved) Words() string { return cmp.Or(m.words, m.Move) }

// A Sight is a player's view of a position, or the same view of several.
type Sight struct {
	Players []string     `json:"players,omitempty"` // none: all
	Board   board.Board  `json:"board"`
	Facts   []board.Fact `json:"facts,omitempty"`   // further context
	Earlier bool         `json:"earlier,omitempty"` // its player was not asked in this position
}

// boardsMost limits the cells of all boards of a match; above it, some positions are left out.
const boardsMost = 20_000

// positions lists the positions of a match, and marks each line of its timeline with the newest position at that
// time.
func positions(lines []Line, a, b NameView) []Position {
	read := positionReader{clock: map[string]float64{}, asked: map[string]float64{}, seats: map[string]int{b.ID: 1}, marks: map[string]string{}}
	for i := range lines {
		read.line(lines[i])
		lines[i].Board = len(read.out) - 1
	}
	worded(read.out)
	bothViews(read.out, a, b)
	out := thinned(read.out, lines)
	for n, p := range out {
		out[n].players, out[n].clock = [2]NameView{a, b}, [2]float64{p.used[a.ID], p.used[b.ID]}
		out[n].marks = [2]string{read.marks[a.ID], read.marks[b.ID]}
		for i, s := range p.Seen {
			names := rowNames(a, b, seenBy(s, a, b))
			p.Seen[i].Board, p.Seen[i].Facts = s.Board.Named(names), board.Named(s.Facts, names)
		}
	}
	return out
}

// seenBy returns the only player with this view; zero if there are several.
func seenBy(s Sight, a, b NameView) NameView {
	switch {
	case len(s.Players) != 1:
		return NameView{}
	case s.Players[0] == a.ID:
		return a
	}
	return b
}

// rowNames returns the names of the players by the headings of a board's rows. Seat is the player that sees the board;
// zero for a spectator.
func rowNames(first, second, seat NameView) map[string]string {
	names := map[string]string{"first": first.title(), "second": second.title()}
	switch seat.ID {
	case "":
	case second.ID:
		names["you"], names["opponent"] = second.title(), first.title()
	default:
		names["you"], names["opponent"] = first.title(), second.title()
	}
	return names
}

// A positionReader collects the positions from the messages of a match.
type positionReader struct {
	out   []Position
	moves []Moved            // since the newest
	clock map[string]float64 // milliseconds that each player has used
	asked map[string]float64 // since its last move
	seats map[string]int     // of the players
	marks map[string]string  // of the players on the board
}

// toldIn holds the members of messages about a position or a move.
type toldIn struct {
	PlayerID string `json:"player_id"`
	Turn     int    `json:"turn"`
	Request  struct {
		Context json.RawMessage `json:"context"`
	} `json:"move_request"`
	Move struct {
		Choice json.RawMessage `json:"choice"`
	} `json:"move_data"`
	Result struct {
		Details json.RawMessage `json:"details"`
	} `json:"game_result"`
}

// line processes one message of the match's record: moves, players' views, and the end. Unreadable messages are
// skipped; a record of a foreign referee may contain anything.
func (r *positionReader) line(l Line) {
	var m toldIn
	_ = json.Unmarshal(l.Message, &m) // an unreadable message has no position
	switch protocol.Type(l.Type) {
	case protocol.TypeGameMoveResponse:
		r.moved(Moved{PlayerID: l.From, Move: said(board.Plain(m.Move.Choice), 60), TookMS: r.asked[l.From], raw: m.Move.Choice})
	case protocol.TypeGameMoveCall:
		if s, ok := sightOf(m.Request.Context); ok {
			s.Players = []string{l.To}
			r.marks[l.To] = board.Mark(m.Request.Context)
			r.see(Position{Turn: m.Turn}, s)
		}
	case protocol.TypeGameOver:
		if s, ok := sightOf(m.Result.Details); ok {
			r.see(Position{Turn: r.turns(), End: true}, s)
		}
	}
	if l.Try != nil && protocol.Type(l.Type) != protocol.TypeGameInvitation {
		r.clock[l.To] += l.Try.AgentMS
		r.asked[l.To] += l.Try.AgentMS
	}
}

// moved records an answer. After a rejected answer the next one counts.
func (r *positionReader) moved(m Moved) {
	r.moves = slices.DeleteFunc(r.moves, func(o Moved) bool { return o.PlayerID == m.PlayerID })
	r.moves = append(r.moves, m)
	delete(r.asked, m.PlayerID)
}

// turns returns the number of moves.
func (r *positionReader) turns() int {
	if len(r.out) == 0 {
		return 0
	}
	if n := r.out[len(r.out)-1]; n.End || len(r.moves) == 0 {
		return n.Turn
	}
	return r.out[len(r.out)-1].Turn + 1
}

// see adds a view, to the newest position if it belongs there.
func (r *positionReader) see(p Position, s Sight) {
	if n := len(r.out); n == 0 || r.out[n-1].Turn != p.Turn || r.out[n-1].End != p.End {
		slices.SortStableFunc(r.moves, func(a, b Moved) int { return cmp.Compare(r.seats[a.PlayerID], r.seats[b.PlayerID]) })
		p.Moves, r.moves, p.used = r.moves, nil, maps.Clone(r.clock)
		r.out = append(r.out, p)
	}
	now := &r.out[len(r.out)-1]
	s.Board = s.Board.Since(r.before(s))
	for i, other := range now.Seen {
		if other.Board.Same(s.Board) && reflect.DeepEqual(other.Facts, s.Facts) {
			if len(s.Players) == 1 && !slices.Contains(other.Players, s.Players[0]) {
				now.Seen[i].Players = append(other.Players, s.Players...)
			}
			return
		}
	}
	now.Seen = slices.DeleteFunc(now.Seen, func(o Sight) bool { return slices.Equal(o.Players, s.Players) })
	now.Seen = append(now.Seen, s)
}

// before returns the boards to compare a view with: those of the position before, and the last one that the same
// player saw.
func (r *positionReader) before(s Sight) (out []board.Board) {
	for i := len(r.out) - 2; i >= 0; i-- {
		mine := false
		for _, past := range r.out[i].Seen {
			if same := slices.Equal(past.Players, s.Players); same || i == len(r.out)-2 {
				mine = mine || same
				out = append(out, past.Board)
			}
		}
		if mine {
			break
		}
	}
	return out
}

// sightOf returns the view in a game's context, if it has a board.
func sightOf(context json.RawMessage) (Sight, bool) {
	b, ok := board.Read(context)
	if !ok {
		return Sight{}, false
	}
	return Sight{Board: b, Facts: board.Besides(context)}, true
}

// thinned drops positions until the rest can be shown, but never the first or the last.
func thinned(all []Position, lines []Line) []Position {
	cells := 0
	for _, p := range all {
		for _, s := range p.Seen {
			cells += len(s.Board.Cells)
		}
	}
	every := cells/boardsMost + 1
	if every == 1 {
		return all
	}
	var out []Position
	at := make([]int, len(all))
	var left []Moved // of the positions that were left out
	for i, p := range all {
		if left = append(left, p.Moves...); i%every == 0 || i == len(all)-1 {
			p.Moves, left = left, nil
			out = append(out, p)
		}
		at[i] = len(out) - 1
	}
	for i, l := range lines {
		if l.Board >= 0 {
			lines[i].Board = at[l.Board]
		}
	}
	return out
}
