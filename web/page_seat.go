package web

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"agentleague/league"
)

// seatPages let persons play.
type seatPages struct {
	*common
	glimpses *glimpses
}

// pages is the page for playing from a seat, if this process has seats.
func (s *seatPages) pages() []page {
	if s.Seat == nil || s.Seated == nil {
		return nil
	}
	return []page{{
		path: "/leagues/{league}/seat", template: "seat", nav: "Play", summary: "The seat of a person. With " +
			"?after=SEQ the answer waits until something has changed since",
		view: s.seat, example: seatView{}, scripts: []string{"seat.js"}, styles: []string{"board.css", "detail.css"},
	}}
}

// actions are a person's actions from a seat. They are marked open: the seat's key authorizes them.
func (s *seatPages) actions() []action {
	if s.Seat == nil || s.Seated == nil {
		return nil
	}
	return []action{
		{path: "/leagues/{league}/seat", summary: "Take a seat; its key is kept in a cookie", open: true, do: s.sit,
			body: sitOrder{}},
		{path: "/leagues/{league}/seat/play", summary: "Play a move from a seat", open: true, do: s.play, body: playOrder{}},
		{path: "/leagues/{league}/seat/leave", summary: "Leave a seat: its fallback plays on", open: true, do: s.leave},
	}
}

// A sitOrder asks for a seat.
type sitOrder struct {
	Name string `json:"display_name"`
}

// A playOrder is a move.
type playOrder struct {
	Turn string `json:"turn"`
	Move string `json:"move"` // as JSON
}

// satPlayer is the answer to taking or leaving a seat. Its key goes into a cookie that no script can read.
type satPlayer struct {
	PlayerID string `json:"player_id,omitempty"`
	Name     string `json:"display_name,omitempty"`
	league   string
	key      string // "": forget it
}

// seatLife is how long a browser keeps the key of a seat, so that its person can return to it.
const seatLife = 30 * 24 * time.Hour

// cookie stores the key of a seat in the browser; without a key it deletes the cookie.
func (a satPlayer) cookie(r *http.Request) *http.Cookie {
	return leagueCookie(r, "seat", a.league, a.key, seatLife)
}

// mine returns the seat of the request's cookie, or nil.
func (s *seatPages) mine(r *http.Request, m Season) Seat {
	c, err := r.Cookie(leagueCookieName(r, "seat", m.ID()))
	if err != nil || c.Value == "" {
		return nil
	}
	seat, ok := s.Seated(m.ID(), c.Value)
	if !ok {
		return nil
	}
	return seat
}

// seatPollTimeout limits a long poll.
const seatPollTimeout = 10 * time.Second

// seat shows the seat of this browser. With ?after it is a long poll, by which the page is notified of its turn.
func (s *seatPages) seat(r *http.Request, m Season) (any, error) {
	seat := s.mine(r, m)
	var at SeatNow
	if seat != nil {
		at = look(r, m, seat)
	}
	var v seatView
	m.Read(func(st *league.State) {
		v = newSeatView(st, m.View().Latest(st), m.Closed(st) == "", seat, at, time.Now())
	})
	if v.Match != nil && len(v.Turns) == 0 {
		v.Live = s.glimpses.look(r.Context(), m, v.Match.MatchID)
	}
	if s.Rules != nil {
		v.Rules = s.Rules(v.GameType)
	}
	return v, nil
}

// look returns a seat at once, or for a long poll, once it has changed. The wait ends with the manager.
func look(r *http.Request, m Season, seat Seat) SeatNow {
	after, err := strconv.ParseUint(r.FormValue("after"), 10, 64)
	patience := seatPollTimeout
	if err != nil {
		patience = 0
	}
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	var watching sync.WaitGroup
	watching.Go(func() {
		select {
		case <-m.Ended():
			cancel()
		case <-ctx.Done():
		}
	})
	defer watching.Wait()
	defer cancel()
	return seat.Wait(ctx, after)
}

// sit takes a seat, unless the browser has one.
func (s *seatPages) sit(r *http.Request, m Season) (string, any, error) {
	league := m.ID()
	next := "/leagues/" + league + "/seat"
	if seat := s.mine(r, m); seat != nil {
		return next, satPlayer{seat.ID(), nameShown(seat.Name()), league, seat.Key()}, nil
	}
	name := strings.Join(strings.Fields(r.FormValue("display_name")), " ")
	if name == "" || !utf8.ValidString(name) || utf8.RuneCountInString(name) > 64 {
		return "", nil, badRequest("A seat needs a name of at most 64 characters.", "Enter the name to show in the table.")
	}
	seat, err := s.Seat(r.Context(), league, name, addressIn(r))
	if err != nil {
		return "", nil, err
	}
	return next, satPlayer{seat.ID(), nameShown(seat.Name()), league, seat.Key()}, nil
}

// play plays a move from the seat of the request.
func (s *seatPages) play(r *http.Request, m Season) (string, any, error) {
	seat := s.mine(r, m)
	if seat == nil {
		return "", nil, &problem{
			Status: http.StatusUnauthorized, What: "This browser has no seat in this league.", Do: "Take one first.",
		}
	}
	move := json.RawMessage(r.FormValue("move"))
	if !json.Valid(move) || len(move) > 4096 {
		return "", nil, badRequest("This is not a move.", "Choose one of the offered moves.")
	}
	if err := seat.Play(r.FormValue("turn"), move); err != nil {
		return "", nil, &problem{Status: http.StatusConflict, What: said(err.Error(), 300), Do: "Go back to the seat: " +
			"it shows the next turn."}
	}
	return "/leagues/" + m.ID() + "/seat", map[string]bool{"played": true}, nil
}

// leave leaves the seat. The browser keeps the key as long as its owner can return.
func (s *seatPages) leave(r *http.Request, m Season) (string, any, error) {
	league := m.ID()
	seat := s.mine(r, m)
	if seat == nil {
		return "/leagues/" + league, satPlayer{league: league}, nil
	}
	answer := satPlayer{PlayerID: seat.ID(), Name: nameShown(seat.Name()), league: league, key: seat.Key()}
	gone, err := seat.Leave(r.Context())
	if gone {
		answer.key = ""
	}
	return "/leagues/" + league, answer, err
}
