package web

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"agentleague/league"
	"agentleague/league/view"
	"agentleague/protocol/grid"
	"agentleague/web/board"
	"agentleague/web/replay"
)

// A Turn is a request for a move to a seat.
type Turn struct {
	ID       string
	MatchID  string
	Round    int
	Opponent string // its id
	Ask      string // the kind of move
	Options  []json.RawMessage
	Context  json.RawMessage // the seat's view, in the game's own JSON
	Deadline time.Time       // the end of the time for the move
	Refused  string          // the reason why the last move was refused
}

// A turnView is a request for a person's move.
type turnView struct {
	ID       string       `json:"turn"`
	MatchID  string       `json:"match_id"`
	Round    int          `json:"round_id"`
	Opponent NameView     `json:"opponent"`
	Played   []pastView   `json:"opponent_played"` // in finished matches, the newest first
	Score    [2]int       `json:"score"`           // points in the league: the person's, the opponent's
	Ask      string       `json:"move_type"`
	Options  []optionView `json:"options"`
	Board    *board.Board `json:"board,omitempty"`
	Mark     string       `json:"mark,omitempty"` // the person's mark on the board
	Deadline time.Time    `json:"deadline"`
	Left     float64      `json:"seconds_left"`
	Refused  string       `json:"refused,omitempty"`
	Facts    []board.Fact `json:"facts"` // the rest of the seat's view
}

// A pastView is a player's part in a finished match.
type pastView struct {
	MatchID string `json:"match_id"`
	Result  string `json:"result"` // for that player
	Moves   string `json:"moves"`
}

// Letter returns the letter of the match's outcome.
func (p pastView) Letter() string { return view.Letter(p.Result) }

// An optionView is a legal move.
type optionView struct {
	Move  string `json:"move"`  // as JSON
	Label string `json:"label"` // in a form for people
	Key   string `json:"key,omitempty"`
}

const (
	optionsMost = 400 // the limit of listed options; others can be typed
	keysMost    = 9   // the limit of options with a key
	pastMost    = 5   // finished matches of the opponent
)

// newTurnView converts a question to a form for people.
func newTurnView(s *league.State, own string, t Turn, now time.Time) turnView {
	v := turnView{
		ID: t.ID, MatchID: shown(t.MatchID), Round: t.Round, Opponent: nameOf(s, t.Opponent), Ask: shown(t.Ask),
		Played: pastOf(s, t.Opponent), Score: [2]int{s.TallyOf(own).Points, s.TallyOf(t.Opponent).Points},
		Options: []optionView{}, Facts: append([]board.Fact{}, board.Besides(t.Context)...),
		Deadline: t.Deadline.UTC(), Left: max(0, t.Deadline.Sub(now).Seconds()), Refused: shown(t.Refused),
	}
	for i, o := range t.Options[:min(len(t.Options), optionsMost)] {
		view := optionView{Move: string(o), Label: said(board.Plain(o), 60)}
		if len(t.Options) <= keysMost {
			view.Key = strconv.Itoa(i + 1)
		}
		v.Options = append(v.Options, view)
	}
	if b, ok := board.Read(t.Context); ok {
		b = b.Named(replay.RowNames(replay.Name{ID: own, Name: "you"}, v.Opponent.replay(), replay.Name{ID: own}))
		v.Board, v.Mark = &b, board.Mark(t.Context)
	}
	return v
}

// pastOf lists a player's last matches.
func pastOf(s *league.State, id string) []pastView {
	out := []pastView{}
	for _, m := range view.Finished(s, id, pastMost) {
		out = append(out, pastView{MatchID: m.ID, Result: m.Outcome.Result.For(id), Moves: movesOf(m.Outcome, id)})
	}
	return out
}

// asks describes the questions of the built-in games, with hints.
var asks = map[string]struct{ words, hint string }{
	"choose_parity": {"Will the number be even or odd?",
		"A number is drawn after both have chosen. Who chose right wins, if the other did not."},
	"place_mark": {"Place your mark", "Three in a row win."},
}

// Words returns the question, for people.
func (t turnView) Words() string { return cmp.Or(asks[t.Ask].words, view.Words(t.Ask)) }

// Hint returns the hint for a question; "": none.
func (t turnView) Hint() string { return asks[t.Ask].hint }

// Most returns the length of the countdown, in seconds.
func (t turnView) Most() float64 { return max(30, t.Left) }

// places returns the part of the board that the moves refer to.
func (t turnView) places() grid.Place {
	if t.Board == nil {
		return grid.Nowhere
	}
	var moves []json.RawMessage
	for _, o := range t.Options {
		moves = append(moves, json.RawMessage(o.Move))
	}
	return t.Board.Places(moves)
}

// OnBoard reports whether the moves are made on the board.
func (t turnView) OnBoard() bool { return t.places() != grid.Nowhere }

// Where explains how to move on the board.
func (t turnView) Where() string {
	switch {
	case t.places() == grid.AtColumn:
		return "Click a column, or press its number."
	case t.places() == grid.AtCell && len(t.Board.Cells) <= keysMost:
		return "Click a cell, or press its number: 1 is at the top on the left."
	case t.places() == grid.AtCell:
		return "Click a cell."
	}
	return ""
}

// Grid returns the board with its moves.
func (t turnView) Grid() board.Grid {
	switch t.places() {
	case grid.AtCell:
		cells := t.moves(func(n int) string { return t.Board.Describe(n) }, len(t.Board.Cells))
		return t.Board.GridOf(cells, nil)
	case grid.AtColumn:
		columns := t.moves(func(n int) string { return "column " + t.Board.Column(n) }, t.Board.Width)
		for n, c := range columns {
			c.Key = ""
			if head := t.Board.Column(n); len(head) == 1 {
				c.Key = head
			}
			columns[n] = c
		}
		return t.Board.GridOf(nil, columns)
	}
	return t.Board.Grid()
}

// moves returns the options by the number of their cell or column; of is the number of these.
func (t turnView) moves(label func(n int) string, of int) map[int]board.Cell {
	out := map[int]board.Cell{}
	for _, o := range t.Options {
		n, _ := strconv.Atoi(o.Move) // places has checked that it is a number
		c := board.Cell{Option: o.Move, Label: label(n)}
		if of <= keysMost {
			c.Key = strconv.Itoa(n + 1)
		}
		out[n] = c
	}
	return out
}

// A groupView has the options with the same first word.
type groupView struct {
	Name    string
	Options []optionView
}

// groupsFrom is the number of options from which they are grouped and searchable.
const groupsFrom = 13

// Many reports whether the options are too many for a simple list.
func (t turnView) Many() bool { return len(t.Options) >= groupsFrom }

// Groups groups the options by the text before a colon, in their order; few options are one group.
func (t turnView) Groups() (out []groupView) {
	for _, o := range t.Options {
		name, rest, ok := strings.Cut(o.Label, ":")
		if rest = strings.TrimSpace(rest); !t.Many() || !ok || rest == "" {
			name, rest = "", o.Label
		}
		i := slices.IndexFunc(out, func(g groupView) bool { return g.Name == name })
		if i < 0 {
			i = len(out)
			out = append(out, groupView{Name: name})
		}
		o.Label = strings.ReplaceAll(rest, "_", " ")
		out[i].Options = append(out[i].Options, o)
	}
	return out
}
