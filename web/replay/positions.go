package replay

import (
	"cmp"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"agentleague/protocol"
	"agentleague/web/board"
)

// A Name is the id of a player and its display name, which may be empty.
type Name struct{ ID, Name string }

// Title returns the name, or the id.
func (n Name) Title() string { return cmp.Or(n.Name, n.ID) }

// Called replaces the ids of players in a sentence by their names.
func Called(text string, players ...Name) string {
	for _, p := range players {
		if p.Name != "" && p.ID != "" {
			text = regexp.MustCompile(`\b`+regexp.QuoteMeta(p.ID)+`\b`).ReplaceAllLiteralString(text, p.Name)
		}
	}
	return text
}

// A Message is a message of a match's record.
type Message struct {
	Type     protocol.Type
	From, To string
	Body     json.RawMessage
	AgentMS  float64 // in which a question was answered
}

// A Position is the state of a match between two moves, as its players saw it. For a finished match it includes
// information that was hidden from a player.
type Position struct {
	Turn  int     `json:"turn"`            // moves so far; simultaneous moves count once
	Moves []Moved `json:"moves,omitempty"` // that led to it
	End   bool    `json:"end,omitempty"`
	Seen  []Sight `json:"seen"`

	players [2]Name    // their names replace their ids in words
	clock   [2]float64 // milliseconds that each player has used
	used    map[string]float64
	marks   [2]string // of the players on the board
}

// Clock returns the milliseconds that each player has used up to the position.
func (p Position) Clock() [2]float64 { return p.clock }

// Marks returns the marks of the players on the board, such as X; "": unknown.
func (p Position) Marks() [2]string { return p.marks }

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
func (p Position) called(id string) string { return Called(id, p.players[:]...) }

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
	words := "as " + Called(strings.Join(s.Players, " and "), p.players[:]...) + " saw it"
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

// Positions lists the positions of a match between players a and b. at has for each message the newest position at that
// time, or -1.
func Positions(messages []Message, a, b Name) (out []Position, at []int) {
	read := reader{clock: map[string]float64{}, asked: map[string]float64{}, seats: map[string]int{b.ID: 1}, marks: map[string]string{}}
	for _, m := range messages {
		read.message(m)
		at = append(at, len(read.out)-1)
	}
	worded(read.out)
	bothViews(read.out, a, b)
	out = thinned(read.out, at)
	for n, p := range out {
		out[n].players, out[n].clock = [2]Name{a, b}, [2]float64{p.used[a.ID], p.used[b.ID]}
		out[n].marks = [2]string{read.marks[a.ID], read.marks[b.ID]}
		for i, s := range p.Seen {
			names := RowNames(a, b, seenBy(s, a, b))
			p.Seen[i].Board, p.Seen[i].Facts = s.Board.Named(names), board.Named(s.Facts, names)
		}
	}
	return out, at
}

// seenBy returns the only player with this view; zero if there are several.
func seenBy(s Sight, a, b Name) Name {
	switch {
	case len(s.Players) != 1:
		return Name{}
	case s.Players[0] == a.ID:
		return a
	}
	return b
}

// RowNames returns the names of the players by the headings of a board's rows. seat is the player that sees the board;
// zero for a spectator.
func RowNames(first, second, seat Name) map[string]string {
	names := map[string]string{"first": first.Title(), "second": second.Title()}
	switch seat.ID {
	case "":
	case second.ID:
		names["you"], names["opponent"] = second.Title(), first.Title()
	default:
		names["you"], names["opponent"] = first.Title(), second.Title()
	}
	return names
}
