package web

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"agentleague/league"
	"agentleague/league/view"
	"agentleague/protocol"
)

// A Seat is a place in a league that a person plays from.
type Seat interface {
	Key() string  // the secret that names the seat to its owner
	ID() string   // of the player
	Name() string // of the player
	// Wait waits for a change after the given one, or the end of ctx, and returns the state of the seat.
	Wait(ctx context.Context, after uint64) SeatNow
	Play(turn string, move json.RawMessage) error // an error is for the person who plays
	// Leave lets the seat's fallback play on until its owner returns. gone reports that the seat cannot be retaken.
	Leave(ctx context.Context) (gone bool, err error)
}

// A SeatNow is a seat at one moment.
type SeatNow struct {
	Seq   uint64     // of the newest change
	Turns []Turn     // that wait for a move, earliest deadline first
	News  []SeatNews // the newest last
}

// A SeatNews is an event for a seat.
type SeatNews struct {
	Seq     uint64 `json:"seq"`
	Text    string `json:"text"` // a sentence
	MatchID string `json:"match_id,omitempty"`
	Result  string `json:"result,omitempty"` // of a match that is over
}

// Title returns the page title.
func (seatView) Title() string { return "Play" }

// A seatView is the view of a seat's page, for its owner.
type seatView struct {
	LeagueID string             `json:"league_id"`
	GameType string             `json:"game_type"`
	State    string             `json:"state"` // of the league
	Open     bool               `json:"registration_open"`
	From     int                `json:"joins_in_round,omitempty"` // the first round of a person that takes a seat now, after the start
	Seated   bool               `json:"seated"`
	PlayerID string             `json:"player_id,omitempty"`
	Name     string             `json:"display_name,omitempty"`
	Seq      uint64             `json:"seq"`
	Now      time.Time          `json:"now"`
	Turns    []turnView         `json:"turns"`
	News     []SeatNews         `json:"news"` // the newest first
	Standing *protocol.Standing `json:"standing,omitempty"`
	Place    string             `json:"place,omitempty"` // the rank for display: 3, or =3 if it is shared
	Of       int                `json:"players"`
	Match    *FormView          `json:"match,omitempty"` // that is being played
	Live     *LiveView          `json:"live,omitempty"`  // the match, while others are to move
	Rules    string             `json:"rules,omitempty"` // of the game, in a paragraph
	Waiting  bool               `json:"-"`               // the league has not started
	Over     bool               `json:"-"`
}

// newSeatView returns the view of a seat for its owner. Open: a person may take one.
func newSeatView(st *league.State, t *league.Table, open bool, seat Seat, at SeatNow, now time.Time) seatView {
	v := seatView{
		LeagueID: st.Created.LeagueID, GameType: st.Created.GameType, State: st.Phase(st.Ordered), Open: open,
		Of:      len(st.Players()),
		Waiting: !st.Started(), Over: st.Completed(), Now: now.UTC(), Turns: []turnView{}, News: []SeatNews{},
	}
	if open && !v.Waiting {
		v.From = st.Round + 1
	}
	if seat == nil {
		return v
	}
	v.Seated, v.PlayerID, v.Name, v.Seq = true, seat.ID(), nameShown(seat.Name()), at.Seq
	for _, t := range at.Turns {
		v.Turns = append(v.Turns, newTurnView(st, v.PlayerID, t, now))
	}
	for _, n := range slices.Backward(at.News) {
		n.Text = said(n.Text, 300)
		v.News = append(v.News, n)
	}
	v.Standing, v.Place = rowOf(t, v.PlayerID)
	for _, m := range st.MatchesOf(v.PlayerID) {
		if m.Outcome == nil {
			v.Match = &FormView{MatchID: m.ID, Opponent: nameOf(st, m.Opponent(v.PlayerID))}
		}
	}
	return v
}

// Letter returns the letter of a match's outcome; "" for other news.
func (n SeatNews) Letter() string { return view.Letter(n.Result) }
