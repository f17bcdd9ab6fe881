package server

import (
	"context"
	"encoding/json"

	"agentleague/seat"
	"agentleague/web"
)

// A pageSeat is a seat that is played from the page.
type pageSeat struct {
	*seat.Seat
	seats *seats
}

// takeSeat takes a seat for a person at the page.
func (p *leaguePages) takeSeat(ctx context.Context, league, name, from string) (web.Seat, error) {
	t, err := p.seats.Take(ctx, seat.Wish{League: league, Name: name, From: from})
	if err != nil {
		return nil, err
	}
	return pageSeat{t, p.seats}, nil
}

// seated returns the seat with the given key in a league.
func (p *leaguePages) seated(league, key string) (web.Seat, bool) {
	if _, err := p.leagues.Visit(league); err != nil {
		return nil, false
	}
	t, err := p.seats.Find(key)
	if err != nil || t.League != league {
		return nil, false
	}
	return pageSeat{t, p.seats}, true
}

// Key returns the seat's secret.
func (s pageSeat) Key() string { return s.Seat.Key }

// ID returns the player's id.
func (s pageSeat) ID() string { return s.PlayerID() }

// Name returns the player's name.
func (s pageSeat) Name() string { return s.Seat.Name }

// Wait waits until the sequence number of the seat exceeds after, and returns the seat's state.
func (s pageSeat) Wait(ctx context.Context, after uint64) web.SeatNow {
	_, _ = s.Player.Wait(ctx, after) // after a timeout the caller sees the current state
	u := s.Player.Look(0)
	now := web.SeatNow{Seq: u.Seq}
	for _, t := range u.Turns {
		now.Turns = append(now.Turns, web.Turn{
			ID: t.ID, MatchID: t.Match.ID, Round: t.Match.Round, Opponent: t.Match.Opponent, Ask: t.View.Ask,
			Options: t.View.Options, Context: t.View.Context,
			Deadline: t.Deadline, Refused: t.Match.Refused,
		})
	}
	for _, e := range u.Events {
		n := s.News(e)
		now.News = append(now.News, web.SeatNews{Seq: e.Seq, Text: n.Text, MatchID: n.MatchID, Result: n.Result})
	}
	if err := s.Trouble(); err != nil {
		now.News = append(now.News, web.SeatNews{Seq: u.Seq, Text: "The player of this seat has ended: " + err.Error()})
	}
	return now
}

// Play plays a move.
func (s pageSeat) Play(turn string, move json.RawMessage) error {
	_, err := s.Seat.Play(turn, move)
	return err
}

// Leave gives the seat up, as the MCP tool leave_seat does. gone reports whether the seat cannot be recovered.
func (s pageSeat) Leave(ctx context.Context) (gone bool, err error) {
	return s.seats.Leave(ctx, s.Seat)
}
