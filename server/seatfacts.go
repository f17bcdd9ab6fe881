package server

import (
	"agentleague/league"
	"agentleague/league/view"
	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/seat"
	"agentleague/store"
	"context"
)

// Facts about a league that its seats request.

// seat returns a saved or new seat of this league.
func (l *League) seat(saved store.Seat) (*seat.Seat, error) {
	t, err := NewSeat(saved, l.Env.Seats(l.opts.LeagueID), l.opts.LeagueID, l.opts.Game.Type)
	if err == nil {
		t.About, t.Rules = l.about, l.Env.RulesOf
	}
	return t, err
}

// about returns the public facts about an opponent, other, for the player own.
func (l *League) about(own, other string) (out seat.Opponent) {
	l.Manager.Read(func(s *league.State) {
		a := s.Agents[other]
		if a == nil {
			return
		}
		out.Name = a.Name
		out.Score = &seat.Score{You: s.TallyOf(own).Points, Opponent: s.TallyOf(other).Points}
		for _, m := range view.Finished(s, other, seat.MostPast) {
			out.Played = append(out.Played, past(m, other, own))
		}
	})
	return out
}

// past returns a player's moves and result in a finished match.
func past(m *league.Match, id, own string) seat.Past {
	out := seat.Past{MatchID: m.ID, Against: m.A, Moves: []string{}, Result: m.Outcome.Result.For(id)}
	if id == m.A {
		out.Against = m.B
	}
	if out.Against == own {
		out.Against = ""
	}
	for _, played := range m.Outcome.Moves {
		if played.PlayerID == id {
			out.Moves = append(out.Moves, seat.Moves(played.Move)...)
		}
	}
	if len(m.Outcome.Moves) == 0 {
		out.Moves = seat.Moves(m.Outcome.Choices()[id])
	}
	return out
}

// final returns the LEAGUE_COMPLETED message of the league; nil before its end.
func (l *League) final() (out *protocol.LeagueCompleted) {
	l.Manager.Read(func(s *league.State) {
		if !s.Completed() {
			return
		}
		t := l.Manager.View().Latest(s)
		out = &protocol.LeagueCompleted{
			TotalRounds: s.TotalRounds(), TotalMatches: s.TotalMatches(), FinalStandings: t.Rows, Cancelled: s.Cancelled,
		}
		if first := league.Champions(s, t); len(first) > 0 {
			out.Champion = protocol.Champion{PlayerID: first[0].PlayerID, DisplayName: first[0].DisplayName, Points: first[0].Points}
		}
	})
	return out
}

// withdraw withdraws a player from the league, as its admin would.
func (l *League) withdraw(ctx context.Context, id string) error {
	token, err := l.Env.AdminToken()
	if err != nil {
		return err
	}
	n := rpc.NewNode(string(protocol.RoleAdmin), l.Env.Net.Caller())
	_, err = n.Call(ctx, rpc.Peer{Endpoint: l.opts.Endpoint}, &protocol.Tool{
		Envelope: protocol.Envelope{
			MessageType: protocol.TypeWithdrawPlayer, ConversationID: "conv-leave-" + n.Nonce(4), AuthToken: token,
		}, PlayerID: id,
	})
	return err
}
