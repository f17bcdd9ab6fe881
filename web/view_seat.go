package web

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"agentleague/league"
	"agentleague/protocol"
)

// A Seat is a place in a league that a person plays from.
type Seat interface {
	Key() string  // the secret that names the seat to its owner
	ID() string   // of the player
	Name() string // of the player
	// Wait waits until something has changed after a change, or ctx ends, and returns the seat as it is.
	Wait(ctx context.Context, after uint64) SeatNow
	Play(turn string, move json.RawMessage) error // an error is for the person who plays
	// Leave lets the seat's fallback play on until its owner comes back. Gone says that nobody can.
	Leave(ctx context.Context) (gone bool, err error)
}

// A SeatNow is a seat at one moment.
type SeatNow struct {
	Seq   uint64     // of the newest change
	Turns []Turn     // that wait for a move, those that are due first come first
	News  []SeatNews // the newest last
}

// A Turn is a move that a seat is asked for.
type Turn struct {
	ID       string
	MatchID  string
	Round    int
	Opponent string // its id
	Ask      string // the kind of move
	Options  []json.RawMessage
	Context  json.RawMessage // what the seat sees, in the game's own JSON
	Deadline time.Time       // until when the move counts
	Refused  string          // why the move before was not taken
}

// A SeatNews is something that happened to a seat.
type SeatNews struct {
	Seq     uint64 `json:"seq"`
	Text    string `json:"text"` // a sentence
	MatchID string `json:"match_id,omitempty"`
	Result  string `json:"result,omitempty"` // of a match that is over
}

// A SeatView is a seat as the page of its owner shows it.
type SeatView struct {
	LeagueID string             `json:"league_id"`
	GameType string             `json:"game_type"`
	State    string             `json:"state"` // of the league
	Open     bool               `json:"registration_open"`
	Seated   bool               `json:"seated"`
	PlayerID string             `json:"player_id,omitempty"`
	Name     string             `json:"display_name,omitempty"`
	Seq      uint64             `json:"seq"`
	Now      time.Time          `json:"now"`
	Turns    []TurnView         `json:"turns"`
	News     []SeatNews         `json:"news"` // the newest first
	Standing *protocol.Standing `json:"standing,omitempty"`
	Place    string             `json:"place,omitempty"` // the rank as people say it: 3, or =3 if it is shared
	Of       int                `json:"players"`
	Match    *FormView          `json:"match,omitempty"` // that is being played
	CanSit   bool               `json:"-"`
	Over     bool               `json:"-"`
}

// A TurnView is a move that a person is asked for.
type TurnView struct {
	ID       string       `json:"turn"`
	MatchID  string       `json:"match_id"`
	Round    int          `json:"round_id"`
	Opponent NameView     `json:"opponent"`
	Ask      string       `json:"move_type"`
	Options  []OptionView `json:"options"`
	Board    *Board       `json:"board,omitempty"`
	Mark     string       `json:"mark,omitempty"` // what the person plays on the board
	Deadline time.Time    `json:"deadline"`
	Left     float64      `json:"seconds_left"`
	Refused  string       `json:"refused,omitempty"`
	Facts    []Fact       `json:"facts"` // what else the seat sees
}

// An OptionView is a move that may be played.
type OptionView struct {
	Move  string `json:"move"`  // as JSON
	Label string `json:"label"` // as a person reads it
	Key   string `json:"key,omitempty"`
}

// Title is that of the page.
func (SeatView) Title() string { return "Play" }

// optionsMost is how many moves are offered; the rest can be written.
const optionsMost = 400

// turnView makes a question that a person can answer.
func turnView(s *league.State, t Turn, now time.Time) TurnView {
	v := TurnView{
		ID: t.ID, MatchID: shown(t.MatchID), Round: t.Round, Opponent: nameOf(s, t.Opponent), Ask: shown(t.Ask),
		Options: []OptionView{}, Facts: append([]Fact{}, factsOf(t.Context, shownElsewhere)...),
		Deadline: t.Deadline.UTC(), Left: max(0, t.Deadline.Sub(now).Seconds()), Refused: shown(t.Refused),
	}
	for i, o := range t.Options[:min(len(t.Options), optionsMost)] {
		view := OptionView{Move: string(o), Label: said(plainValue(o), 60)}
		if i < 9 {
			view.Key = strconv.Itoa(i + 1)
		}
		v.Options = append(v.Options, view)
	}
	if b, ok := readBoard(t.Context); ok {
		v.Board = &b
		var mine struct {
			Mark string `json:"mark"`
		}
		_ = json.Unmarshal(t.Context, &mine) // a board without marks has none
		v.Mark = said(mine.Mark, 3)
	}
	return v
}

// asks are the questions of the games that come with the program, and what a person has to know to answer.
var asks = map[string]struct{ words, hint string }{
	"choose_parity": {"Will the number be even or odd?",
		"A number is drawn after both have chosen. Who chose right wins, if the other did not."},
	"place_mark": {"Place your mark", "Three in a row win."},
}

// Words is what is asked for, as a person reads it.
func (t TurnView) Words() string { return cmp.Or(asks[t.Ask].words, typeWords(t.Ask)) }

// Hint is what a person has to know to answer; "": nothing that is known here.
func (t TurnView) Hint() string { return asks[t.Ask].hint }

// Most is how many seconds the countdown is drawn for.
func (t TurnView) Most() float64 { return max(30, t.Left) }

// Cells are the cells of the board with the moves that mark them, if every move is a cell of it; else there are none.
func (t TurnView) Cells() (rows [][]Cell) {
	if t.Board == nil {
		return nil
	}
	cells := map[int]string{}
	for _, o := range t.Options {
		n, err := strconv.Atoi(o.Move)
		if err != nil || n < 0 || n >= len(t.Board.Cells) {
			return nil
		}
		cells[n] = o.Move
	}
	rows = t.Board.Rows()
	for _, row := range rows {
		for i := range row {
			row[i].Option = cells[row[i].Number]
			row[i].Label = row[i].words(t.Board.Width)
			row[i].Key = ""
			if len(t.Board.Cells) <= 9 {
				row[i].Key = strconv.Itoa(row[i].Number + 1)
			}
		}
	}
	return rows
}

// seatView shows a seat to its owner.
func seatView(st *league.State, seat Seat, at SeatNow, now time.Time) SeatView {
	v := SeatView{
		LeagueID: st.Created.LeagueID, GameType: st.Created.GameType, State: st.Phase(st.Ordered), Open: !st.Started(),
		Of:   len(st.Players()),
		Over: st.Completed(), Now: now.UTC(), Turns: []TurnView{}, News: []SeatNews{},
	}
	if seat == nil {
		return v
	}
	v.Seated, v.PlayerID, v.Name, v.Seq = true, seat.ID(), nameShown(seat.Name()), at.Seq
	for _, t := range at.Turns {
		v.Turns = append(v.Turns, turnView(st, t, now))
	}
	for _, n := range slices.Backward(at.News) {
		n.Text = said(n.Text, 300)
		v.News = append(v.News, n)
	}
	for _, row := range st.Standings() {
		if row.PlayerID == v.PlayerID {
			row.DisplayName = nameShown(row.DisplayName)
			v.Standing, v.Place = &row, league.RanksAfter(st, st.Round)[v.PlayerID].String()
		}
	}
	for _, m := range st.MatchesOf(v.PlayerID) {
		if m.Outcome == nil {
			v.Match = &FormView{MatchID: m.ID, Opponent: nameOf(st, m.Opponent(v.PlayerID))}
		}
	}
	return v
}

// Letter is how the match ended, in a letter; "" if the news is of something else.
func (n SeatNews) Letter() string { return endings[n.Result].letter }
